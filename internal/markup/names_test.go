package markup

import (
	"strings"
	"testing"
)

// A set has its names, and no others.
func TestNames(t *testing.T) {
	names := "a ab ba abc href h src\nxlink:href"
	set := NewNames(names)
	for name := range strings.FieldsSeq(names) {
		if !set.Has(name) {
			t.Errorf("the set does not have %q", name)
		}
	}
	for _, name := range []string{"", "A", "b", "aa", "hreF", "hrefs", "sr", "ac", "axc", "\x00"} {
		if set.Has(name) {
			t.Errorf("the set has %q", name)
		}
	}
	most := 0
	for _, slot := range knownNames().slots {
		most = max(most, len(slot))
	}
	if most > 5 {
		t.Errorf("%d known names share a slot", most)
	}
}

// A known name costs no allocation. Each name is in lower case.
func TestLower(t *testing.T) {
	for in, want := range map[string]string{"href": "href", "HREF": "href", "Data-X": "data-x", "\x00A": "\ufffda", "": "", "É": "É"} {
		if got := Lower([]byte(in)); got != want {
			t.Errorf("Lower(%q) = %q, want %q", in, got, want)
		}
	}
	name := []byte("xlink:href")
	if n := testing.AllocsPerRun(100, func() { Lower(name) }); n > 0 {
		t.Errorf("a known name costs %v allocations", n)
	}
}
