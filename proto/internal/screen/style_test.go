package screen

import (
	"strings"
	"testing"

	"locus/terminal"
)

func TestStyles(t *testing.T) {
	red, blue := terminal.Palette(1), terminal.Palette(4)
	for _, test := range []struct {
		text string // the test checks its last character
		want terminal.Style
	}{
		{"x", terminal.Style{}},
		{"\x1b[1;4;7mx", terminal.Style{Bold: true, Underline: true, Reverse: true}},
		{"\x1b[2;3;5;8;9mx", terminal.Style{Faint: true, Italic: true, Blink: true, Conceal: true, Strike: true}},
		{"\x1b[1;2;3;4;5;7;8;9;22;23;24;25;27;28;29mx", terminal.Style{}},
		{"\x1b[1m\x1b[mx", terminal.Style{}},
		{"\x1b[1;;31mx", terminal.Style{Foreground: red}},
		{"\x1b[31;44mx", terminal.Style{Foreground: red, Background: blue}},
		{"\x1b[31;44;39mx", terminal.Style{Background: blue}},
		{"\x1b[31;44;49mx", terminal.Style{Foreground: red}},
		{"\x1b[91;104mx", terminal.Style{Foreground: terminal.Palette(9), Background: terminal.Palette(12)}},
		{"\x1b[38;5;208;1mx", terminal.Style{Foreground: terminal.Palette(208), Bold: true}},
		{"\x1b[48;2;1;2;3;4mx", terminal.Style{Background: terminal.RGB(1, 2, 3), Underline: true}},
		{"\x1b[38:5:208;1mx", terminal.Style{Foreground: terminal.Palette(208), Bold: true}},
		{"\x1b[38:2:1:2:3;1mx", terminal.Style{Foreground: terminal.RGB(1, 2, 3), Bold: true}},
		{"\x1b[38:2::1:2:3;1mx", terminal.Style{Foreground: terminal.RGB(1, 2, 3), Bold: true}},
		{"\x1b[4:3mx", terminal.Style{Underline: true}},
		{"\x1b[4;4:0mx", terminal.Style{}},
		{"\x1b[31;38;5;256;1mx", terminal.Style{Foreground: red}}, // after an invalid colour the rest is ignored
		{"\x1b[38mx", terminal.Style{}},
		{"\x1b[38;5mx", terminal.Style{}},
		{"\x1b[58:5:1;31mx", terminal.Style{Foreground: red}}, // the underline colour is ignored
		{"\x1b[58;5;1;31mx", terminal.Style{Foreground: red}},
		{"\x1b[58;2;1;3;7;31mx", terminal.Style{Foreground: red}},
		{"\x1b[58;2;1mx", terminal.Style{}},
		{"\x1b[59;31mx", terminal.Style{Foreground: red}},
		{"\x1b[44;38;5mx", terminal.Style{Background: blue}}, // an invalid colour changes nothing
		{"\x1b[31;48;5;256mx", terminal.Style{Foreground: red}},
		{"\x1b[44;38:5:256;1mx", terminal.Style{Background: blue, Bold: true}},
		{"\x1b[38;3;1;2;3mx", terminal.Style{}},
		{"\x1b[38;2;256;2;3mx", terminal.Style{}},
		{"\x1b[38;2;1;256;3mx", terminal.Style{}},
		{"\x1b[38;2;1;2;256mx", terminal.Style{}},
		{"\x1b[38;2;255;255;255mx", terminal.Style{Foreground: terminal.RGB(255, 255, 255)}},
		{"\x1b[38;2;0;0;0mx", terminal.Style{Foreground: terminal.RGB(0, 0, 0)}},
		{"\x1b[38;5;0mx", terminal.Style{Foreground: terminal.Palette(0)}},
		{"\x1b[38;5;255mx", terminal.Style{Foreground: terminal.Palette(255)}},
		{"\x1b[38;2;1;2mx", terminal.Style{}},
		{"\x1b[38:2:1:2;1mx", terminal.Style{Bold: true}},
		{"\x1b[38:2:9:1:2:3:0:1mx", terminal.Style{Foreground: terminal.RGB(1, 2, 3)}},
		{"\x1b[38:5:208:1:2:3mx", terminal.Style{Foreground: terminal.Palette(208)}},
		{"\x1b[38:;1mx", terminal.Style{Bold: true}},
		{"\x1b[38:5;208;1mx", terminal.Style{Bold: true}},
		{"\x1b[38;5;31;48;5;44mx", terminal.Style{Foreground: terminal.Palette(31), Background: terminal.Palette(44)}},
		{"\x1b[1:4mx", terminal.Style{Bold: true}}, // a joined parameter has no meaning of its own
		{"\x1b[1m\x1b[:4mx", terminal.Style{}},
		{"\x1b[4mx\x1b[4:mx", terminal.Style{}},
		{"\x1b[21mx", terminal.Style{Underline: true}},
		{"\x1b[6mx", terminal.Style{Blink: true}},
		{"\x1b[30;40mx", terminal.Style{Foreground: terminal.Palette(0), Background: terminal.Palette(0)}}, // the ends of each range
		{"\x1b[37;47mx", terminal.Style{Foreground: terminal.Palette(7), Background: terminal.Palette(7)}},
		{"\x1b[90;100mx", terminal.Style{Foreground: terminal.Palette(8), Background: terminal.Palette(8)}},
		{"\x1b[97;107mx", terminal.Style{Foreground: terminal.Palette(15), Background: terminal.Palette(15)}},
		{"\x1b[10;26;50;89;98;99;108;109mx", terminal.Style{}},
		{"\x1b[>1mx", terminal.Style{}},
		{"\x1b[31m\x1b7\x1b[0m\x1b8x", terminal.Style{Foreground: red}},
		{"\x1b[31m\x1bcx", terminal.Style{}},
	} {
		s := New(80, 2)
		s.Show([]byte(test.text))
		shown := s.Screen()
		if got := shown.Cells[0][shown.Column-1]; got != (terminal.Cell{Text: "x", Style: test.want}) {
			t.Errorf("%q shows %+v, want %+v", test.text, got, test.want)
		}
	}
}

// Erased cells have only the current background.
func TestErasedBackground(t *testing.T) {
	blue := terminal.Cell{Text: " ", Style: terminal.Style{Background: terminal.Palette(4)}}
	for _, text := range []string{"\x1b[44;1m\x1b[2J", "\x1b[44;4m\x1b[K", "\x1b[44m\x1b[99X", "\x1b[44m\x1b[L", "\x1b[44m\x1b[99@", "\x1b[44m\x1b[99P", "\x1b[44m\x1b[99S"} {
		s := New(4, 2)
		s.Show([]byte("abcd\x1b[H" + text))
		for column, c := range s.Screen().Cells[0] {
			if c != blue {
				t.Errorf("%q: column %d shows %+v, want %+v", text, column, c, blue)
			}
		}
	}
}

// Cells have these styles: r and b are red and blue characters, R and B are blanks with
// a red or blue background, "." is a blank without a style.
func TestStyledCells(t *testing.T) {
	const red, blue, none = "\x1b[0;31;41m", "\x1b[0;34;44m", "\x1b[0m"
	for _, test := range []struct{ text, want string }{
		{red + "x" + blue + "x", "rb..|...."},
		{red + "xxxx" + blue + "x", "rrrr|b..."},                              // wraps
		{red + "xx" + blue + "\r\x1b[@", "Brr.|...."},                         // new cells have the current style, others keep theirs
		{red + "xxxx" + blue + "\r\x1b[2P", "rrBB|...."},                      //
		{red + "xxxx" + blue + "\x1b[2G\x1b[2X", "rBBr|...."},                 //
		{red + "xxxx" + blue + "\x1b[2G\x1b[K", "rBBB|...."},                  //
		{red + "xxxx" + blue + "\x1b[2G\x1b[1K", "BBrr|...."},                 //
		{red + "xxxx" + blue + "\x1b[2G\x1b[J", "rBBB|BBBB"},                  //
		{red + "xxxxxxxx" + blue + "\x1b[2G\x1b[1J", "BBBB|BBrr"},             //
		{red + "xxxx" + blue + "\x1b[2J" + none, "BBBB|BBBB"},                 //
		{red + "xxxx" + blue + "\n\n", "....|BBBB"},                           // scrolled in
		{red + "xxxx\r\nxxxx" + blue + "\n", "rrrr|BBBB"},                     //
		{red + "xxxx\r\nxxxx" + blue + "\x1b[T", "BBBB|rrrr"},                 //
		{red + "xxxx" + blue + "\x1b[H\x1bM", "BBBB|rrrr"},                    //
		{red + "xxxx" + blue + "\x1b[H\x1b[L", "BBBB|rrrr"},                   //
		{red + "xxxx\r\nxxxx" + blue + "\x1b[H\x1b[M", "rrrr|BBBB"},           //
		{red + "xxx" + blue + "\r\x1b[4hx", "brrr|...."},                      //
		{red + "x" + blue + "\x1b[2b", "rbb.|...."},                           // repeated with the current style
		{red + "x" + blue + "\u0301", "r...|...."},                            // a combining mark keeps the style
		{red + "x\x1b7" + blue + "x\x1b8x", "rr..|...."},                      // the saved cursor has a style
		{red + "xx" + blue + "\x1b#8", "....|...."},                           // without a style
		{red + "xx" + blue + "\x1b[?47h\x1b[Hx", "b...|...."},                 // the alternate screen has its own cells
		{red + "xx" + blue + "\x1b[?47h\x1b[Hx\x1b[?47l", "rr..|...."},        //
		{red + "xx" + blue + "\x1b[?1049h\x1b[?1049l\x1b[Cx", "rr.b|...."},    // 1049 restores the cursor
		{red + "xx\x1b[?1049h" + blue + "\x1b[?1049lx", "rrr.|...."},          //
		{red + "\u65e5" + blue + "\x1b[2Gx", "rb..|...."},                     // the remaining half of a wide character keeps its style
		{red + "xxx" + blue + "\u65e5", "rrr.|bb.."},                          // both halves
		{red + "x" + none + "\x1b[2Cx" + blue + "\x1b[3G\x1b[X", "r.B.|...."}, //
		{"\x1b[1;31mx\x1b[22mx\x1b[39mx", "rr..|...."},                        //
		{red + "\x1b[?6h\x1b[?7l\x1b[4h\x1b[20h\x1b(0x", "r...|...."},         // modes do not change the style
		{red + "x\x1bcx", "....|...."},                                        //
		{red + "x\x18\x1b[\x1ax", "rr..|...."},                                //
		{red + "x\r\n\x1b[34;44mx\x1b[A\x1b[1Jx", "Bb..|b..."},                //
	} {
		s := New(4, 2)
		s.Show([]byte(test.text))
		var got strings.Builder
		for i, line := range s.grid {
			if i > 0 {
				got.WriteByte('|')
			}
			for _, c := range line.cells {
				got.WriteByte(styled(c))
			}
		}
		if got.String() != test.want {
			t.Errorf("%q has the styles %q, want %q", test.text, got.String(), test.want)
		}
	}
}

// styled returns the letter for a cell's style.
func styled(c terminal.Cell) byte {
	colour, letters := c.Style.Foreground, map[terminal.Colour]byte{terminal.Palette(1): 'r', terminal.Palette(4): 'b'}
	if colour == 0 {
		colour, letters = c.Style.Background, map[terminal.Colour]byte{terminal.Palette(1): 'R', terminal.Palette(4): 'B'}
	}
	if letter, ok := letters[colour]; ok {
		return letter
	}
	return '.'
}

// Screen returns everything that another program needs to draw it. It is a
// snapshot.
func TestScreen(t *testing.T) {
	s := New(4, 2)
	s.Show([]byte("\x1b[?1049h\x1b[?25l\x1b[?1h\x1b[?2004h\x1b[H\x1b[32m日x"))
	got := s.Screen()
	if !got.Alternate || !got.Hidden || !got.AppKeys || !got.Paste || got.Row != 0 || got.Column != 3 || got.Lines[0] != "日x" {
		t.Errorf("Screen() = %+v", got)
	}
	green := terminal.Style{Foreground: terminal.Palette(2)}
	for i, want := range []terminal.Cell{{Text: "日", Style: green}, {Style: green}, {Text: "x", Style: green}, {Text: " "}} {
		if got.Cells[0][i] != want {
			t.Errorf("column %d shows %+v, want %+v", i, got.Cells[0][i], want)
		}
	}
	s.Show([]byte("\x1b[?1049l\x1b[?25h\x1b[?1l\x1b[?2004l\x1b[Hnew"))
	if got.Cells[0][0].Text != "日" {
		t.Error("a snapshot changes when more is shown")
	}
	if now := s.Screen(); now.Alternate || now.Hidden || now.AppKeys || now.Paste || len(now.Cells) != 2 || len(now.Cells[1]) != 4 {
		t.Errorf("Screen() = %+v", now)
	}
}
