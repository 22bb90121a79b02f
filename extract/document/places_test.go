package document

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"locus/extract"
)

// A marked is a document in which ⟦ and ⟧ enclose each match. Several matches at the same offset have their own marks.
type marked struct {
	in   string
	want []string // the results of told for the matches, in the order of their offsets
}

// A mark is the start and the end of a match.
type mark struct{ from, to int }

// unmarked returns a document without its marks, and the offsets of the marks in order.
func unmarked(in string) (text string, marks []mark) {
	var b strings.Builder
	var open []int
	for len(in) > 0 {
		r, size := utf8.DecodeRuneInString(in)
		switch r {
		case '⟦':
			open = append(open, len(marks))
			marks = append(marks, mark{b.Len(), -1})
		case '⟧':
			marks[open[len(open)-1]].to = b.Len()
			open = open[:len(open)-1]
		default:
			b.WriteString(in[:size]) // this may be a byte that is not UTF-8
		}
		in = in[size:]
	}
	return b.String(), marks
}

// told formats the kind of a match, unless it is a reference, its place and its text.
func told(m extract.Match) string {
	line := m.Text
	if m.Place != "" {
		line = m.Place + ": " + line
	}
	if m.Kind != extract.Reference {
		line = m.Kind.String() + " " + line
	}
	return line
}

// gather returns the matches in a document, and fails at an error.
func gather(t *testing.T, m Mode, r io.Reader, o Options) (all []extract.Match) {
	t.Helper()
	for found, err := range m.All(r, o) {
		if err != nil {
			t.Fatalf("All of %v: %v", m, err)
		}
		all = append(all, found)
	}
	return all
}

// hold checks that a mode finds exactly the marked matches in documents, with their lines and columns, whether a
// document is read in one piece or byte by byte.
func hold(t *testing.T, mode Mode, o Options, tests []marked) {
	t.Helper()
	for _, test := range tests {
		text, marks := unmarked(test.in)
		all := gather(t, mode, strings.NewReader(text), o)
		var got []string
		for _, m := range all {
			got = append(got, told(m))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v of %q finds\n\t%q, want\n\t%q", mode, text, got, test.want)
			continue
		}
		if len(marks) != len(all) {
			t.Errorf("%v of %q has %d marks for %d matches", mode, text, len(marks), len(all))
			continue
		}
		for i, m := range all {
			from, to := int(m.Offset), int(m.Offset)+m.Length
			if (mark{from, to}) != marks[i] {
				t.Errorf("%v of %q: the match %q is at %q, want at %q", mode, text, m.Text, text[from:to], text[marks[i].from:marks[i].to])
			}
			before := text[:marks[i].from]
			if line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n'); m.Line != line || m.Column != column {
				t.Errorf("%v of %q: the match %q is at %d:%d, want %d:%d", mode, text, m.Text, m.Line, m.Column, line, column)
			}
		}
		for _, r := range []io.Reader{iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			if again := gather(t, mode, r, o); !reflect.DeepEqual(again, all) {
				t.Errorf("%v of %q byte by byte finds %+v, want %+v", mode, text, again, all)
			}
		}
	}
}
