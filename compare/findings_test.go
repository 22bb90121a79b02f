package compare

import (
	"slices"
	"strings"
	"testing"
)

// The offset of each finding is marked with a "^" below its byte.
func TestFindingOffsets(t *testing.T) {
	for _, test := range []struct {
		in, marks string
		classes   []Class
	}{
		{
			`http://a\@b@c/`,
			`        ^^ ^`,
			[]Class{Backslash, Userinfo, MultipleAt},
		},
		{
			"http://u@[::1%25x]:80/ ",
			"        ^^            ^",
			[]Class{Userinfo, BracketedHost, Whitespace},
		},
		{
			"http://h:8:9/a/../b",
			"        ^            ",
			[]Class{PortSyntax},
		},
		{
			"http://h/a/./b|c%zd#e#f",
			"           ^  ^ ^      ",
			[]Class{DotSegments, IllegalCharacter, BadEscape},
		},
		{
			"http://h/a../b/../c",
			"               ^   ",
			[]Class{DotSegments},
		},
		{
			`http://h/a.b\%2E\c`,
			"            ^^    ",
			[]Class{Backslash, DotSegments},
		},
		{
			"http://a%41!.1:70000/",
			"       ^^  ^  ^      ",
			[]Class{IPv4Shorthand, PercentHost, HostCharacter, PortRange},
		},
		{
			" http:/h",
			"^     ^ ",
			[]Class{Whitespace, Slashes},
		},
		{
			"http://:@:/",
			"        ^  ",
			[]Class{EmptyPart, Userinfo},
		},
		{
			"http://\x01h?a@b/",
			"       ^ ^ ^  ",
			[]Class{Control, Boundary, Userinfo},
		},
		{
			"file:a",
			"     ^",
			[]Class{Slashes},
		},
	} {
		c := Read(test.in)
		var offsets []int
		var classes []Class
		for _, f := range c.Findings {
			classes = append(classes, f.Class)
			if !slices.Contains(offsets, f.Offset) {
				offsets = append(offsets, f.Offset)
			}
		}
		var want []int
		for i := range test.marks {
			if test.marks[i] == '^' {
				want = append(want, i)
			}
		}
		if !slices.Equal(offsets, want) || !slices.Equal(classes, test.classes) {
			t.Errorf("findings in %q = %q at %d, want %q at %d", test.in, classes, offsets, test.classes, want)
		}
	}
}

// A class is found at most once, at its first position.
func TestFindingsOnce(t *testing.T) {
	c := Read(`http:\\a\b\c` + strings.Repeat(`\..`, 5))
	seen := map[Class]bool{}
	for _, f := range c.Findings {
		if seen[f.Class] {
			t.Errorf("two findings have the class %s", f.Class)
		}
		seen[f.Class] = true
	}
	if !seen[Backslash] || c.Findings[0].Offset != len("http:") {
		t.Errorf("findings = %+v, want a backslash at 5 first", c.Findings)
	}
}

// Read takes linear time.
func TestLongTexts(t *testing.T) {
	n := 50_000
	if testing.Short() { // because the test may run in an emulator
		n = 2000
	}
	for _, piece := range []string{"@", ":", `\`, "%2e/", "../", "é", "\t", "[", "?", "#", "0.", "xn--a."} {
		c := Read("http://" + strings.Repeat(piece, n))
		if origin, ok := c.Agree(); ok && origin.Scheme != "http" {
			t.Errorf("Agree of a text of many %q = %v, want the scheme http", piece, origin)
		}
	}
}
