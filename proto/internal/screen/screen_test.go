package screen

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"locus/terminal"
)

// shown returns the lines of a screen without empty lines at the end.
func shown(s *Screen) string {
	return strings.TrimRight(strings.Join(s.Lines(), "\n"), "\n")
}

// A showing is a text and the resulting screen of 10 by 4.
type showing struct {
	text        string
	want        string
	row, column int
}

var written = []showing{
	{"hello", "hello", 0, 5},
	{"one\r\ntwo", "one\ntwo", 1, 3},
	{"one\ntwo", "one\n   two", 1, 6},
	{"abc\b\bX", "aXc", 0, 2},
	{"a\tb", "a       b", 0, 9},
	{"0123456789", "0123456789", 0, 9},         // the cursor waits at the end
	{"0123456789x", "0123456789\nx", 1, 1},     // and wraps with the next character
	{"0123456789\r\nx", "0123456789\nx", 1, 1}, // unless wrapping is off
	{"0123456789\x1b[Kx", "012345678x", 0, 9},  // erasing cancels the wrap
	{"\x1b[?7l0123456789xyz", "012345678z", 0, 9},
	{"1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5", 3, 1},
	{"\x1b[2;3Hx", "\n  x", 1, 3},
	{"\x1b[Hx", "x", 0, 1},
	{"\x1b[99;99Hx", "\n\n\n         x", 3, 9},
	{"ab\x1b[Ac\x1b[2Bd\x1b[3De\x1b[Cf", "abc\n\n e f", 2, 4},
	{"\x1b[3dx\x1b[5Gy\x1b[2Ez\x1b[Fw", "\n\nw   y\nz", 2, 1},
	{"abcdef\x1b[3D\x1b[K", "abc", 0, 3},
	{"abcdef\x1b[3D\x1b[1K", "    ef", 0, 3},
	{"abcdef\x1b[2K", "", 0, 6},
	{"abc\r\ndef\x1b[2D\x1b[J", "abc\nd", 1, 1},
	{"abc\r\ndef\x1b[2D\x1b[1J", "\n  f", 1, 1},
	{"abc\x1b[2J", "", 0, 3},
	{"abcdef\x1b[4D\x1b[2@", "ab  cdef", 0, 2},
	{"abcdef\x1b[4D\x1b[2P", "abef", 0, 2},
	{"abcdef\x1b[4D\x1b[2X", "ab  ef", 0, 2},
	{"abc\x1b[2D\x1b[4hXY\x1b[4lZ", "aXYZc", 0, 4},
	{"x\x1b[3b", "xxxx", 0, 4},
	{"\x1b[3b", "", 0, 0},
	{"1\r\n2\r\n3\x1b[2;1H\x1b[L", "1\n\n2\n3", 1, 0},
	{"1\r\n2\r\n3\x1b[1;1H\x1b[M", "2\n3", 0, 0},
	{"1\r\n2\r\n3\x1b[S", "2\n3", 2, 1},
	{"1\r\n2\r\n3\x1b[T", "\n1\n2\n3", 2, 1},
	{"1\r\n2\r\n3\x1b[99S", "", 2, 1},
	{"1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", "1\n3\nx\n4", 2, 1}, // only the region scrolls
	{"1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bMx", "1\nx\n2\n4", 1, 1},
	{"1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[?6h\x1b[1;1Hx\x1b[9;1Hy", "1\nx\ny\n4", 2, 1},
	{"\x1b[3;2rx", "x", 0, 1}, // an empty region
	{"\x1bDa\x1bEb", "\na\nb", 2, 1},
	{"ab\x1b7\x1b[3;3Hc\x1b8d", "abd\n\n  c", 0, 3},
	{"ab\x1b[s\x1b[3;3Hc\x1b[ud", "abd\n\n  c", 0, 3},
	{"ab\x1bcd", "d", 0, 1},
	{"\x1b#8\x1b[2;1H\x1b[J", "EEEEEEEEEE", 1, 0},
	{"shell\x1b[?1049h\x1b[Hvi\x1b[?1049l$", "shell$", 0, 6},
	{"shell\x1b[?1049h\x1b[Hvi", "vi", 0, 2},
	{"shell\x1b[?47h\x1b[Hvi\x1b[?47l$", "sh$ll", 0, 3},
	{"\x1b(0lqk\x1b(Bq", "┌─┐q", 0, 4},
	{"\x1b)0q\x0eq\x0fq", "q─q", 0, 3},
	{"\x1b[1;31mred\x1b[0m", "red", 0, 3},
	{"\x1b[38;2;1;2;3mred\x1b[38:5:1m!", "red!", 0, 4},
	{"\x1b]0;title\x07x", "x", 0, 1},
	{"\x1b]0;title\x1b\\x", "x", 0, 1},
	{"\x1bPdevice\x1b[1mx", "x", 0, 1},
	{"\x1b[?25lx\x1b[>cy\x1b[!pz\x1b[ q!", "xyz!", 0, 4},
	{"\x1b[12\x18x", "x", 0, 1},
	{"\x1b[1\n2Cx", "\n         x", 1, 9}, // a control inside a sequence
	{"\x1b[20hone\ntwo", "one\ntwo", 1, 3},
	{"a\x1b[3g\tb", "a        b", 0, 9},
	{"\x1b[5G\x1bH\r\tb", "    b", 0, 5},
	{"\x1b[2Ib\x1b[Zc", "        cb", 0, 9},
	{"é", "é", 0, 1},
	{"e\u0301x", "e\u0301x", 0, 2},
	{"\u0301x", "x", 0, 1},
	{"日本", "日本", 0, 4},
	{"日本\bx", "日 x", 0, 4},
	{"日\rx", "x", 0, 1},
	{"012345678日", "012345678\n日", 1, 2},
	{"日本\x1b[2G\x1b[K", "", 0, 1},
	{"日本\x1b[2G\x1b[@", "   本", 0, 1},
	{"日本\x1b[2G\x1b[P", " 本", 0, 1},
	{"12345678日\x1b[H\x1b[@", " 12345678", 0, 0},
	{"\xffx\xc3\x28", "\uFFFDx\uFFFD(", 0, 4},
	{"\xc3\nx", "\uFFFD\n x", 1, 2},
	{"\u009b2Jx\x7f", "2Jx", 0, 3},
	{"\x00\x05\x07x", "x", 0, 1},
}

func TestShow(t *testing.T) {
	for _, test := range slices.Concat(written, waiting, moved, scrolled, edited, switched, parsed) {
		s := New(10, 4)
		s.Show([]byte(test.text))
		row, column := s.cursor.row, s.cursor.column
		if got := shown(s); got != test.want || row != test.row || column != test.column {
			t.Errorf("Show(%q) shows %q, cursor %d,%d; want %q, %d,%d", test.text, got, row, column, test.want, test.row, test.column)
		}
	}
}

func TestResize(t *testing.T) {
	for _, test := range []struct {
		text          string
		columns, rows int
		want          string
		row, column   int
	}{
		{"hello", 3, 4, "hel\nlo", 1, 2},
		{"hello", 20, 8, "hello", 0, 5},
		{"1\r\n2\r\n3\r\n4", 10, 2, "3\n4", 1, 1},
		{"1\r\n2", 10, 2, "1\n2", 1, 1},
		{"1\r\n2\r\n3\r\n4\x1b[H", 10, 2, "1\n2", 0, 0},
		{"日本", 3, 4, "日\n本", 1, 2},
		{"x\x1b[?1049h", 5, 2, "", 0, 1},
		{"x", -1, 0, "x", 0, 0},
	} {
		s := New(10, 4)
		s.Show([]byte(test.text))
		s.Resize(test.columns, test.rows)
		row, column := s.cursor.row, s.cursor.column
		if got := shown(s); got != test.want || row != test.row || column != test.column {
			t.Errorf("%q, Resize(%d, %d) shows %q, cursor %d,%d; want %q, %d,%d", test.text, test.columns, test.rows, got, row, column, test.want, test.row, test.column)
		}
	}
	if s := New(1<<30, 1<<30); len(s.Lines()) != maxSide {
		t.Errorf("New(1<<30, 1<<30) has %d rows, want %d", len(s.Lines()), maxSide)
	}
}

// For any input, the screen keeps its size and its rows are text. The result does not depend on the
// way in which the input is split.
func FuzzShow(f *testing.F) {
	for _, test := range slices.Concat(written, waiting, moved, scrolled, edited, switched, parsed) {
		f.Add([]byte(test.text), uint8(3), uint8(10), uint8(4))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut, columns, rows uint8) {
		whole, pieces := New(10, 4), New(10, 4)
		whole.Show(text)
		for piece := range slices.Chunk(text, int(cut)+1) {
			pieces.Show(piece)
		}
		if a, b := whole.Screen(), pieces.Screen(); !reflect.DeepEqual(a, b) {
			t.Fatalf("in one call %+v, in several %+v", a, b)
		}
		checkScreen(t, whole, 10, 4)
		whole.Resize(int(columns), int(rows))
		whole.Show(text)
		checkScreen(t, whole, max(1, int(columns)), max(1, int(rows)))
		whole.Show([]byte("\x18\x1bc"))
		if got, want := whole.Screen(), New(int(columns), int(rows)).Screen(); !reflect.DeepEqual(got, want) {
			t.Fatalf("after a reset the screen is %+v, want %+v", got, want)
		}
	})
}

func checkScreen(t *testing.T, s *Screen, columns, rows int) {
	t.Helper()
	lines := s.Lines()
	row, column := s.cursor.row, s.cursor.column
	if len(lines) != rows || row < 0 || row >= rows || column < 0 || column >= columns {
		t.Fatalf("%d rows, cursor %d,%d on %d by %d", len(lines), row, column, columns, rows)
	}
	inside := func(c cursor) bool { return c.row >= 0 && c.row < rows && c.column >= 0 && c.column < columns }
	if !inside(s.saved) || !inside(s.normalSaved) || s.top < 0 || s.bottom >= rows || s.top > s.bottom || len(s.tabs) != columns {
		t.Fatalf("saved %+v and %+v, region %d to %d, %d tabs on %d by %d", s.saved, s.normalSaved, s.top, s.bottom, len(s.tabs), columns, rows)
	}
	for _, grid := range [][]line{s.grid, s.normal} {
		if grid != nil && len(grid) != rows {
			t.Fatalf("a grid has %d rows, want %d", len(grid), rows)
		}
		for _, line := range grid {
			checkLine(t, line.cells, columns)
		}
	}
	for _, line := range lines {
		if cellsOf(line) > columns || !utf8.ValidString(line) || len(line) > columns*maxText {
			t.Fatalf("a line of %d columns is %q", columns, line)
		}
	}
}

// cellsOf returns how many cells a line takes.
func cellsOf(line string) int {
	n := 0
	for _, r := range line {
		n += widthOf(r)
	}
	return n
}

// checkLine checks that each wide character of a line has two cells.
func checkLine(t *testing.T, line []terminal.Cell, columns int) {
	t.Helper()
	if len(line) != columns {
		t.Fatalf("a line has %d columns, want %d", len(line), columns)
	}
	wide := false
	for i, c := range line {
		if (c.Text == "") != wide {
			t.Fatalf("column %d is %q, after a wide character: %v", i, c.Text, wide)
		}
		r, _ := utf8.DecodeRuneInString(c.Text)
		wide = c.Text != "" && widthOf(r) == 2
	}
	if wide {
		t.Fatalf("the last column has half of a character")
	}
}

func BenchmarkShow(b *testing.B) {
	text := []byte(strings.Repeat("\x1b[1;32mthe quick\x1b[0m brown fox\tjumps over the lazy dog\r\n", 1000))
	s := New(80, 24)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Show(text)
	}
}
