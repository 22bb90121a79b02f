package marc_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"locus/internal/marc"
)

// Parse returns valid UTF-8 for any input, not much longer than the input, and well-formed as
// XML. Parsing the output of ISO2709 gives the same record.
func FuzzParse(f *testing.F) {
	f.Add(moby)
	f.Add(dumas)
	f.Add(raw('a', "24500\x1facafé"))
	f.Add(raw(' ', "24500\x1fa\x1b$1!0!\x1b(B\xe2e&#x4E8C;"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := marc.Parse(in)
		if err != nil {
			if !errors.Is(err, marc.ErrNotMARC) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("Parse: %v", err)
			}
			return
		}
		size := 0
		for _, field := range r.Fields {
			size += len(field.Value)
			for _, s := range field.Subfields {
				size += len(s.Code) + len(s.Value)
			}
		}
		if size > 8*len(in) {
			t.Errorf("%d bytes are read from %d", size, len(in))
		}
		if text := r.Text() + r.Title() + r.Author() + r.Date() + strings.Join(r.Problems, ""); !utf8.ValidString(text) {
			t.Errorf("the text is not UTF-8: %q", text)
		}
		if err := xml.Unmarshal(r.XML(), new(struct{})); err != nil {
			t.Errorf("XML: %v\n%s", err, r.XML())
		}
		if b, err := r.ISO2709(); err == nil {
			again, err := marc.ParseAs(b, r.Format)
			if err != nil || len(again.Fields) != len(r.Fields) {
				t.Errorf("%q is read as %+v, %v", b, again, err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(moby)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := marc.Parse(moby); err != nil {
			b.Fatal(err)
		}
	}
}
