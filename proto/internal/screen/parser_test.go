package screen

import (
	"strings"
	"testing"

	"locus/terminal"
)

var parsed = []showing{
	{"a b~", "a b~", 0, 4},
	{"a\x7fb\x1fc", "abc", 0, 3},

	{"\u0080\u009fx", "x", 0, 1}, // C1 controls are not text
	{"\u00a0x", "\u00a0x", 0, 2},
	{"\x80x", "\uFFFDx", 0, 2},
	{"\x9bAx", "\uFFFDAx", 0, 3},
	{"\uFFFDx", "\uFFFDx", 0, 2},
	{"\xe2\x82x", "\uFFFDx", 0, 2}, // an incomplete character is one U+FFFD
	{"\xf0\x9f\x98\x1b[1mx", "\uFFFDx", 0, 2},
	{"\xe2\x82\xe2\x82\xac", "\uFFFD€", 0, 2},
	{"\xc3\x18\xa9", "\uFFFD\uFFFD", 0, 2},
	{"\xe0\x80\x80x", "\uFFFD\uFFFD\uFFFDx", 0, 4}, // overlong: no byte starts a character
	{"\xc0\xafx", "\uFFFD\uFFFDx", 0, 3},
	{"\xed\xa0\x80x", "\uFFFD\uFFFD\uFFFDx", 0, 4},           // a surrogate
	{"\xf4\x90\x80\x80x", "\uFFFD\uFFFD\uFFFD\uFFFDx", 0, 5}, // past U+10FFFF
	{"gr\xfc\xdfe", "gr\uFFFD\uFFFDe", 0, 5},                 // ISO 8859-1

	{"ab\x1b\nDx", "ab\n\n  x", 2, 3}, // a control within a sequence is performed
	{"ab\x1b(\n0q", "ab\n  ─", 1, 3},
	{"ab\x1b[\r3Cx", "ab x", 0, 4},
	{"a\x1b\x7fDx", "a\n x", 1, 2}, // DEL is ignored
	{"\x1b[2\x7f;3Hx", "\n  x", 1, 3},
	{"\x1b(\x7f0q", "─", 0, 1},
	{"\x1bé", "é", 0, 1}, // an invalid byte ends a sequence
	{"\x1b\x80x", "\uFFFDx", 0, 2},
	{"\x1b(é0", "é0", 0, 2},
	{"\x1b[2é;3Hx", "\n  x", 1, 3},
	{"\x1b\x18x", "x", 0, 1},
	{"\x1b\x1ax", "x", 0, 1},
	{"\x1b[2\x1ax", "x", 0, 1},
	{"\x1b[2;3\x1b[3;2Hx", "\n\n x", 2, 2},
	{"\x1b\x1b[2Hx", "\nx", 1, 1},
	{"\x1b(\x1bDx", "\nx", 1, 1},
	{"\x1b( 0q", "q", 0, 1},
	{"\x1b=\x1b>\x1bZ\x1b~x", "x", 0, 1},

	{"\x1bPdcs\x1b\\x", "x", 0, 1},
	{"\x1bXsos\x1b\\x", "x", 0, 1},
	{"\x1b^pm\x1b\\x", "x", 0, 1},
	{"\x1b_apc\x1b\\x", "x", 0, 1},
	{"\x1b]0;a\x18x", "x", 0, 1},
	{"\x1b]0;a\x1ax", "x", 0, 1},
	{"\x1b]0;a\nb\tc\rd\x0e\x07x", "x", 0, 1}, // no control is performed
	{"\x1b]0;\u65e5\u009c\xff\x07x", "x", 0, 1},
	{"\x1b]a\x1b]b\x07x", "x", 0, 1},
	{"\x1b]a\x1b\x1b\\x", "x", 0, 1},
	{"\x1b]a\x1b(0q", "─", 0, 1},
	{"\x1b]a\x1b[3Cx", "   x", 0, 4},
	{"\x1b(\x1b]a\x07q", "q", 0, 1},
	{"\x1b]" + strings.Repeat("long", 5000) + "\x07x", "x", 0, 1},

	{"abc\r\x1b[1 Px", "xbc", 0, 1}, // other sequences
	{"abc\r\x1b[1$Px", "xbc", 0, 1},
	{"abc\r\x1b[?Px", "xbc", 0, 1},
	{"abc\r\x1b[<1Px", "xbc", 0, 1},
	{"abc\r\x1b[1 2Px", "xbc", 0, 1},
	{"0123456789\x1b[?7rx", "0123456789\nx", 1, 1},
	{"\x1b[?7l\x1b[?7s0123456789x", "012345678x", 0, 9},
	{"0123456789\x1b[>7lx", "0123456789\nx", 1, 1},
	{"0123456789\x1b[?7 lx", "0123456789\nx", 1, 1},
	{"0123456789\x1b[0?7lx", "0123456789\nx", 1, 1}, // a private marker that is not first
	{"0123456789\x1b[;?7lx", "0123456789\nx", 1, 1},
	{"0123456789\x1b[>?7lx", "0123456789\nx", 1, 1},
	{"0123456789\x1b[ ?7lx", "0123456789\nx", 1, 1},
	{"0123456789\x1b[?>7lx", "0123456789\nx", 1, 1},
	{"\x1b[?7l\x1b[Hab", "ab", 0, 2}, // does not affect the next sequence
	{"\x1b[1 P\x1b[3Cx", "   x", 0, 4},

	{"\x1b[002;003Hx", "\n  x", 1, 3},
	{"\x1b[9999Cx", "         x", 0, 9},
	{"\x1b[10000Cx", "         x", 0, 9},
	{"\x1b[18446744073709551618Cx", "         x", 0, 9}, // 2 of 64 bits
	{"\x1b[4294967298Cx", "         x", 0, 9},
	{"\x1b[2;3;4;5Hx", "\n  x", 1, 3},
	{"\x1b[2:3Hx", "\n  x", 1, 3},
}

// A sequence has at most maxParameters. Further parameters are ignored and not
// stored.
func TestParameters(t *testing.T) {
	bold := terminal.Style{Bold: true}
	for _, test := range []struct {
		text string
		want terminal.Style
	}{
		{"\x1b[" + strings.Repeat(";", maxParameters-1) + "1mx", bold},
		{"\x1b[" + strings.Repeat(";", maxParameters) + "1mx", terminal.Style{}},
		{"\x1b[" + strings.Repeat(";", maxParameters-1) + "1;2mx", bold},
		{"\x1b[" + strings.Repeat(";", maxParameters-1) + "1;2;3mx", bold},
		{"\x1b[" + strings.Repeat(";", maxParameters-1) + "1:2mx", bold},
		{"\x1b[" + strings.Repeat("0:", maxParameters-2) + "0;1mx", bold},
		{"\x1b[" + strings.Repeat("0:", maxParameters-1) + "1mx", terminal.Style{}},
		{"\x1b[" + strings.Repeat("0:", maxParameters) + "1;1mx", terminal.Style{}},
		{"\x1b[" + strings.Repeat("7;", 10000) + "mx", terminal.Style{Reverse: true}},
	} {
		s := New(4, 1)
		s.Show([]byte(test.text))
		if got := s.grid[0].cells[0]; got != (terminal.Cell{Text: "x", Style: test.want}) {
			t.Errorf("%q shows %+v, want %+v", test.text, got, test.want)
		}
		if kept := cap(s.parameters); kept > 2*maxParameters {
			t.Errorf("%q: the capacity is %d parameters, want at most %d", test.text, kept, 2*maxParameters)
		}
	}
}
