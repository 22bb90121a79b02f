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
	long := []byte("hrefs in a longer text")
	for size, want := range map[int]bool{0: false, 1: true, 3: false, 4: true, 5: false} {
		if _, ok := set.find(long[:size]); ok != want {
			t.Errorf("the set has the first %d bytes of %q: %v, want %v", size, long, ok, want)
		}
	}
	for _, name := range []string{"", "A", "b", "aa", "hreF", "hrefs", "sr", "ac", "axc", "\x00", "a\x00", "\x00a", "href\x00", "h\x00ref", "xlink:hre", "xlink:hrefs"} {
		if set.Has(name) {
			t.Errorf("the set has %q", name)
		}
	}
	if n := testing.AllocsPerRun(100, func() { set.Has("xlink:href") }); n > 0 {
		t.Errorf("to look for a name takes %v allocations", n)
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
