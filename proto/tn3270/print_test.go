package tn3270

import (
	"slices"
	"strings"
	"testing"
)

// Text of a host that is not in 3270 mode scrolls.
func TestPrint(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	down := strings.Repeat("\r\n", 23)
	for _, test := range []struct {
		text   string
		want   []string
		cursor int
	}{
		{"", nil, 0},
		{"login: ", []string{"login:"}, 7},
		{"a\r\nb", []string{"a", "b"}, 81},
		{"ab\nc", []string{"ab", "  c"}, 83},
		{"abc\rX", []string{"Xbc"}, 1},
		{"abc\b\bX", []string{"aXc"}, 2},
		{"\ba", []string{"a"}, 1},
		{"a\r\n\bb", []string{"a", "b"}, 81}, // stops at the start of the line
		{x(80) + "y", []string{x(80), "y"}, 81},
		{x(80) + "\by", []string{x(80), "y"}, 81},
		{x(79) + "\by", []string{x(78) + "y"}, 79},
		{"~ a\x7fb\x00c\x1bd\te\x80f\xff", []string{"~ abcdef"}, 8},
		{down + "z", append(make([]string, 23), "z"), 23*80 + 1},
		{"a\r\nb" + down + "z", append(append([]string{"b"}, make([]string, 22)...), "z"), 23*80 + 1},
		{"a" + down + x(79), append(append([]string{"a"}, make([]string, 22)...), x(79)), 24*80 - 1},
		{"a\r\nb" + down[2:] + x(80), append(append([]string{"b"}, make([]string, 21)...), x(80)), 23 * 80}, // fills the last position
		{down + "y\nz", append(make([]string, 22), "y", " z"), 23*80 + 2},
	} {
		term := newTest(t, 2)
		for c := range strings.SplitSeq(test.text, "") {
			term.print([]byte(c))
			consistent(t, term)
		}
		if got := top(term); !slices.Equal(got, test.want) || term.buffer.cursor != test.cursor {
			t.Errorf("%q prints %q, cursor %d, want %q, %d", test.text, got, term.buffer.cursor, test.want, test.cursor)
		}
	}
}
