package extract

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// trim removes the punctuation that a sentence puts after a URL, and keeps all other punctuation.
func TestTrim(t *testing.T) {
	for _, test := range []struct{ in, want string }{ // want is the part of in that is kept
		{"", ""},
		{"a", "a"},
		{"a.", "a"},
		{"a.,:;?!@*|", "a"},
		{"a....", "a"},
		{"a.b", "a.b"},
		{"a-", "a-"},
		{"a_", "a_"},
		{"a~", "a~"},
		{"a/.", "a/"},
		{"a)", "a)"},
		{"a&", "a&"},
		{"a=", "a="},
		{"a+", "a+"},
		{"a%.", "a%"},
		{"a$", "a$"},
		{"a#", "a#"},
		{"...", ""},
		// apostrophes
		{"a'", "a"},
		{"a''", "a''"},
		{"'a'", "'a'"},
		{"'a''", "'a'"},
		{"''a'", "''a"},
		{"a'.", "a"},
		{"'a'.", "'a'"},
		{"'a.'", "'a.'"},
		// references to characters
		{"a;", "a"},
		{"a&lt;", "a"},
		{"a&lt;.", "a"},
		{"a.&lt;", "a"},
		{"a&lt;&gt;", "a"},
		{"a&lt;b", "a&lt;b"},
		{"a&l;", "a&l"},
		{"&lt;", ""},
		{"a&#39;", "a"},
		{"a;;", "a"},
		// beyond ASCII
		{"aé", "aé"},
		{"a…", "a"},
		{"a。", "a。"}, // this character ends the URL before trim is called
		{"a！？；：．·؟،؛।", "a"},
		{"a！é", "a！é"},
		{"é…", "é"},
		{"a\x85", "a\x85"},
		{"a\xa6", "a\xa6"},
		{"a\xe2\x80", "a\xe2\x80"},
		// dashes
		{"a‒–—―", "a"},
		{"a—b", "a—b"},
		{"a-—", "a-"},
		{"—", ""},
	} {
		for _, before := range []string{"", ".", "'", "x:"} {
			w := []byte(before + test.in + "..")
			if got := trim(w, len(before), len(before)+len(test.in), false) - len(before); got != len(test.want) {
				t.Errorf("trim(%q) after %q = %q, want %q", test.in, before, test.in[:max(got, 0)], test.want)
			}
		}
	}
}

// characterReference finds the reference to a character at the end of a text (HTML §13.5), which is a name or a number,
// from &lt; to &thetasym;.
func TestCharacterReference(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, ";": 0, "&;": 0, "&a;": 0, "&lt;": 4, "&amp;": 5, "a&amp;": 5, "&amp;amp;": 0, "&quot;": 6, "&thetasym;": 10, "&thetasyms;": 0,
		"&#39;": 5, "&#x27;": 6, "&#x;": 4, "&a b;": 0, "&a-b;": 0, "&a&b;": 0, "a;": 0, "abcdefghijkl;": 0, "&é;": 0, "&a=b;": 0, "&&lt;": 4,
	} {
		if got := characterReference([]byte(in)); got != want {
			t.Errorf("characterReference(%q) = %d, want %d", in, got, want)
		}
	}
}

// Every ASCII byte ends a URL, is escaped in it, or is a part of it (RFC 3986 §2).
func TestClasses(t *testing.T) {
	want := map[class]string{
		ends:    "\"<>\\^`|",
		quote:   "'",
		colon:   ":",
		opening: "([{",
		closing: ")]}",
		star:    "*",
		plain:   "!#$%&+,-./;=?@_~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	}
	for c := range 256 {
		got := classes[c]
		switch {
		case c <= ' ' || c == 0x7f:
			if got != ends {
				t.Errorf("the class of %#x is %d, want %d", c, got, ends)
			}
		case c >= 0x80:
			if got != encoded {
				t.Errorf("the class of %#x is %d, want %d", c, got, encoded)
			}
		case !strings.ContainsRune(want[got], rune(c)):
			t.Errorf("the class of %q is %d, which contains only %q", byte(c), got, want[got])
		}
	}
	for _, open := range "([{" {
		for _, end := range ")]}" {
			if got, want := isPair(byte(open), byte(end)), strings.Contains("() [] {}", string(open)+string(end)); got != want {
				t.Errorf("isPair(%q, %q) = %v", open, end, got)
			}
		}
	}
}

// endsURL reports exactly the characters beyond ASCII that end a URL.
func TestEndsURL(t *testing.T) {
	const others = "\u200b\ufeff、。，､｡｜"
	for r := rune(0x80); r <= 0xe0fff; r++ {
		switch r {
		case 0xd800:
			r = 0xe000 // after the surrogates
		case 0x20000:
			r = 0xe0000 // before it are only Han characters and unassigned ones
		}
		want := strings.ContainsRune(others, r) ||
			r >= 0xfdd0 && r <= 0xfdef || r >= 0xfff0 && r <= 0xffff || // noncharacters and specials, which ucschar excludes
			r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || // direction
			unicode.Is(unicode.Z, r) || r <= 0x9f || // white space and controls
			unicode.In(r, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf) // brackets and quotation marks
		if got := endsURL(r); got != want {
			t.Errorf("endsURL(%U) = %v", r, got)
		}
	}
	if !endsURL(utf8.RuneError) {
		t.Error("endsURL of a byte that is not UTF-8 = false, want true")
	}
	for _, r := range "…！？；：．·؟،؛।‒–—―" {
		if !isTrailing(r) {
			t.Errorf("isTrailing(%q) = false, want true", r)
		}
	}
	for _, r := range "é。-_/)’\u0965一٫" {
		if isTrailing(r) {
			t.Errorf("isTrailing(%q) = true, want false", r)
		}
	}
}

// An authority ends where the text continues with characters that cannot belong to it.
func TestHostOnly(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"h", "h"},
		{"h.example", "h.example"},
		{"h.example:80", "h.example:80"},
		{"u:p@h.example:80", "u:p@h.example:80"},
		// an apostrophe ends a host, but not the user information before it
		{"h'x", "h"},
		{"'", ""},
		{"u'v@h", "u'v@h"},
		{"u'v@h'x", "u'v@h"},
		{"h.example'é", "h.example"},
		// letters beyond ASCII after a top-level domain
		{"h.exampleé", "h.example"},
		{"h.exampléé", "h.exampléé"},
		{"h.exampleé.example", "h.exampleé.example"},
		{"h.exampleé.exampleを", "h.exampleé.example"},
		{"exampleé", "exampleé"},
		{".exampleé", ".example"},
		{"h.é", "h.é"},
		{"h.example-é", "h.example-é"},
		{"h.Exampleé", "h.Exampleé"},
		{"h.EXAMPLEé", "h.EXAMPLE"},
		{"u@h.exampleé", "u@h.example"},
		{"u.exampleé@h", "u.exampleé@h"},
		// after a port or an IPv4 address
		{"h:80é", "h:80"},
		{"h:é", "h:é"},
		{"h:8xé", "h:8xé"},
		{"1.2.3.4é", "1.2.3.4"},
		{"h.4é", "h.4"},
		{"u:80é@h", "u:80é@h"},
		{"u:80@h:90é", "u:80@h:90"},
		{"80é", "80é"},
	} {
		if got := hostOnly([]byte(test.in)); got != len(test.want) {
			t.Errorf("hostOnly(%q) = %q, want %q", test.in, test.in[:got], test.want)
		}
	}
	for in, want := range map[string]int{"": 0, "a": 1, "é": 0, "aé": 1, "abc": 3, "\x7f\x80": 1, "a\xff": 1} {
		if got := asciiLength([]byte(in)); got != want {
			t.Errorf("asciiLength(%q) = %d, want %d", in, got, want)
		}
	}
}

// isValidAuthority accepts an authority (RFC 3986 §3.2) for a scheme that needs a host and for a scheme that does not.
func TestIsValidAuthority(t *testing.T) {
	for _, test := range []struct {
		in         string
		needs, may bool // valid if the scheme needs a host, and if it may have one
	}{
		{"", false, true},
		{"h", true, true},
		{"h.example:80", true, true},
		{"h:", true, true},
		{":80", false, true},
		{"u@", false, true},
		{"u@:80", false, true},
		{"u:p@h:80", true, true},
		{"@h", true, true},
		{"4", true, true},
		{"é", true, true},
		{"%41", true, true},
		{"-", false, false},
		{"_", false, false},
		{"u@-", false, false},
		{"..", false, false},
		{"-a", true, true},
		{"h:x", false, false},
		{"h:80:90", false, false},
		{"[::1]", true, true},
		{"[::1]:80", true, true},
		{"u@[::1]:80", true, true},
		{"[v1.x]", true, true},
		{"[::1", false, false},
		{"[x]", false, false},
		{"[::1]x", false, false},
		{"[::1]:x", false, false},
		{"h[0]", false, false},
		{"h]", false, false},
		{"{h}", false, false},
		{"h}", false, false},
		{"u[0]@h", true, true}, // the brackets are escaped later
		{"u@v@h", false, false},
	} {
		if got := (schemeRule{host: true}).isValidAuthority([]byte(test.in)); got != test.needs {
			t.Errorf("for a scheme that needs a host, isValidAuthority(%q) = %v", test.in, got)
		}
		if got := (schemeRule{}).isValidAuthority([]byte(test.in)); got != test.may {
			t.Errorf("for a scheme that may have a host, isValidAuthority(%q) = %v", test.in, got)
		}
	}
}

// portEnd finds the end of a port. before returns the character before an offset.
func TestPortEnd(t *testing.T) {
	for _, test := range []struct {
		in       string
		at, want int
	}{
		{"", 0, 0},
		{"h", 1, 1},
		{"h:", 1, 2},
		{"h:80", 1, 4},
		{"h:80x", 1, 4},
		{"h:x", 1, 2},
		{"h80", 1, 1},
		{"h::80", 1, 2},
		{"h:123456789", 1, 11},
		{":0", 0, 2},
	} {
		if got := portEnd([]byte(test.in), test.at); got != test.want {
			t.Errorf("portEnd(%q, %d) = %d, want %d", test.in, test.at, got, test.want)
		}
	}
	if got := byteBefore([]byte("ab"), 1); got != 'a' {
		t.Errorf("before b is %q", got)
	}
	if got := byteBefore([]byte("ab"), 0); got != ' ' {
		t.Errorf("the character before the start is %q, want a space", got)
	}
}
