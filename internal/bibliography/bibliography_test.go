package bibliography_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/internal/bibliography"
	"locus/internal/marc"
)

// whale returns a MARC record of a book.
func whale(t *testing.T) string {
	t.Helper()
	r := marc.Record{Fields: []marc.Field{
		{Tag: "100", Indicators: "1 ", Subfields: []marc.Subfield{{Code: "a", Value: "Melville, Herman."}}},
		{Tag: "245", Indicators: "10", Subfields: []marc.Subfield{{Code: "a", Value: "Moby Dick."}}},
	}}
	b, err := r.ISO2709()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOf(t *testing.T) {
	for _, test := range []struct {
		mediaType, name string
		ok, reads       bool
	}{
		{"application/marc", "library record", true, true},
		{"application/marcxml+xml", "", true, false},
		{"application/json", "", false, false},
		{"text/marc", "", false, false},
		{"", "", false, false},
	} {
		f, ok := bibliography.Of(test.mediaType)
		if ok != test.ok || f.Name != test.name || (f.Read != nil) != test.reads {
			t.Errorf("Of(%q) = %q, reads %v, %v; want %q, reads %v, %v", test.mediaType, f.Name, f.Read != nil, ok, test.name, test.reads, test.ok)
		}
	}
}

func TestSniff(t *testing.T) {
	record := whale(t)
	for _, test := range []struct{ start, want string }{
		{record, "application/marc"},
		{record[:36], "application/marc"},
		{record[:35], ""},
		{"<collection/>", ""},
		{"", ""},
	} {
		if got := bibliography.Sniff([]byte(test.start)); got != test.want {
			t.Errorf("Sniff(%q) = %q, want %q", test.start, got, test.want)
		}
	}
}

// Read continues after a damaged record. It ends if the file breaks off.
func TestRead(t *testing.T) {
	f, _ := bibliography.Of("application/marc")
	good := whale(t)
	broken := "00010xx\x1d"
	for _, test := range []struct {
		in     string
		titles string
		errs   int
		cut    bool
	}{
		{good + good, "Moby Dick, Moby Dick", 0, false},
		{good + broken + good, "Moby Dick, Moby Dick", 1, false},
		{good + good[:60], "Moby Dick", 1, true},
		{"", "", 0, false},
	} {
		var titles []string
		errs, isCut := 0, false
		for d, err := range f.Read(strings.NewReader(test.in)) {
			if err != nil {
				errs++
				isCut = errors.Is(err, io.ErrUnexpectedEOF)
				continue
			}
			titles = append(titles, d.Title)
			if want := (bibliography.Field{Name: "Author", Value: "Melville, Herman."}); !slices.Contains(d.Fields, want) {
				t.Errorf("Read(%q): fields %q, want one of them %q", test.in, d.Fields, want)
			}
		}
		if got := strings.Join(titles, ", "); got != test.titles || errs != test.errs || isCut != test.cut {
			t.Errorf("Read(%q) yields %q, %d errors, cut off %v; want %q, %d, %v", test.in, got, errs, isCut, test.titles, test.errs, test.cut)
		}
	}
	for range f.Read(strings.NewReader(good + good)) {
		break // a caller may stop
	}
}
