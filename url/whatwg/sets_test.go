package whatwg

import (
	"fmt"
	"strings"
	"testing"

	"locus/internal/ascii"
)

// in reports whether list contains c.
func in(list string, c rune) bool { return strings.ContainsRune(list, c) }

// The functions below define the percent-encode sets of the URL Standard §1.3, each from the one before.
func inC0Control(c rune) bool { return c <= 0x1f || c > 0x7e }
func inFragment(c rune) bool  { return inC0Control(c) || in(" \"<>`", c) }
func inQuery(c rune) bool     { return inC0Control(c) || in(" \"#<>", c) }
func inSpecial(c rune) bool   { return inQuery(c) || c == '\'' }
func inPath(c rune) bool      { return inQuery(c) || in("?^`{}", c) }
func inUserinfo(c rune) bool {
	return inPath(c) || in("/:;=@", c) || 0x5b <= c && c <= 0x5d || c == '|'
}

func inComponent(c rune) bool { return inUserinfo(c) || '$' <= c && c <= '&' || c == '+' || c == ',' }

func inForm(c rune) bool {
	return inComponent(c) || c == '!' || 0x27 <= c && c <= 0x29 || c == '~'
}

var setTable = []struct {
	name string
	set  Set
	in   func(rune) bool
}{
	{"C0Control", C0Control, inC0Control},
	{"FragmentSet", FragmentSet, inFragment},
	{"QuerySet", QuerySet, inQuery},
	{"SpecialQuerySet", SpecialQuerySet, inSpecial},
	{"PathSet", PathSet, inPath},
	{"UserinfoSet", UserinfoSet, inUserinfo},
	{"ComponentSet", ComponentSet, inComponent},
	{"FormSet", FormSet, inForm},
}

// PercentEncode escapes each ASCII character, and each of some characters above, exactly where the standard says so.
func TestPercentEncodeSets(t *testing.T) {
	for _, test := range setTable {
		for c := range rune(0x180) {
			text := "a" + string(c) + "z"
			want := text
			if test.in(c) {
				want = "a" + escaped(string(c)) + "z"
			}
			if got := PercentEncode(text, test.set); got != want {
				t.Errorf("PercentEncode(%q, %s) = %q, want %q", text, test.name, got, want)
			}
		}
		for _, c := range []rune{0x7ff, 0x800, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff} {
			if got, want := PercentEncode(string(c), test.set), escaped(string(c)); got != want {
				t.Errorf("PercentEncode(%q, %s) = %q, want %q", string(c), test.name, got, want)
			}
		}
	}
}

func escaped(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// setsOf has the code points that the URL Standard §3.2 forbids in a host, and the URL code points of its §4.3.
func TestCodePointClasses(t *testing.T) {
	for c := range 0x80 {
		forbidden := in("\x00\t\n\r #/:<>?@[\\]^|", rune(c))
		if got := setsOf[c]&forbiddenHost != 0; got != forbidden {
			t.Errorf("%q in forbiddenHost = %v, want %v", rune(c), got, forbidden)
		}
		if got, want := setsOf[c]&forbiddenDomain != 0, forbidden || c <= 0x1f || c == '%' || c == 0x7f; got != want {
			t.Errorf("%q in forbiddenDomain = %v, want %v", rune(c), got, want)
		}
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if got, want := setsOf[c]&urlUnit != 0, alphanumeric || in("!$&'()*+,-./:;=?@_~", rune(c)); got != want {
			t.Errorf("%q in urlUnit = %v, want %v", rune(c), got, want)
		}
	}
	for c, want := range map[rune]bool{
		0x80: false, 0x9f: false, 0xa0: true, 0xe9: true, 0xfdcf: true, 0xfdd0: false, 0xfdef: false, 0xfdf0: true,
		0xfffd: true, 0xfffe: false, 0xffff: false, 0x10000: true, 0x1fffe: false, 0x10fffd: true, 0x10ffff: false,
	} {
		if got := isURLRune(c, 4); got != want {
			t.Errorf("isURLRune(%U) = %v, want %v", c, got, want)
		}
	}
}

// Parse refuses a host exactly if it contains a forbidden host code point.
func TestForbiddenInHosts(t *testing.T) {
	for c := range rune(0x80) {
		if in("\t\n\r/?#@:\\[]", c) { // these end the host or are removed before it is read
			continue
		}
		_, err := Parse("x://a" + string(c) + "b")
		if want := setsOf[c]&forbiddenHost == 0; (err == nil) != want {
			t.Errorf("Parse of x://a%qb = %v, want it accepted: %v", c, err, want)
		}
		_, err = Parse("http://a" + string(c) + "b/")
		if want := setsOf[c]&forbiddenDomain == 0; c != '%' && (err == nil) != want {
			t.Errorf("Parse of http://a%qb/ = %v, want it accepted: %v", c, err, want)
		}
		_, err = Parse("http://a" + escaped(string(c)) + "b/")
		if want := setsOf[c]&forbiddenDomain == 0; (err == nil) != want {
			t.Errorf("Parse of http://a%sb/ = %v, want it accepted: %v", escaped(string(c)), err, want)
		}
	}
}

func TestPercentEncodeBadUTF8(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"\xff", "%EF%BF%BD"},
		{"a\xc3z", "a%EF%BF%BDz"},
		{"\xed\xa0\x80", "%EF%BF%BD%EF%BF%BD%EF%BF%BD"}, // a surrogate
		{"\xf0\x9f\x98", "%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
		{"\xf0\x9f\x98\x80", "%F0%9F%98%80"},
		{"", ""},
		{"%zz%", "%zz%"},
	} {
		if got := PercentEncode(test.in, PathSet); got != test.want {
			t.Errorf("PercentEncode(%q) = %q, want %q", test.in, got, test.want)
		}
	}
	if got := PercentEncode("100%", ComponentSet); got != "100%25" {
		t.Errorf("PercentEncode(100%%, ComponentSet) = %q, want the %% escaped", got)
	}
}

func TestPercentDecode(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"plain", "plain"},
		{"%41%62", "Ab"},
		{"%aF%Fa", "\xaf\xfa"},
		{"%", "%"},
		{"%4", "%4"},
		{"%4g%g4%zz", "%4g%g4%zz"},
		{"%%41", "%A"},
		{"%25%34%31", "%41"},
		{"a+b", "a+b"},
	} {
		if got := ascii.Unescape(test.in); got != test.want {
			t.Errorf("ascii.Unescape(%q) = %q, want %q", test.in, got, test.want)
		}
	}
	for _, test := range setTable {
		if test.set != ComponentSet && test.set != FormSet {
			continue
		}
		for c := range rune(0x180) {
			if got := ascii.Unescape(PercentEncode(string(c), test.set)); got != string(c) {
				t.Errorf("%s: Unescape(PercentEncode) = %q, want %q", test.name, got, string(c))
			}
		}
	}
}

func TestPercentEncodeAllocations(t *testing.T) {
	text := strings.Repeat("plain/text", 100)
	if n := testing.AllocsPerRun(10, func() { _ = PercentEncode(text, PathSet) }); n != 0 {
		t.Errorf("PercentEncode of plain text allocates %v times, want 0", n)
	}
}
