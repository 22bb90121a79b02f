package css

import "testing"

func TestCSSUnescape(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"a", "a"},
		{`\`, `\`},
		{`a\`, `a\`},
		{`\g`, "g"},
		{`\\41`, `\41`},
		{`\\\41`, `\A`},
		{"\\\n", ""},
		{`\0`, "\ufffd"}, // like a number that is not a character (CSS Syntax §4.3.7)
		{`\000000a`, "\ufffda"},
		{`\10fffe`, "\U0010fffe"},
		{`\ffffff`, "\ufffd"},
		{`\dfff`, "\ufffd"},
		{`\e000`, "\ue000"},
		{"a\\\r\nb\\\rc\\\fd\\\n\re", "abcd\re"},
		{"\\41\r\nb\\41\r\\41\fc\\41\t d", "AbAAcA d"},
		{"\\\r", ""},
		{"\\41\r", "A"},
		{`\10FFFF`, "\U0010ffff"},
		{`\110000`, "\ufffd"},
		{`\d800x`, "\ufffdx"},
		{"\\41 ", "A"},
		{"\\41\v", "A\v"},
		{"\\41  ", "A "},
		{"\\41\nb", "Ab"},
		{`\0000411`, "A1"},
	} {
		if got := unescape([]byte(test.in)); got != test.want {
			t.Errorf("unescape(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// The bounds of strings and of the content of url(…), and the offset at which reading continues.
func TestCSSPlaces(t *testing.T) {
	for _, test := range []struct {
		name          string
		read          func(text []byte, i int) (from, to, end int)
		in            string
		i             int
		from, to, end int
	}{
		{"string", stringAt, `"a"b`, 0, 1, 2, 3},
		{"string", stringAt, `x'a'`, 1, 2, 3, 4},
		{"string", stringAt, `''`, 0, 1, 1, 2},
		{"string", stringAt, `"a'"`, 0, 1, 3, 4},
		{"string", stringAt, `'a"'`, 0, 1, 3, 4},
		{"string", stringAt, `"a\"b"`, 0, 1, 5, 6},
		{"string", stringAt, `"a\\"b"`, 0, 1, 4, 5},
		{"string", stringAt, `"`, 0, 1, 1, 1},
		{"string", stringAt, `"a`, 0, 1, 2, 2},
		{"string", stringAt, `"a\`, 0, 1, 3, 3},
		{"string", stringAt, `"a\"`, 0, 1, 4, 4},
		{"string", stringAt, "\"a\nb\"", 0, 1, 2, 2},
		{"string", stringAt, "\"a\rb\"", 0, 1, 2, 2},
		{"string", stringAt, "\"a\fb\"", 0, 1, 2, 2},
		{"string", stringAt, "\"a\vb\"", 0, 1, 4, 5},
		{"string", stringAt, "\"a\\\nb\"", 0, 1, 5, 6},
		{"string", stringAt, "\"a\\\r\nb\"", 0, 1, 6, 7},
		{"string", stringAt, "\"a\\\n\rb\"", 0, 1, 4, 4},
		{"string", stringAt, "\"a\\\r\n\nb\"", 0, 1, 5, 5},
		{"string", stringAt, "\"\n", 0, 1, 1, 1},

		{"url", urlArgument, "a)b", 0, 0, 1, 1},
		{"url", urlArgument, " \t\n a \t\n )b", 0, 4, 5, 7}, // the end of the line ends the argument, like the bracket
		{"url", urlArgument, " a )b", 0, 1, 2, 3},
		{"url", urlArgument, "a b)", 0, 0, 3, 3},
		{"url", urlArgument, "\va\v)", 0, 0, 3, 3}, // not white space in CSS (CSS Syntax §4.2)
		{"url", urlArgument, ")", 0, 0, 0, 0},
		{"url", urlArgument, " )", 0, 1, 1, 1},
		{"url", urlArgument, "", 0, 0, 0, 0},
		{"url", urlArgument, "  ", 0, 2, 2, 2},
		{"url", urlArgument, "a", 0, 0, 1, 1},
		{"url", urlArgument, "a ", 0, 0, 1, 2},
		{"url", urlArgument, "a\\)b)c", 0, 0, 4, 4},
		{"url", urlArgument, "a\\\\)b", 0, 0, 3, 3},
		{"url", urlArgument, "a\\", 0, 0, 2, 2},
		{"url", urlArgument, "a\rb)", 0, 0, 1, 1},
		{"url", urlArgument, "a\fb)", 0, 0, 1, 1},
		{"url", urlArgument, "a(b)", 0, 0, 3, 3},
		{"url", urlArgument, ` "a)b" )c`, 0, 2, 5, 6},
		{"url", urlArgument, `'a'`, 0, 1, 2, 3},
		{"url", urlArgument, `a'b')`, 0, 0, 4, 4},
		{"url", urlArgument, `"`, 0, 1, 1, 1},
	} {
		if from, to, end := test.read([]byte(test.in), test.i); from != test.from || to != test.to || end != test.end {
			t.Errorf("%s at offset %d of %q = %d, %d, %d, want %d, %d, %d", test.name, test.i, test.in, from, to, end, test.from, test.to, test.end)
		}
	}
	for in, want := range map[string]int{
		"": 0, "a": 0, " a": 1, " \t\r\n\fa": 5, "/**/a": 4, " /* * / */ /*/*/ a": 17, "/* a": 4, "/*/": 3, "/*": 2, "/a": 0, " /": 1, "/**": 3, "/***/": 5,
	} {
		if got := skipBlanks([]byte(in), 0); got != want {
			t.Errorf("skipBlanks(%q) = %d, want %d", in, got, want)
		}
	}
	for in, want := range map[string]int{"": 0, "a\n": 0, "\n": 1, "\n\r": 1, "\r": 1, "\rx": 1, "\r\n": 2, "\r\n\n": 2, "\f": 1, "\f\n": 1, "\v": 0, "\u0085": 0} {
		if got := breakLength([]byte(in)); got != want {
			t.Errorf("breakLength(%q) = %d, want %d", in, got, want)
		}
	}
}
