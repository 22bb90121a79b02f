package screen

import (
	"slices"
	"strings"
	"testing"
)

// After a character in the last column the next one goes to the next line, unless
// the cursor has moved or text has changed in between.
var waiting = []showing{
	{"0123456789\x1b[1mx", "0123456789\nx", 1, 1},
	{"0123456789\x00\x07\x0e\x0fx", "0123456789\nx", 1, 1},
	{"0123456789\x1b[4h\x1b[4l\x1b[?1h\x1b[gx", "0123456789\nx", 1, 1},
	{"0123456789\x1b7\x1b[H\x1b8x", "0123456789\nx", 1, 1},
	{"0123456789\nx", "0123456789\n         x", 1, 9},
	{"0123456789\vx", "0123456789\n         x", 1, 9},
	{"0123456789\fx", "0123456789\n         x", 1, 9},
	{"0123456789\x1bDx", "0123456789\n         x", 1, 9},
	{"0123456789\x1bEx", "0123456789\nx", 1, 1},
	{"\x1b[2H0123456789\x1bMx", "         x\n0123456789", 0, 9},
	{"0123456789\bx", "01234567x9", 0, 9},
	{"0123456789\b\x1b[Cx", "012345678x", 0, 9},
	{"0123456789\tx", "012345678x", 0, 9},
	{"0123456789\x1b[Ax", "012345678x", 0, 9},
	{"0123456789\x1b[Bx", "0123456789\n         x", 1, 9},
	{"0123456789\x1b[Cx", "012345678x", 0, 9},
	{"0123456789\x1b[Jx", "012345678x", 0, 9},
	{"0123456789\x1b[Xx", "012345678x", 0, 9},
	{"0123456789\x1b[Px", "012345678x", 0, 9},
	{"0123456789\x1b[@x", "012345678x", 0, 9},
	{"0123456789\x1b[Lx", "x\n0123456789", 0, 1},
	{"0123456789\x1b[Sx", "         x", 0, 9},
	{"0123456789\x1b[?7lx", "012345678x", 0, 9},
	{"\x1b[?7l012345678日x", "012345678x", 0, 9}, // no room left, and no wrapping
	{"012345678x\x1b[2b", "012345678x\nxx", 1, 2},
	{"01234567x\x1b[by", "01234567xx\ny", 1, 1},
}

var moved = []showing{
	{"\x1b[3;3H\x1b[0A\x1b[0Dx", "\n x", 1, 2}, // 0 means 1
	{"\x1b[;5Hx", "    x", 0, 5},
	{"\x1b[3;Hx", "\n\nx", 2, 1},
	{"\x1b[0;0Hx", "x", 0, 1},
	{"\x1b[2;2fx", "\n x", 1, 2},
	{"\x1b[2e\x1b[3a*\x1b[2`+", "\n\n + *", 2, 2},
	{"ab\x1b[Ec\x1b[Fd", "db\nc", 0, 1},
	{"\x1b[3;3H\x1b[9D\x1b[9Ax", "x", 0, 1},
	{"\x1b[9B\x1b[9Cx", "\n\n\n         x", 3, 9},

	{"\x1b[2;3r\x1b[3H\x1b[9Ax", "\nx", 1, 1}, // up stops at the top of the region
	{"\x1b[2;3r\x1b[2H\x1b[9Ax", "\nx", 1, 1},
	{"\x1b[2;3r\x1b[4H\x1b[9Ax", "\nx", 1, 1}, // also from below the region
	{"\x1b[3;4r\x1b[2H\x1b[9Ax", "x", 0, 1},
	{"\x1b[2;3r\x1b[2H\x1b[9Bx", "\n\nx", 2, 1}, // down stops at the bottom of the region
	{"\x1b[2;3r\x1b[3H\x1b[9Bx", "\n\nx", 2, 1},
	{"\x1b[2;3r\x1b[9Bx", "\n\nx", 2, 1},
	{"\x1b[1;2r\x1b[3H\x1b[9Bx", "\n\n\nx", 3, 1},

	{"\x1b[2;3r\x1b[3;3H\x1b[?6hx", "\nx", 1, 1}, // the origin is the top of the region
	{"\x1b[2;3r\x1b[?6h\x1b[2;2H\x1b[?6lx", "x", 0, 1},
	{"\x1b[2;3r\x1b[?6h\x1b[5G\x1b[2dx", "\n\n    x", 2, 5},
	{"\x1b[2;3r\x1b[?6h\x1b[9dx", "\n\nx", 2, 1},
	{"\x1b[?6h\x1b[2;3rx", "\nx", 1, 1},
	{"\x1b[2;3r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[Hx", "\nx", 1, 1},

	{"ab\x1b8x", "xb", 0, 1}, // nothing was saved
	{"ab\x1b[ux", "xb", 0, 1},
	{"ab\x1b[?1048h\x1b[3;3H\x1b[?1048lx", "abx", 0, 3},
	{"ab\x1b7\x1b[3;3H\x1b[?1049lx", "abx", 0, 3},
	{"ab\x1b[s\x1b[3;3H\x1b[>1ux", "ab\n\n  x", 2, 3}, // a sequence of another protocol

	{"\x1b[99Ix", "         x", 0, 9},
	{"\x1b[5G\x1b[99Zx", "x", 0, 1},
	{"\x1b[3g\x1b[5G\x1b[Zx", "x", 0, 1},
	{"\x1b[3g\x1b[2Ix", "         x", 0, 9},
	{"\x1b[9G\x1b[g\r\tx", "         x", 0, 9},
	{"\x1b[9G\x1b[1g\r\tx", "        x", 0, 9},
	{"\x1b[4G\x1bH\x1b[7G\x1bH\r\x1b[2Ix", "      x", 0, 7},
	{"\x1b[4G\x1bH\x1b[10G\x1b[2Zx", "   x", 0, 4},
}

const lines1234 = "1\r\n2\r\n3\r\n4"

var scrolled = []showing{
	{lines1234 + "\x1b[2;3rx", "x\n2\n3\n4", 0, 1},
	{lines1234 + "\x1b[2;3r\x1b[r\x1b[4H\nx", "2\n3\n4\nx", 3, 1},
	{lines1234 + "\x1b[2;99r\x1b[4H\nx", "1\n3\n4\nx", 3, 1},
	{lines1234 + "\x1b[2;4r\x1b[4H\nx", "1\n3\n4\nx", 3, 1},
	{lines1234 + "\x1b[2r\x1b[4H\nx", "1\n3\n4\nx", 3, 1},
	{lines1234 + "\x1b[2;3r\x1b[1;2r\x1b[2H\nx", "2\nx\n3\n4", 1, 1},
	{lines1234 + "\x1b[3;3rx", "1\n2\n3\n4x", 3, 2}, // a region has at least two lines
	{lines1234 + "\x1b[4;9rx", "1\n2\n3\n4x", 3, 2},
	{lines1234 + "\x1b[5;9rx", "1\n2\n3\n4x", 3, 2},

	{"1\r\n2\x1b[1;2r\x1b[3H\nx", "1\n2\n\nx", 3, 1}, // below the region nothing scrolls
	{"1\r\n2\x1b[1;2r\x1b[4H\nx", "1\n2\n\nx", 3, 1},
	{"1\r\n2\x1b[2;3r\x1b[H\nx", "1\nx", 1, 1},
	{"1\r\n2\x1b[2;3r\x1b[H\x1bMx", "x\n2", 0, 1}, // nor above it
	{"1\r\n2\x1b[3;4r\x1b[2H\x1bMx", "x\n2", 0, 1},
	{"\x1b[3H\x1bMx", "\nx", 1, 1},

	{lines1234 + "\x1b[2;3r\x1b[2;3H\x1b[Mx", "1\nx\n\n4", 1, 1}, // only the region changes
	{lines1234 + "\x1b[2;3r\x1b[2;3H\x1b[Lx", "1\nx\n2\n4", 1, 1},
	{lines1234 + "\x1b[2;3r\x1b[3;3H\x1b[Lx", "1\n2\nx\n4", 2, 1},
	{lines1234 + "\x1b[2;3r\x1b[3;3H\x1b[Mx", "1\n2\nx\n4", 2, 1},
	{lines1234 + "\x1b[2;3r\x1b[1;3H\x1b[Lx", "1 x\n2\n3\n4", 0, 3},
	{lines1234 + "\x1b[2;3r\x1b[4;3H\x1b[Mx", "1\n2\n3\n4 x", 3, 3},
	{lines1234 + "\x1b[3H\x1b[99M", "1\n2", 2, 0},
	{lines1234 + "\x1b[3H\x1b[99L", "1\n2", 2, 0},
	{lines1234 + "\x1b[2;3r\x1b[S", "1\n3\n\n4", 0, 0},
	{lines1234 + "\x1b[2;3r\x1b[T", "1\n\n2\n4", 0, 0},
	{lines1234 + "\x1b[2;3r\x1b[99T", "1\n\n\n4", 0, 0},
	{lines1234 + "\x1b[2S", "3\n4", 3, 1},
	{lines1234 + "\x1b[2T", "\n\n1\n2", 3, 1},

	{"0123456789\x1b[4;1Hx\x1b[45b", strings.Repeat("xxxxxxxxxx\n", 3) + "x", 3, 1}, // limited to the line
	{"x\x1b[45b", strings.Repeat("xxxxxxxxxx\n", 3) + "x", 3, 1},
	{"x\x1b[40b", strings.Repeat("xxxxxxxxxx\n", 3) + "x", 3, 1},
	{"x\x1b[39b", strings.Repeat("xxxxxxxxxx\n", 3) + "xxxxxxxxxx", 3, 9},
	{"日\x1b[b", "日日", 0, 4},
	{"e\u0301\x1b[b", "e\u0301e", 0, 2},
}

var edited = []showing{
	{lines1234 + "\x1b[2H\x1b[3J", "", 1, 0},
	{lines1234 + "\x1b[2H\x1b[4J", "1\n2\n3\n4", 1, 0},
	{lines1234 + "\x1b[2H\x1b[J", "1", 1, 0},
	{lines1234 + "\x1b[3H\x1b[1J", "\n\n\n4", 2, 0},
	{lines1234 + "\x1b[H\x1b[3K", "1\n2\n3\n4", 0, 0},
	{"0123456789\x1b[5G\x1b[@", "0123 45678", 0, 4},
	{"0123456789\x1b[5G\x1b[6@", "0123", 0, 4},
	{"0123456789\x1b[5G\x1b[99@", "0123", 0, 4},
	{"0123456789\x1b[5G\x1b[5P", "01239", 0, 4},
	{"0123456789\x1b[5G\x1b[99P", "0123", 0, 4},
	{"0123456789\x1b[10G\x1b[X", "012345678", 0, 9},
	{"0123456789\x1b[10G\x1b[9X", "012345678", 0, 9},
	{"0123456789\x1b[G\x1b[10X", "", 0, 0},

	{"日本\x1b[H\x1b[X", "  本", 0, 0}, // half of a wide character becomes blank
	{"日本\x1b[2G\x1b[X", "  本", 0, 1},
	{"日本\x1b[H\x1b[2X", "  本", 0, 0},
	{"日本\x1b[H\x1b[3X", "", 0, 0},
	{"日本\x1b[H\x1b[P", " 本", 0, 0},
	{"日本\x1b[H\x1b[2P", "本", 0, 0},
	{"日本\x1b[H\x1b[3P", "", 0, 0},
	{"日本\x1b[3G\x1b[1K", "", 0, 2},
	{"日本\x1b[3G\x1b[K", "日", 0, 2},
	{"日本\x1b[4G\x1b[K", "日", 0, 3},
	{"日y\rx", "x y", 0, 1},
	{"日本\x1b[2Gx", " x本", 0, 2},
	{"a日b\r本", "本 b", 0, 2},
	{"01234567日\x1b[H\x1b[2@", "  01234567", 0, 0},
	{"01234567日\x1b[H\x1b[@", " 01234567", 0, 0},
	{"abc\r\x1b[4h日", "日abc", 0, 2},
	{"01234567日\x1b[G\x1b[4hx", "x01234567", 0, 1},

	{"日\u0301x", "日\u0301x", 0, 3},
	{"0123456789\u0301x", "0123456789\u0301\nx", 1, 1},
	{"01234567日\u0301", "01234567日\u0301", 0, 9},
	{"\x1b[5G\u0301x", "    \u0301x", 0, 5},
	{"a\r\u0301x", "x", 0, 1},
	{"e" + strings.Repeat("\u0301", 6) + "x", "e" + strings.Repeat("\u0301", 5) + "x", 0, 2},
	{"\U00010348" + strings.Repeat("\u0301", 5) + "x", "\U00010348" + strings.Repeat("\u0301", 4) + "x", 0, 2},
	{"e" + strings.Repeat("\u0301", 5) + "\u20d0\U000e0100x", "e" + strings.Repeat("\u0301", 5) + "x", 0, 2},
}

var switched = []showing{
	{"\x1b[20hab\ncd\x1b[20lef\ngh", "ab\ncdef\n    gh", 2, 6},
	{"\x1b[4;20hab\ncd\rx", "ab\nxcd", 1, 1},
	{"\x1b[?6;7l0123456789x", "012345678x", 0, 9},
	{"\x1b[?7l\x1b[?7h0123456789x", "0123456789\nx", 1, 1},
	{"\x1b[2;3r\x1b[?6h\x1b[4h\x1b[20h\x1b(0\x1b[3g\x1b[?7l\x1bc\tq\rx\ny", "x       q\n y", 1, 2},

	{"\x1b(0q\x1b(Bq\x1b(0q\x1b(Aq", "─q─q", 0, 4},
	{"\x1b)0\x0eq\x1b)Bq\x0f", "─q", 0, 2},
	{"\x1b*0\x1b+0q\x0eq", "qq", 0, 2},
	{"\x1b(0\x1b7\x1b(B\x1b8q", "─", 0, 1},
	{"\x1b(0é日", "é日", 0, 3},
	{"q\x1b(0\x1b[2bq", "qqq─", 0, 4}, // repeats the character, not its code
	{"\x1b(0q\x1b(B\x1b[2bq", "───q", 0, 4},

	{"ab\x1b#8", "EEEEEEEEEE\nEEEEEEEEEE\nEEEEEEEEEE\nEEEEEEEEEE", 0, 2},
	{"\x1b#3x", "x", 0, 1},

	{"a\x1b[?47h\x1b[?47hb\x1b[?47l", "a", 0, 2},
	{"a\x1b[?47lx", "ax", 0, 2},
	{"a\x1b[?47hb\x1b[?47l\x1b[?47h", "", 0, 2},
	{"a\x1b[?1047hb\x1b[?1047lc", "a c", 0, 3},
	{"shell\x1b[?1049hvi", "     vi", 0, 7},
	{"shell\x1b[?1049h\x1b[3;3H\x1b7\x1b[?1049l$", "shell$", 0, 6}, // each screen has its own saved cursor
	{"ab\x1b7\x1b[?47h\x1b[3;3H\x1b7\x1b[?47l\x1b8c", "abc", 0, 3},
	{"ab\x1b7\x1b[?47h\x1b8c", "c", 0, 1},
}

// DEC's line drawing replaces every character from "_" to "~".
func TestLineDrawing(t *testing.T) {
	var ascii strings.Builder
	for b := byte(' '); b < 0x7F; b++ {
		ascii.WriteByte(b)
	}
	s := New(100, 1)
	s.Show([]byte("\x1b(0" + ascii.String() + "\x1b(B|"))
	want := " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^ ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·|"
	if got := shown(s); got != want {
		t.Errorf("line drawing shows %q, want %q", got, want)
	}
}

// A character that is too wide for the screen is skipped.
func TestNarrow(t *testing.T) {
	for _, test := range []struct {
		columns, rows int
		text          string
		want          []string
	}{
		{1, 3, "a日b", []string{"a", "b", ""}},
		{1, 3, "日", []string{"", "", ""}},
		{1, 3, "a\u0301\tb", []string{"b", "", ""}},
		{1, 2, "\x1b[2Ia\x1b[2Zb\x1b[@c\x1b[P", []string{"", ""}},
		{1, 2, "\x1b[?7lab", []string{"b", ""}},
		{1, 1, "ab", []string{"b"}},
		{1, 1, "a\x1b[2;3r\x1b[L\x1b[M\x1b[S\x1b[T\x1bMb", []string{"b"}},
		{2, 2, "日本語", []string{"本", "語"}},
		{2, 2, "日\x1b[2G本", []string{"日", "本"}},
		{2, 2, "a日", []string{"a", "日"}},
	} {
		s := New(test.columns, test.rows)
		s.Show([]byte(test.text))
		if got := s.Lines(); !slices.Equal(got, test.want) {
			t.Errorf("%d by %d, Show(%q) shows %q, want %q", test.columns, test.rows, test.text, got, test.want)
		}
	}
}

// Modes and the saved cursor are kept as far as possible.
func TestResizeKeeps(t *testing.T) {
	for _, test := range []struct {
		before        string
		columns, rows int
		after         string
		want          string
		row, column   int
	}{
		{"0123456789", 20, 4, "x", "0123456789x", 0, 11}, // the line is longer now
		{"0123456789", 5, 4, "x", "01234\n56789\nx", 2, 1},
		{"0123456789\x1b7\x1b[H", 20, 4, "\x1b8x", "0123456789x", 0, 11},
		{"\x1b[4;10H\x1b7\x1b[H", 5, 2, "\x1b8x", "\n    x", 1, 4},
		{"\x1b[2;3H\x1b7\x1b[H", 5, 3, "\x1b8x", "\n  x", 1, 3},
		{"\x1b[2;3H\x1b7\x1b[H", 3, 2, "\x1b8x", "\n  x", 1, 2},
		{"main\x1b7\x1b[?47h\x1b[Halt", 3, 2, "\x1b[?47l\x1b8x", "mai\nnx", 1, 2},
		{"\x1b[4;10H\x1b[?1049h\x1b[H", 5, 2, "\x1b[?1049lx", "\n    x", 1, 4},
		{"0123456789\x1b[?1049h\x1b[H", 20, 4, "\x1b[?1049lx", "0123456789x", 0, 11},
		{"main\x1b[?47h\x1b[Halt", 3, 2, "", "alt", 0, 2},
		{lines1234 + "\x1b[2;3r", 10, 4, "\x1b[4H\nx", "2\n3\n4\nx", 3, 1}, // the region is reset
		{lines1234 + "\x1b[2;3r\x1b[H", 10, 2, "\x1b[2H\nx", "2\nx", 1, 1},
		{"\x1b[4G\x1bH\x1b[9G\x1b[g\r", 20, 4, "\tx\ty", "   x            y", 0, 17}, // tab stops are kept, and new ones are added
		{"\x1b[3g", 5, 4, "\tx", "    x", 0, 4},
		{"\x1b[1;31m\x1b(0\x1b[4hx\r", 20, 4, "q", "─│", 0, 1},
	} {
		s := New(10, 4)
		s.Show([]byte(test.before))
		s.Resize(test.columns, test.rows)
		s.Show([]byte(test.after))
		row, column := s.cursor.row, s.cursor.column
		if got := shown(s); got != test.want || row != test.row || column != test.column {
			t.Errorf("%q, Resize(%d, %d), %q shows %q, cursor %d,%d; want %q, %d,%d",
				test.before, test.columns, test.rows, test.after, got, row, column, test.want, test.row, test.column)
		}
	}
}

// Columns and rows are limited to 1 to maxSide.
func TestSides(t *testing.T) {
	for _, test := range []struct{ columns, rows, wantColumns, wantRows int }{
		{0, 0, 1, 1},
		{-5, 3, 1, 3},
		{3, -5, 3, 1},
		{1, 1, 1, 1},
		{maxSide, 2, maxSide, 2},
		{maxSide + 1, 2, maxSide, 2},
		{2, maxSide + 1, 2, maxSide},
	} {
		fresh, resized := New(test.columns, test.rows), New(10, 4)
		resized.Resize(test.columns, test.rows)
		for _, s := range []*Screen{fresh, resized} {
			got := s.Screen()
			if len(got.Cells) != test.wantRows || len(got.Lines) != test.wantRows || len(got.Cells[0]) != test.wantColumns || got.Alternate {
				t.Errorf("New(%d, %d) is %d by %d, alternate %v, want %d by %d", test.columns, test.rows, len(got.Cells[0]), len(got.Cells), got.Alternate, test.wantColumns, test.wantRows)
			}
		}
	}
}
