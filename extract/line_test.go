package extract_test

import (
	"io"
	"strings"
	"testing"

	"locus/extract"
)

// Line returns the line of a match without its line break. It fails for a line that the Recent no longer keeps.
func TestLine(t *testing.T) {
	const text = "first\nsee http://h/ here\r\nlast"
	from := &extract.Recent{Reader: strings.NewReader(text), Most: 1 << 10}
	if _, err := io.Copy(io.Discard, from); err != nil {
		t.Fatal(err)
	}
	m := extract.Match{Offset: int64(strings.Index(text, "http")), Length: len("http://h/")}
	for _, at := range []io.ReaderAt{strings.NewReader(text), from} {
		if line, ok := extract.Line(at, m); line != "see http://h/ here" || !ok {
			t.Errorf("Line in a %T = %q, %v", at, line, ok)
		}
	}
	short := &extract.Recent{Reader: io.MultiReader(strings.NewReader(text), strings.NewReader(strings.Repeat("x", 100)), strings.NewReader("y")), Most: 8}
	if _, err := io.Copy(io.Discard, short); err != nil {
		t.Fatal(err)
	}
	if line, ok := extract.Line(short, m); ok {
		t.Errorf("Line of a line that is no longer kept = %q, want an error", line)
	}
}
