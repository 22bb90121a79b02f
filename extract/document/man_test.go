package document

import (
	"fmt"
	"testing"
)

func TestManMacros(t *testing.T) {
	hold(t, Man, Options{}, []marked{
		{".UR ⟦http://h/⟧\ntext\n.UE .\n.MT ⟦jo@h⟧\n.ME\n'UR ⟦http://i/⟧\n.UR\n.UE\n.UR ⟦rel⟧\n", []string{".UR: http://h/", ".MT: mailto:jo@h", ".UR: http://i/", ".UR: rel"}},
		{".Lk ⟦http://h/⟧ \"the text\"\n.Lk ⟦http://i/⟧ \"⟦http://l/⟧\" .\n.Mt ⟦jo@h⟧\n.Lk \"⟦http://j/⟧\"\n.UR <⟦http://k/⟧>\n.Mt\n.Lk \"\"\n", []string{
			".Lk: http://h/", ".Lk: http://i/", "url .Lk: http://l/", ".Mt: mailto:jo@h", ".Lk: http://j/", ".UR: http://k/",
		}},
		{".UR ⟦http://h/a\\-b⟧\n.UR ⟦http://h/a\\:b⟧\n.UR \\:⟦http://h/c⟧\n.UR ⟦UR⟧\n", []string{".UR: http://h/a-b", ".UR: http://h/ab", ".UR: http://h/c", ".UR: UR"}},
		{".  UR ⟦http://h/⟧\n.\tMT ⟦jo@h⟧\n'  Lk ⟦http://i/⟧ x\n.   \n.  x\n", []string{".UR: http://h/", ".MT: mailto:jo@h", ".Lk: http://i/"}},
		// mdoc's macros call others
		{".An Jo Do Aq Mt ⟦jo@h.example⟧\n.It Lk ⟦http://h/⟧ x\n.Pq Lk ⟦http://i/⟧ Ns .\n.An Mo Mt ⟦mo@h⟧ , ⟦http://j/⟧\n.Em see Lk\n", []string{
			".Mt: mailto:jo@h.example", ".Lk: http://h/", ".Lk: http://i/", ".Mt: mailto:mo@h", "url .An: http://j/",
		}},
		{".B Mt x\n.BR Lk y\n.SH Mt z\nMt x\n", nil},
		{".B ⟦http://h/a⟧\n.IR ⟦http://h/b⟧ .\n.BR ⟦http://h/c⟧ (1)\n.SH ⟦http://h/d⟧\n.URL ⟦http://h/e⟧ text\n.TH X 1 \"⟦http://h/f⟧\"\n", []string{
			"url .B: http://h/a", "url .IR: http://h/b", "url .BR: http://h/c", "url .SH: http://h/d", "url .URL: http://h/e", "url .TH: http://h/f",
		}},
		{".\\\" http://no/\n'\\\" http://no/\n\\\" http://no/\n.x \\\" http://no/\n⟦http://h/⟧\\\" http://no/\n.\\}\n.\n..\n", []string{"url http://h/"}},
		{"⟦http://h/a⟧\r\n.UR ⟦http://h/b⟧\r\n\n.UR ⟦x⟧", []string{"url http://h/a", ".UR: http://h/b", ".UR: x"}},
	})
}

// Escapes in text are taken out, and what is found stands where they stood.
func TestManText(t *testing.T) {
	hold(t, Man, Options{}, []marked{
		{`\fI⟦http://h/a⟧\fP, \(la⟦http://h/b⟧\(ra <\fB⟦http://h/c⟧\fR>. ⟦ftp://h/\fR\fId⟧\fP \%⟦http://h/e⟧ "⟦http://h/f⟧"`, []string{
			"url http://h/a", "url http://h/b", "url http://h/c", "url ftp://h/d", "url http://h/e", "url http://h/f",
		}},
		{`⟦http://h/a\:/b\:/c⟧ ⟦http://h/\(tid⟧ ⟦http://h/e\-f⟧ ⟦http:\://h/g⟧ ⟦http://h/\&i⟧ ⟦http://h/j⟧\~k`, []string{
			"url http://h/a/b/c", "url http://h/~d", "url http://h/e-f", "url http://h/g", "url http://h/i", "url http://h/j",
		}},
		{`⟦http://h/a⟧\c`, []string{"url http://h/a"}},
		{`⟦http://h/\s-1A\s+1/b⟧ ⟦http://h/\v'-.4'c⟧ ⟦http://h/d⟧\(rq ⟦http://h/e⟧\(co ⟦http://h/f\[u00E9]⟧ ⟦http://h/\.g⟧`, []string{
			"url http://h/A/b", "url http://h/c", "url http://h/d", "url http://h/e", "url http://h/fé", "url http://h/.g",
		}},
	})
}

func TestRoffEscape(t *testing.T) {
	for _, test := range []struct {
		in     string
		size   int
		stands string
	}{
		{`\`, 1, ""},
		{`\-x`, 2, "-"},
		{`\.`, 2, "."},
		{`\/`, 2, "/"},
		{`\'`, 2, "'"},
		{"\\`", 2, "`"},
		{`\_`, 2, "_"},
		{`\ex`, 2, `\`},
		{`\0x`, 2, " "},
		{`\~`, 2, " "},
		{`\u`, 2, " "},
		{`\d`, 2, " "},
		{`\&`, 2, ""},
		{`\:`, 2, ""},
		{`\%`, 2, ""},
		{`\|`, 2, ""},
		{`\^`, 2, ""},
		{`\c`, 2, ""},
		{`\ x`, 1, ""},
		{"\\\nx", 1, ""},
		// characters
		{`\(tix`, 4, "~"},
		{`\[ti]x`, 5, "~"},
		{`\(ha`, 4, "^"},
		{`\(rs`, 4, `\`},
		{`\(at`, 4, "@"},
		{`\(sh`, 4, "#"},
		{`\(Do`, 4, "$"},
		{`\(ul`, 4, "_"},
		{`\(sl`, 4, "/"},
		{`\(ba`, 4, "|"},
		{`\(hy`, 4, "-"},
		{`\(mi`, 4, "-"},
		{`\(en`, 4, "–"},
		{`\(em`, 4, "—"},
		{`\(dq`, 4, `"`},
		{`\(aq`, 4, "'"},
		{`\(ga`, 4, "`"},
		{`\(lq`, 4, "“"},
		{`\(rq`, 4, "”"},
		{`\(oq`, 4, "‘"},
		{`\(cq`, 4, "’"},
		{`\(lB`, 4, "["},
		{`\(rB`, 4, "]"},
		{`\(lC`, 4, "{"},
		{`\(rC`, 4, "}"},
		{`\(la`, 4, "⟨"},
		{`\(ra`, 4, "⟩"},
		{`\(bu`, 4, " "},
		{`\(`, 2, " "},
		{`\(x`, 3, " "},
		{`\[`, 2, " "},
		{`\[ti`, 4, " "},
		{`\[u00E9]x`, 8, "é"},
		{`\[u1F600]`, 9, "😀"},
		{`\[u0E9]`, 7, " "},
		{`\[x00E9]`, 8, " "},
		{`\[u00G9]`, 8, " "},
		{`\[00E9A]`, 8, " "},
		// strings
		{`\*(lqx`, 5, "“"},
		{`\*(Aq`, 5, "'"},
		{`\*x`, 3, " "},
		{`\*[rq]x`, 6, "”"},
		{`\*`, 2, " "},
		{`\*tix`, 3, " "}, // a string of one letter
		{`\(t`, 3, " "},
		{`\(`, 2, " "},
		{`\[ti`, 4, " "},
		{`\[]x`, 3, " "},
		{`\[u41]`, 6, " "},
		{`\[u0041]`, 8, "A"},
		{`\[U0041]`, 8, " "},
		{`\[0041]`, 7, " "},
		{`\[u1F600]`, 9, "😀"},
		{`\[u00G1]`, 8, " "},
		{`\[u110000]`, 10, "\ufffd"},
		{`\[u123456789]`, 13, " "},
		// fonts, registers, colours
		{`\fBx`, 3, ""},
		{`\f(CWx`, 5, ""},
		{`\f[CW]x`, 6, ""},
		{`\f`, 2, ""},
		{"\\f\nx", 2, ""},
		{`\FBx`, 3, ""},
		{`\m[blue]x`, 8, ""},
		{`\M[]x`, 4, ""},
		{`\nxx`, 3, ""},
		{`\n(xxx`, 5, ""},
		{`\gxx`, 3, ""},
		{`\kxx`, 3, ""},
		{`\Vxx`, 3, ""},
		{`\Y[x]x`, 5, ""},
		// sizes
		{`\s`, 2, ""},
		{`\s0x`, 3, ""},
		{`\s8x`, 3, ""},
		{`\s10x`, 4, ""},
		{`\s12`, 4, ""},
		{`\s3`, 3, ""},
		{`\s:1`, 3, ""},
		{`\s1(`, 3, ""},
		{`\s[12`, 5, ""},
		{`\s'12`, 2, ""},
		{`\s+`, 3, ""},
		{`\s--1`, 4, ""},
		{`\s39x`, 4, ""},
		{`\s40x`, 3, ""},
		{`\s1x`, 3, ""},
		{`\s1`, 3, ""},
		{`\s1:`, 3, ""},
		{`\s1/`, 3, ""},
		{`\s-1x`, 4, ""},
		{`\s+1x`, 4, ""},
		{`\s-12x`, 4, ""},
		{`\s-`, 3, ""},
		{`\s(12x`, 5, ""},
		{`\s-(12x`, 6, ""},
		{`\s[12]x`, 6, ""},
		{`\s+[2]x`, 6, ""},
		{`\s'12'x`, 6, ""},
		{`\s-'2'x`, 6, ""},
		// what is between quotation marks
		{`\h'1n'x`, 6, ""},
		{`\v|x|y`, 5, ""},
		{`\w'a`, 2, ""},
		{`\w`, 2, ""},
		{`\o''x`, 4, ""},
		{`\X'ps: x'y`, 9, ""},
		{"\\\"a comment\r\n", 11, ""},
		{`\"a`, 3, ""},
	} {
		if size, stands := roffEscape([]byte(test.in)); size != test.size || stands != test.stands {
			t.Errorf("roffEscape(%q) = %d, %q, want %d, %q", test.in, size, stands, test.size, test.stands)
		}
	}
	for _, c := range "AbBCDhHlLNoRSvwxXZ" {
		in := fmt.Sprintf(`\%c'12'x`, c)
		if size, stands := roffEscape([]byte(in)); size != len(in)-1 || stands != "" {
			t.Errorf("roffEscape(%q) = %d, %q, want %d, %q", in, size, stands, len(in)-1, "")
		}
	}
}

func TestIsMdoc(t *testing.T) {
	for word, want := range map[string]bool{
		"An": true, "Aa": true, "Zz": true, "": false, "A": false, "AN": false, "an": false, "Ann": false, "[a": false, "A`": false,
	} {
		if got := isMdoc(word); got != want {
			t.Errorf("isMdoc(%q) = %v", word, got)
		}
	}
}

// What each part of an escape and of a macro's line is made of.
func TestRoffPieces(t *testing.T) {
	for _, test := range []struct {
		in, name string
		size     int
	}{
		{"", "", 0}, {"\n", "", 0}, {"x", "x", 1}, {"xy", "x", 1}, {"(", "", 1}, {"(x", "x", 2}, {"(xy", "xy", 3}, {"(xyz", "xy", 3}, {"[", "", 1}, {"[xyz", "", 4}, {"[]", "", 2}, {"[xyz]", "xyz", 5}, {"[x]y]", "x", 3}, {"]", "]", 1},
	} {
		if name, size := roffName([]byte(test.in)); name != test.name || size != test.size {
			t.Errorf("roffName(%q) = %q, %d, want %q, %d", test.in, name, size, test.name, test.size)
		}
	}
	for in, want := range map[string]int{"": 0, "'": 0, "''": 2, "'a'": 3, "'a'b'": 3, "'a": 0, "aba": 3, "||": 2} {
		if got := roffQuoted([]byte(in)); got != want {
			t.Errorf("roffQuoted(%q) = %d, want %d", in, got, want)
		}
	}
	for _, test := range []struct {
		in   string
		i    int
		word string
		end  int
	}{
		{"", 0, "", 0}, {"  ", 0, "", 2}, {"a", 0, "a", 1}, {"a b", 0, "a", 1}, {"a b", 1, "b", 3}, {" \tab\n", 0, "ab", 4}, {"ab", 1, "b", 2}, {"ab", 2, "", 2},
	} {
		if word, end := nextWord([]byte(test.in), test.i); word != test.word || end != test.end {
			t.Errorf("nextWord(%q, %d) = %q, %d, want %q, %d", test.in, test.i, word, end, test.word, test.end)
		}
	}
}
