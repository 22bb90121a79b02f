package whatwg

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func checkRefs(t *testing.T, list []struct{ base, in, want string }) {
	t.Helper()
	for _, test := range list {
		var p Parser
		if test.base != "" {
			p.Base = mustParse(t, test.base)
		}
		if got, err := p.Parse(test.in); err != nil || got.String() != test.want {
			t.Errorf("Parse(%q) in %q = %q, %v, want %q", test.in, test.base, got, err, test.want)
		}
	}
}

func TestDots(t *testing.T) {
	checkRefs(t, []struct{ base, in, want string }{
		{"", "http://h/a/./b", "http://h/a/b"},
		{"", "http://h/a/../b", "http://h/b"},
		{"", "http://h/a/%2e%2E/b", "http://h/b"},
		{"", "http://h/a/.", "http://h/a/"},
		{"", "http://h/a/..", "http://h/"},
		{"", "http://h/..", "http://h/"},
		{"", "http://h/../../..", "http://h/"},
		{"", "http://h/a//../b", "http://h/a/b"},
		{"", "http://h//..", "http://h/"},
		{"", "http://h/a/b/../../../c", "http://h/c"},
		{"", "http://h/a/...", "http://h/a/..."},
		{"", "http://h/a/..b/.c", "http://h/a/..b/.c"},
		{"", `http://h/a\..\b`, "http://h/b"},
		{"", "x://h/a/../b", "x://h/b"},
		{"", `x://h/a\..\b`, `x://h/a\..\b`}, // "\" separates in special URLs only
		{"", "x:/a/../b", "x:/b"},
		{"", "x:/..//b", "x:/.//b"}, // the result has no host
		{"", "x:/a/..//b", "x:/.//b"},
		{"", "x:a/../b", "x:a/../b"}, // opaque
		{"", "x:", "x:"},
		{"", "x:/", "x:/"},
		{"", "x://", "x://"},
		{"", "x:///", "x:///"},
		{"", "http://h", "http://h/"},
		{"", "http://h?q", "http://h/?q"},
		{"", "x://h", "x://h"},
		{"", "x://h?q", "x://h?q"},
		{"", "http://h/a b\"<>`{}^?|'[]", "http://h/a%20b%22%3C%3E%60%7B%7D%5E?|%27[]"},
		{"", "http://h/%zz%", "http://h/%zz%"},
	})
}

func TestReferences(t *testing.T) {
	const base = "http://u:p@h:8/a/b;c/d?q#f"
	checkRefs(t, []struct{ base, in, want string }{
		{base, "", "http://u:p@h:8/a/b;c/d?q"},
		{base, "#x", "http://u:p@h:8/a/b;c/d?q#x"},
		{base, "?x", "http://u:p@h:8/a/b;c/d?x"},
		{base, "?", "http://u:p@h:8/a/b;c/d?"},
		{base, "x", "http://u:p@h:8/a/b;c/x"},
		{base, ".", "http://u:p@h:8/a/b;c/"},
		{base, "..", "http://u:p@h:8/a/"},
		{base, "../../../x", "http://u:p@h:8/x"},
		{base, "/x", "http://u:p@h:8/x"},
		{base, `\x`, "http://u:p@h:8/x"},
		{base, "//x", "http://x/"},
		{base, `\\x`, "http://x/"},
		{base, `/\x/y`, "http://x/y"},
		{base, "///x", "http://x/"},
		{base, "http:x", "http://u:p@h:8/a/b;c/x"}, // a relative reference, as before RFC 3986
		{base, "http:/x", "http://u:p@h:8/x"},
		{base, "http:", "http://u:p@h:8/a/b;c/d?q"},
		{base, "http:#x", "http://u:p@h:8/a/b;c/d?q#x"},
		{base, "http://x", "http://x/"},
		{base, "https:x", "https://x/"},
		{base, "https:/x", "https://x/"},
		{base, "y:x", "y:x"},
		{base, "1:x", "http://u:p@h:8/a/b;c/1:x"},
		{base, " \t x\n", "http://u:p@h:8/a/b;c/x"},
		{"x://h/a/b?q", "c", "x://h/a/c"},
		{"x://h/a/b?q", "//g", "x://g"},
		{"x://h/a/b?q", `\c`, `x://h/a/\c`},
		{"x://h", "c", "x://h/c"},
		{"x://h?q", "", "x://h?q"},
		{"x:/a/b", "..//c", "x:/.//c"},
		{"x:/.//a", "b", "x:/.//b"},
		{"x:/.//a", "/b", "x:/b"},
		{"x:opaque?q", "#f", "x:opaque?q#f"},
		{"mailto:a@b", "#", "mailto:a@b#"},
	})
	for _, text := range []string{"", "x", "/x", "//x", "?x", "\\"} {
		if got, err := Resolve(mustParse(t, "mailto:a@b"), text); err == nil {
			t.Errorf("Resolve(%q) in an opaque URL = %q, want a failure", text, got)
		}
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %q, want a failure", text, got)
		}
	}
}

func TestDriveLetters(t *testing.T) {
	for s, want := range map[string][2]bool{ // is a drive letter, starts with one
		"C:": {true, true}, "c|": {true, true}, "C": {}, "C:/": {false, true}, "C:\\": {false, true}, "C:?": {false, true}, "C|#": {false, true},
		"C:x": {}, "1:": {}, ":": {}, "": {}, "CC:": {}, "é:": {},
	} {
		if got := [2]bool{isDrive(s), startsWithDrive(s)}; got != want {
			t.Errorf("isDrive, startsWithDrive(%q) = %v, want %v", s, got, want)
		}
	}
	const c, share = "file:///C:/a/b?q#f", "file://host/a/b"
	checkRefs(t, []struct{ base, in, want string }{
		{"", "file:c:\\x\\y", "file:///c:/x/y"},
		{"", "file:///C|/x", "file:///C:/x"},
		{"", "file://C:/x", "file:///C:/x"},
		{"", "file://C|", "file:///C:"},
		{"", "file:/C|/x", "file:///C:/x"},
		{"", "file:///x/C|/y", "file:///x/C|/y"}, // not the first segment
		{"", "file:///C:/..", "file:///C:/"},
		{"", "file:///C:/../../x", "file:///C:/x"},
		{"", "file:///C:x/../y", "file:///y"},
		{"", "file:///CC:/../y", "file:///y"},
		{"", "file://localhost/x", "file:///x"},
		{"", "file://LOCAL%48OST/x", "file:///x"},
		{"", "file://h/x", "file://h/x"},
		{"", "file://h/C|/../x", "file://h/C:/x"},
		{"", "file:", "file:///"},
		{"", "file:x", "file:///x"},
		{"", "file:?q", "file:///?q"},
		{"", "file:////h/x", "file:////h/x"},
		{"", "file://1.2/x", "file://1.0.0.2/x"},
		{c, "x", "file:///C:/a/x"},
		{c, "", "file:///C:/a/b?q"},
		{c, "#x", "file:///C:/a/b?q#x"},
		{c, "?x", "file:///C:/a/b?x"},
		{c, "/x", "file:///C:/x"}, // stays on the drive
		{c, "../../../x", "file:///C:/x"},
		{c, "D:/x", "d:/x"},
		{c, "D|/x", "file:///D:/x"},
		{c, "D|", "file:///D:"},
		{c, "D|x", "file:///C:/a/D|x"},
		{c, "/D:/x", "file:///D:/x"},
		{c, "//h/x", "file://h/x"},
		{c, `\\h\x`, "file://h/x"},
		{c, "file:x", "file:///C:/a/x"},
		{c, "///x", "file:///x"},
		{share, "/x", "file://host/x"},
		{share, "/C:/x", "file://host/C:/x"},
		{share, "C|/x", "file://host/C:/x"},
		{share, "//", "file:///"},
		{"http://h/a", "file:x", "file:///x"},
		{"http://h/a/", "C|/x", "http://h/a/C|/x"},
	})
	for _, test := range []struct{ base, in, want string }{
		{"", "file://C|x/", string(DomainToASCII)},
		{"", "file://u@h/", string(DomainToASCII)},
		{"", "file://h:80/", string(DomainToASCII)},
	} {
		if _, err := Parse(test.in); err == nil || string(err.(*Error).Name) != test.want {
			t.Errorf("Parse(%q) = %v, want %s", test.in, err, test.want)
		}
	}
}

// The parser drops characters around and inside a URL that do not belong to it, and reports them.
func TestCleaning(t *testing.T) {
	for _, test := range []struct {
		in, want string
		reports  []int // where invalid-URL-unit is
	}{
		{" http://h/ ", "http://h/", []int{0, 10}},
		{"\x00\x1f http://h/\x00", "http://h/", []int{0, 12}},
		{"h\tt\nt\rp://h/", "http://h/", []int{1, 3, 5}},
		{"http://h/a\tb", "http://h/ab", []int{10}},
		{"http://h/\u00a0", "http://h/%C2%A0", nil}, // U+00A0 is no space here
		{"http://h/\x7f", "http://h/%7F", []int{9}},
		{"x:a ", "x:a", []int{3}},
		{"x:a ?b", "x:a%20?b", []int{3}},
		{"x:a  #b", "x:a %20#b", []int{3, 4}},
		{"http://h/#a b`<>\"", "http://h/#a%20b%60%3C%3E%22", []int{11, 13, 14, 15, 16}},
		{"http://h/?a'b", "http://h/?a%27b", nil},
		{"x://h/?a'b", "x://h/?a'b", nil},
		{"http://h/\xff\xfe", "http://h/%EF%BF%BD%EF%BF%BD", []int{9, 10}},
	} {
		var at []int
		p := Parser{Report: func(e Error) {
			if e.Name == InvalidURLUnit {
				at = append(at, e.Offset)
			}
		}}
		got, err := p.Parse(test.in)
		if err != nil || got.String() != test.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
		if !slices.Equal(at, test.reports) {
			t.Errorf("Parse(%q) reports at %v, want %v", test.in, at, test.reports)
		}
	}
}

// Parse uses memory in proportion to the length of a hostile text. The message of an error does not contain the text.
func TestLongTexts(t *testing.T) {
	const size = 1 << 20
	for _, s := range []string{
		"http://h/" + strings.Repeat("../", size/3),
		"http://h/" + strings.Repeat("a/../", size/5),
		"http://h/" + strings.Repeat("\\", size),
		"http://h/" + strings.Repeat("é", size/2),
		"http://" + strings.Repeat("@", size) + "h/",
		"http://" + strings.Repeat("/", size),
		"http://" + strings.Repeat("1.", size/2) + "/",
		"http://[" + strings.Repeat("1:", size/2) + "]/",
		"http://[" + strings.Repeat(":", size) + "]/",
		"http://h:" + strings.Repeat("0", size) + "/",
		"http://" + strings.Repeat("%2e", size/3) + "/",
		strings.Repeat("\t", size) + "x:y",
		"x:" + strings.Repeat(" ", size) + "#",
		strings.Repeat("a", size),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		u, err := Parse(s)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 40*size {
			t.Errorf("Parse(%.20q…) allocates %d bytes for a text of %d bytes", s, n, len(s))
		}
		if err != nil && len(err.Error()) > 100 {
			t.Errorf("Parse(%.20q…) = an error with a message of %d bytes, want at most 100", s, len(err.Error()))
		}
		if err == nil && len(u.String()) > 6*len(s) {
			t.Errorf("Parse(%.20q…) = a URL of %d bytes from a text of %d bytes", s, len(u.String()), len(s))
		}
	}
}
