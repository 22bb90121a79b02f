package screen

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"locus/terminal"
)

// Only lines that the screen has wrapped are wrapped again at the new width. The cursor stays on
// its character, so after is shown there.
func TestReflow(t *testing.T) {
	for _, test := range []struct {
		name, text    string
		columns, rows int
		after         string
		want          string
		row, column   int
	}{
		{"narrower", "0123456789abc", 5, 4, "", "01234\n56789\nabc", 2, 3},
		{"wider", "0123456789abc", 20, 4, "", "0123456789abc", 0, 13},
		{"three lines", "0123456789abcdefghijxy", 30, 4, "", "0123456789abcdefghijxy", 0, 22},
		{"lines that end", "0123456789\r\nabc\r\nd", 20, 4, "", "0123456789\nabc\nd", 2, 1},
		{"lines that end, narrower", "0123456\r\nabc", 5, 4, "", "01234\n56\nabc", 2, 3},
		{"blank lines", "a\r\n\r\n0123456", 5, 4, "", "a\n\n01234\n56", 3, 2},
		{"blanks within a line", "a        b c", 5, 4, "", "a\n    b\n c", 2, 2},
		{"blanks at the wrap", "01234567  abc", 20, 4, "", "01234567  abc", 0, 13},
		{"too many rows", "0123456789abcdefghijxy", 5, 4, "", "56789\nabcde\nfghij\nxy", 3, 2},
		{"text below the cursor", "0123456789abc\x1b[1;5H", 3, 4, "X", "3X5\n678\n9ab\nc", 0, 2},

		{"full line", "0123456789", 5, 4, "x", "01234\n56789\nx", 2, 1},
		{"full line, wider", "0123456789", 20, 4, "x", "0123456789x", 0, 11},
		{"full line, higher", "0123456789", 10, 5, "x", "0123456789\nx", 1, 1},
		{"cursor in a blank line", "ab\x1b[3;8H", 5, 4, "X", "ab\n\n    X", 2, 4},
		{"cursor behind the text", "0123456\x1b[1;10H", 5, 4, "X", "01234\n56  X", 1, 4},
		{"saved cursor", "0123456789ab\x1b7\x1b[H", 20, 4, "\x1b8X", "0123456789abX", 0, 13},

		{"wide characters", "日本語日本語", 5, 4, "", "日本\n語日\n本語", 2, 4},
		{"wide character at the wrap", "012345678日", 20, 4, "", "012345678日", 0, 11},
		{"blank before it", "012345678 日", 20, 4, "", "012345678 日", 0, 12},
		{"narrow characters in its place", "012345678日x\x1b[2Habc", 20, 4, "", "012345678 abc", 0, 13},

		{"end erased", "0123456789abc\x1b[1;4H\x1b[K", 20, 4, "", "012\nabc", 0, 3},
		{"written over", "0123456789abc\x1b[H9876543210\r\n", 20, 4, "", "9876543210\nabc", 1, 0},
		{"line erased", "0123456789abc\x1b[2H\x1b[2K", 20, 4, "x", "0123456789\nx", 1, 1},
		{"screen erased", "0123456789abc\x1b[2J\x1b[Hxyz\r\nuvw", 20, 4, "", "xyz\nuvw", 1, 3},
		{"line inserted", "0123456789abc\x1b[2H\x1b[L", 20, 4, "", "0123456789\n\nabc", 1, 0},
		{"line deleted", "0123456789abcdefghijxy\x1b[2H\x1b[M", 20, 4, "", "0123456789\nxy", 1, 0},
		{"characters deleted", "0123456789abc\x1b[H\x1b[P", 20, 4, "", "123456789\nabc", 0, 0},
		{"region scrolled down", "0123456789abc\x1b[2;3r\x1b[2H\x1bM", 20, 4, "", "0123456789\n\nabc", 1, 0},
		{"region scrolled up", "0123456789abcdefghijxy\x1b[2;3r\x1b[3H\n", 20, 4, "", "0123456789\nxy", 2, 0},
		{"line below the region", "\x1b[1;2r\x1b[4H0123456789abc", 20, 4, "", "\n\n\nabc3456789", 3, 3},
		{"filled with E", "0123456789abc\x1b#8", 20, 4, "", strings.Repeat("EEEEEEEEEE\n", 3) + "EEEEEEEEEE", 1, 3},

		{"alternate screen", "\x1b[?1049h\x1b[H0123456789abc", 20, 4, "", "0123456789\nabc", 1, 3},
		{"alternate screen, narrower", "\x1b[?1049h\x1b[H0123456789abc", 5, 4, "", "01234\nabc", 1, 3},
		{"normal screen behind it", "0123456789abc\x1b[?1049h\x1b[H", 5, 4, "\x1b[?1049l$", "01234\n56789\nabc$", 2, 4},
		{"normal screen behind it, wider", "0123456789abc\x1b[?1049h\x1b[H", 20, 4, "\x1b[?1049l$", "0123456789abc$", 0, 14},
	} {
		s := New(10, 4)
		s.Show([]byte(test.text))
		s.Resize(test.columns, test.rows)
		s.Show([]byte(test.after))
		row, column := s.cursor.row, s.cursor.column
		if got := shown(s); got != test.want || row != test.row || column != test.column {
			t.Errorf("%s: %q, Resize(%d, %d), %q shows %q, cursor %d,%d; want %q, %d,%d",
				test.name, test.text, test.columns, test.rows, test.after, got, row, column, test.want, test.row, test.column)
		}
	}
}

// A screen that becomes narrow and wide again has its former text.
func TestReflowBack(t *testing.T) {
	for _, text := range []string{
		"0123456789abcdefghijxy",
		"0123456789\r\nabc",
		"日本語日本語\r\n$ ",
		"\x1b[31mred\x1b[44m on blue \x1b[0mand no more",
	} {
		s := New(10, 8)
		s.Show([]byte(text))
		before := s.Screen()
		for _, columns := range []int{5, 7, 30, 10} {
			s.Resize(columns, 8)
		}
		after := s.Screen()
		if !slices.Equal(after.Lines, before.Lines) || after.Row != before.Row || after.Column != before.Column {
			t.Errorf("%q: the screen has %q, cursor %d,%d; before it was narrow %q, %d,%d",
				text, after.Lines, after.Row, after.Column, before.Lines, before.Row, before.Column)
		}
		if !slices.EqualFunc(after.Cells, before.Cells, slices.Equal) {
			t.Errorf("%q: styles have changed", text)
		}
	}
}

// A line with a background up to the edge of the screen is not wrapped because of the background,
// and has it up to the new edge.
func TestReflowBackground(t *testing.T) {
	blue := terminal.Style{Background: terminal.Palette(4)}
	for _, columns := range []int{5, 20} {
		s := New(10, 4)
		s.Show([]byte("\x1b[44m\x1b[Kbar\x1b[0m\r\n$"))
		s.Resize(columns, 4)
		got := s.Screen()
		for i, c := range got.Cells[0] {
			if c.Style != blue {
				t.Errorf("%d columns: column %d is %+v, want a blue background", columns, i, c)
			}
		}
		if got.Lines[1] != "$" {
			t.Errorf("%d columns: the screen has %q", columns, got.Lines)
		}
	}
}

// A large screen that becomes tiny keeps at most as many lines as any other.
func TestReflowBounds(t *testing.T) {
	const rows = 200
	s := New(maxSide, rows)
	s.Show([]byte(strings.Repeat("x", maxSide*rows)))
	s.Resize(1, 1)
	got := s.history.take()
	if len(got.Lines) != maxScrolledLines || got.Lost+len(got.Lines) != maxSide*rows-1 {
		t.Errorf("%d lines are kept and %d lost, want %d together, %d of them kept", len(got.Lines), got.Lost, maxSide*rows-1, maxScrolledLines)
	}
}

// At any width of two columns or more, the normal screen has the same text, and the cursor is on
// the screen. At the same width the screen is unchanged.
func FuzzReflow(f *testing.F) {
	for _, test := range slices.Concat(written, waiting, moved, scrolled, edited, switched) {
		f.Add([]byte(test.text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, columns uint8) {
		s := New(10, 4)
		s.Show(text)
		s.Show([]byte("\x1b[?47l"))
		before := s.Screen()
		s.Resize(10, 4)
		if after := s.Screen(); !reflect.DeepEqual(after, before) {
			t.Fatalf("at the same size %+v becomes %+v", before, after)
		}
		want := joined(s)
		wide := max(2, int(columns))
		s.Resize(wide, 50)
		checkScreen(t, s, wide, 50)
		if got := joined(s); got != want {
			t.Fatalf("%d columns: the text is %q, want %q", wide, got, want)
		}
	})
}

// joined returns the text of a screen with its wrapped lines joined.
func joined(s *Screen) string {
	var b strings.Builder
	for i, l := range s.grid {
		if i > 0 && !l.continues {
			b.WriteByte('\n')
		}
		for _, c := range textOf(s.grid, i) {
			b.WriteString(c.Text)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, text := range lines {
		lines[i] = strings.TrimRight(text, " ") // those with a background may grow
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
