package screen

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"locus/terminal"
)

// texts returns the text of lines, with "|" between two of them, or "+" if the second one
// continues the first.
func texts(lines []terminal.Line) string {
	var b strings.Builder
	for i, line := range lines {
		switch {
		case line.Continues:
			b.WriteByte('+')
		case i > 0:
			b.WriteByte('|')
		}
		for _, c := range line.Cells {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// Only lines that leave the screen at its top are kept.
func TestScrolled(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		erased           bool
	}{
		{"nothing left", lines1234, "", false},
		{"line feeds", lines1234 + "\r\n5\r\n6", "1|2", false},
		{"a blank line", "\r\n2\r\n3\r\n4\r\n5", "", false},
		{"index", lines1234 + "\x1bD", "1", false},
		{"long lines", "0123456789abcdefghij0123456789abcdefghijX", "0123456789", false},
		{"very long line", "0123456789  cd    ij" + lines1234 + "\r\n5\r\n6", "0123456789+  cd    ij+1|2", false},
		{"wrapped line that ends", "0123456789ab\x1b[H\x1b[K\x1b[2H" + lines1234 + "\r\n5", "|1b", false},
		{"scroll up", lines1234 + "\x1b[2S", "1|2", false},
		{"scroll up far", lines1234 + "\x1b[999S", "1|2|3|4", false},
		{"scroll down", lines1234 + "\x1b[2T", "", false},
		{"region at the top", lines1234 + "\x1b[1;2r\x1b[2H\n", "1", false},
		{"region below the top", lines1234 + "\x1b[2;3r\x1b[3H\n\n", "", false},
		{"deleted lines", lines1234 + "\x1b[H\x1b[2M", "", false},
		{"reverse line feed", lines1234 + "\x1b[H\x1bM", "", false},
		{"alternate screen", lines1234 + "\x1b[?1049h\n\n\n\n\x1b[?1049l", "", false},
		{"after the alternate screen", "\x1b[?1049h\x1b[?1049l" + lines1234 + "\n", "1", false},
		{"screen erased", lines1234 + "\r\n\x1b[2J", "1", false},
		{"all erased", lines1234 + "\r\n\x1b[3J", "", true},
		{"erased and more", lines1234 + "\r\n\x1b[3J\x1b[4Hx\r\n\n\n\n", "|||x", true},
		{"wide", "日本\x1b[4H\n", "日本", false},
		{"wide at the end", "012345678日\x1b[4H\n\n", "012345678+日", false},
	} {
		s := NewShared()
		s.SetSize(10, 4)
		s.Show([]byte(test.text))
		got := s.TakeScrolled()
		if texts(got.Lines) != test.want || got.Erased != test.erased || got.Lost != 0 {
			t.Errorf("%s: Show(%q) scrolled %q, erased %v, lost %d, want %q, %v", test.name, test.text, texts(got.Lines), got.Erased, got.Lost, test.want, test.erased)
		}
		if again := s.TakeScrolled(); again.Lines != nil || again.Erased {
			t.Errorf("%s: %q is taken twice", test.name, texts(again.Lines))
		}
	}
}

// A line that leaves in parts, at several sizes and calls, continues.
func TestScrolledInParts(t *testing.T) {
	s := NewShared()
	s.SetSize(10, 4)
	s.Show([]byte("0123456789abcdefghijxy\r\n2\r\n3"))
	first := s.TakeScrolled().Lines
	s.SetSize(5, 4)
	second := s.TakeScrolled().Lines
	s.Show([]byte("\x1b[4H\n"))
	third := s.TakeScrolled().Lines
	if got := texts(first) + " " + texts(second) + " " + texts(third); got != "0123456789 +abcde +fghij" {
		t.Errorf("scrolled %q", got)
	}
}

// Rows that a smaller screen loses at its top are kept.
func TestScrolledByResize(t *testing.T) {
	s := NewShared()
	s.SetSize(10, 4)
	s.Show([]byte(lines1234))
	s.SetSize(10, 2)
	if got := texts(s.TakeScrolled().Lines); got != "1|2" {
		t.Errorf("Resize lost %q, want 1|2", got)
	}
}

// The lines that are not taken are bounded in number and in bytes. The newest are kept.
func TestScrolledBounds(t *testing.T) {
	if line, cell := reflect.TypeFor[terminal.Line]().Size(), reflect.TypeFor[terminal.Cell]().Size(); line > lineSize || cell > cellSize {
		t.Errorf("a line has %d bytes and a cell %d, want at most %d and %d", line, cell, lineSize, cellSize)
	}
	for _, test := range []struct {
		name  string
		line  string // written again and again
		lines int
		most  int // lines that may stay
	}{
		{"many lines", "", 3 * maxScrolledLines, maxScrolledLines},
		{"long lines", strings.Repeat("x", maxSide), 1500, maxScrolledBytes / (32 * maxSide)},
		{"long characters", strings.Repeat("e\u0301\u0301\u0301\u0301", maxSide), 200, maxScrolledBytes / (40 * maxSide)},
	} {
		s := New(maxSide, 2)
		for i := range test.lines {
			s.Show([]byte(test.line + fmt.Sprintf("\r%d\r\n", i)))
		}
		bytes := 0
		for _, line := range s.history.Lines {
			bytes += memoryOf(line)
		}
		if bytes > maxScrolledBytes || bytes != s.history.bytes || len(s.history.Lines) > test.most {
			t.Errorf("%s: %d lines of %d bytes (counted %d) are kept, want at most %d lines and %d bytes", test.name, len(s.history.Lines), bytes, s.history.bytes, test.most, maxScrolledBytes)
		}
		got := s.history.take()
		if got.Lost+len(got.Lines) != test.lines-1 {
			t.Errorf("%s: %d lost and %d kept, want %d together", test.name, got.Lost, len(got.Lines), test.lines-1)
		}
		if last := texts(got.Lines[len(got.Lines)-1:]); !strings.HasPrefix(last, fmt.Sprint(test.lines-2)) {
			t.Errorf("%s: the newest line is %.20q", test.name, last)
		}
	}
}
