package man

import (
	"fmt"
	"testing"
)

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
		{`\*tix`, 3, " "}, // the name of the string has one letter
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
		// arguments in quotation marks
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

// The parts of an escape and the words of a macro line.
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
