package extract

import (
	"strings"
	"testing"

	"locus/url"
)

// Each byte is kept or escaped in each part of a URL, as RFC 3986 §2 and RFC 3987 §3.1 say.
func TestEscape(t *testing.T) {
	const may = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?"
	for c := range 256 {
		one := string([]byte{byte(c)})
		want := "%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15])
		if strings.Contains(may, one) {
			want = one
		}
		for _, test := range []struct{ before, after string }{{"http://h/", ""}, {"http://h/", "z"}, {"http://h/é", ""}, {"http://h/?", "a"}, {"x:", "y"}} {
			if one == "#" {
				want = "#"
			}
			in := test.before + one + test.after
			want := strings.ReplaceAll(test.before, "é", "%C3%A9") + want + test.after
			if got := escape(in); got != want {
				t.Errorf("escape(%q) = %q, want %q", in, got, want)
			}
		}
	}
	for in, want := range map[string]string{
		"":               "",
		"%":              "%25",
		"%4":             "%254",
		"%41":            "%41",
		"%4%41":          "%254%41",
		"%%41":           "%25%41",
		"%é":             "%25%C3%A9",
		"%aF%Fa":         "%aF%Fa",
		"%:0%0:":         "%25:0%250:",
		"#":              "#",
		"##":             "#%23",
		"a#b#c#":         "a#b%23c%23",
		"é#b#":           "%C3%A9#b%23",
		"#é#":            "#%C3%A9%23",
		"x://[::1]":      "x://[::1]",
		"x://[::1]:8/[]": "x://[::1]:8/%5B%5D",
		"x://u@[::1]":    "x://u@[::1]",
		"x://[u@[::1]":   "x://%5Bu@[::1]",
		"x://[::1":       "x://%5B::1",
		"x://h[0]":       "x://h%5B0%5D",
		"x://[[::1]]":    "x://[%5B::1]%5D",
		"x:[::1]":        "x:%5B::1%5D",
		"//[::1]/":       "//[::1]/",
		"/a//[b]":        "/a//%5Bb%5D",
		"\x00\xff\x7f":   "%00%FF%7F",
		"a b":            "a%20b",
	} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// ipLiteral finds an IP address in brackets.
func TestIPLiteral(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"//", ""},
		{"x://", ""},
		{"x://h", ""},
		{"//[::1]", "[::1]"},
		{"x://[::1]", "[::1]"},
		{"x://[::1]:8/[y]", "[::1]"},
		{"x://[]", "[]"},
		{"x://[[]]", "[[]"},
		{"x://[::1", ""},
		{"x://[::1/]", ""},
		{"x://[::1?]", ""},
		{"x://[::1#]", ""},
		{"x://u@[::1]", "[::1]"},
		{"x://u:p@[::1]", "[::1]"},
		{"x://u@v@[::1]", ""},
		{"x://@[::1]", "[::1]"},
		{"x://h/@[::1]", ""},
		{"x://h[::1]", ""},
		{"x:/[::1]", ""},
		{"x:a//[::1]", ""},
		{"x/://[::1]", ""},
		{"/0://[]", ""},
		{"?x://[::1]", ""},
		{"?//[::1]", ""},
		{"#x://[::1]", ""},
		{"x:y://[::1]", ""},
		{"a//[::1]", ""},
		{"/a//[::1]", ""},
	} {
		from, past := ipLiteral(test.in)
		got := ""
		if from >= 0 {
			got = test.in[from:past]
		}
		if got != test.want || (from < 0) != (past < 0) {
			t.Errorf("ipLiteral(%q) = %d, %d, want %q", test.in, from, past, test.want)
		}
	}
	for in, want := range map[string]string{
		"": "", "h": "h", "h:80": "h:80", "::1": "[::1]", "1:2:3": "[1:2:3]", "[::1]:80": "[::1]:80", "h/a:b:c": "h/a:b:c", "h?a:b:c": "h?a:b:c", "h#a:b:c": "h#a:b:c", ":": ":", "::": "[::]",
	} {
		if got := bracketed(in); got != want {
			t.Errorf("bracketed(%q) = %q, want %q", in, got, want)
		}
	}
}

// An escaped text can be parsed if it has the form of a URL. Escaping it again does not change it.
func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"a b%", "x://[::1]:8/[]", "#a#b", "é%zz", "x://u@[::1", "//[v1.x]/", "\x00", "at://did:plc:x/", "x://did:plc:u@h/", "did:a:b://[", "/0://[]", "/x://did:a:b", "//did:0: ", "at://did:a:é/", "//did:a:["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := escape(text)
		if again := escape(got); again != got {
			t.Errorf("escape(%q) = %q, and escape of the result = %q", text, got, again)
		}
		// Match.URL parses the text first, and escapes it only if it cannot be parsed.
		if _, err := url.Parse(text); err == nil && got != text {
			t.Errorf("escape(%q) = %q, though the text is a URL", text, got)
		}
		in := "http://h/" + text
		u, err := url.Parse(escape(in))
		if err != nil {
			t.Errorf("escape(%q) = %q: %v", in, escape(in), err)
		}
		if path := strings.TrimPrefix(in, "http://h"); !strings.ContainsAny(path, "?#%") {
			if got, err := url.Unescape(u.Path()); err != nil || got != path {
				t.Errorf("escape(%q) has the path %q, %v, want %q", in, got, err, path)
			}
		}
	})
}
