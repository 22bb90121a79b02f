package emit

import (
	"fmt"
	"strings"
	"testing"

	"locus/extract"
)

// Matches are yielded in the order of their offsets. At the same offset, a reference comes before other matches, and a
// longer match before a shorter one. A match in text is omitted if it begins inside a reference.
func TestFinish(t *testing.T) {
	const text = "ab\ncd\n\nefgh"
	const (
		reference = extract.Reference
		standing  = extract.Plain
		host      = extract.Host
	)
	type added struct {
		from, to int
		kind     extract.Kind
	}
	for _, test := range []struct {
		in   []added
		want string // the line, the column, the kind and the length of each match
	}{
		{nil, ""},
		{[]added{{0, 2, standing}}, "1:1 url 2"},
		{[]added{{7, 11, standing}, {3, 5, standing}, {0, 2, host}}, "1:1 host 2, 2:1 url 2, 4:1 url 4"},
		{[]added{{1, 2, standing}, {2, 3, standing}, {4, 5, standing}, {6, 7, standing}, {10, 11, standing}}, "1:2 url 1, 1:3 url 1, 2:2 url 1, 3:1 url 1, 4:4 url 1"},
		{[]added{{3, 5, standing}, {3, 5, reference}}, "2:1 reference 2"},
		{[]added{{3, 5, reference}, {3, 5, standing}}, "2:1 reference 2"},
		{[]added{{3, 5, reference}, {4, 8, standing}, {5, 8, host}}, "2:1 reference 2, 2:3 host 3"}, // the URL begins inside the reference
		{[]added{{3, 5, standing}, {4, 8, reference}}, "2:1 url 2, 2:2 reference 4"},
		{[]added{{3, 5, standing}, {3, 8, standing}}, "2:1 url 5, 2:1 url 2"},
		{[]added{{3, 5, standing}, {3, 5, host}}, "2:1 host 2, 2:1 url 2"},
		{[]added{{3, 5, reference}, {3, 8, reference}, {4, 5, reference}}, "2:1 reference 5, 2:1 reference 2, 2:2 reference 1"},
		{[]added{{0, 8, reference}, {1, 2, reference}, {7, 8, standing}, {8, 9, standing}}, "1:1 reference 8, 1:2 reference 1, 4:2 url 1"},
		{[]added{{5, 5, reference}, {5, 6, standing}}, "2:3 reference 0, 2:3 url 1"},
		{[]added{{3, 5, reference}, {3, 5, reference}}, "2:1 reference 2, 2:1 reference 2"},
	} {
		d := &Emitter{Text: []byte(text)}
		for _, a := range test.in {
			d.Add(extract.Match{Offset: int64(a.from), Length: a.to - a.from, Kind: a.kind, Text: text[a.from:a.to]}, nil)
		}
		d.finish()
		var got []string
		for _, m := range d.matches {
			got = append(got, fmt.Sprintf("%d:%d %v %d", m.Line, m.Column, m.Kind, m.Length))
		}
		if got := strings.Join(got, ", "); got != test.want || len(d.errs) != len(d.matches) {
			t.Errorf("the matches of %v are %s, with %d errors, want %s", test.in, got, len(d.errs), test.want)
		}
	}
}
