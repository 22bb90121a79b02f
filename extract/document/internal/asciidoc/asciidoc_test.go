package asciidoc

import (
	"fmt"
	"strings"
	"testing"

	"locus/extract/document/internal/emit"
)

// A blockReader finds the lines of code, literal text and comments. In each line of the input, "C" marks code and "T" text.
func TestBlocks(t *testing.T) {
	for _, marked := range []string{
		"T text\nT more",
		"T text\nT  indented, but in a paragraph",
		"T \nC  indented\nC still literal\nT \nT text",
		"T * item\nT \nT  ** indented item\nT  2. another\nT  term:: text",
		"C ----\nC code\nC \nC ====\nC ----\nT text",
		"C ....\nC ----\nC ....\nT text",
		"C ////\nC comment\nC ////\nT text",
		"C // comment\nT text",
		"T /// not a comment",
		"C ```go\nC code\nC ```\nT text",
		"T ```x``` in a line",
		"T ---",
		"T [source,go]\nC code\nC more\nT \nT text",
		"T [source%linenums]\nT .Title\nC code",
		"T text\nT [source]\nC code",
		"T [sourced]\nT text",
		"T [quote]\nT text",
		"T .Title\nC  literal",
		"T [listing]\nC ----\nC code\nC ----\nT text",
	} {
		var b blockReader
		for n, line := range strings.Split(marked, "\n") {
			want, text := line[:1] == "C", line[2:]
			kind := b.read([]byte(text + "\n"))
			if got := kind == code || kind == comment || kind == passed; got != want {
				t.Errorf("line %d in %q is of kind %v, want code: %v", n+1, marked, kind, want)
			}
		}
	}
}

// substitute replaces references to known attributes. A value that refers to an unknown attribute makes its own
// attribute unknown.
func TestSubstitute(t *testing.T) {
	a := attributes{}
	a.set("host", "h.example")
	a.set("base", "http://{host}")
	a.set("bad", "x")
	a.set("bad", "{unknown}")
	a.set("long", strings.Repeat("x", 4*emit.MaxLabel))
	for _, test := range []struct {
		in, want string
		ok       bool
	}{
		{"", "", true},
		{"a{plus}b", "a+b", true},
		{"{base}/{HOST}", "http://h.example/h.example", true},
		{"{empty}{sp}", " ", true},
		{"{unknown}", "{unknown}", false},
		{"{bad}", "{bad}", false},
		{"{host", "{host", true},
		{"{ho st}", "{ho st}", true},
		{"{long}", strings.Repeat("x", 4*emit.MaxLabel), true},
	} {
		if got, ok := a.substitute(test.in); got != test.want || ok != test.ok {
			t.Errorf("substitute(%q) = %.40q, %v, want %.40q, %v", test.in, got, ok, test.want, test.ok)
		}
	}
	if _, ok := a.substitute("{long}{host}"); ok {
		t.Errorf("substitute of a text with more than %d bytes returns true", 4*emit.MaxLabel)
	}
	for n := range 2 * maxAttributes {
		a.set(fmt.Sprintf("a%d", n), "x")
	}
	if len(a) > maxAttributes {
		t.Errorf("%d attributes are kept, want at most %d", len(a), maxAttributes)
	}
	if a.set("host", "i.example"); a["host"] != "i.example" {
		t.Errorf("with %d attributes, host is %q, want its new value", len(a), a["host"])
	}
}

// sectionID returns the ids that Asciidoctor gives to sections.
func TestSectionID(t *testing.T) {
	for _, test := range []struct{ title, separator, want string }{
		{"Quick Start", "_", "quick_start"},
		{"Quick Start", "-", "quick-start"},
		{"A. b - c_d", "_", "a_b_c_d"},
		{"A. b - c_d", "-", "a-b-c_d"},
		{"What's new?", "_", "whats_new"},
		{"Über 2.0", "_", "über_2_0"},
		{" x ", "_", "x"},
		{"a b", "", "ab"},
		{"?!", "_", ""},
	} {
		if got := sectionID(test.title, test.separator); got != test.want {
			t.Errorf("sectionID(%q, %q) = %q, want %q", test.title, test.separator, got, test.want)
		}
	}
}
