package screen

import (
	"testing"

	"locus/access"
)

func TestStyles(t *testing.T) {
	red, blue := access.Palette(1), access.Palette(4)
	for _, tt := range []struct {
		text string // whose last character is looked at
		want access.Style
	}{
		{"x", access.Style{}},
		{"\x1b[1;4;7mx", access.Style{Bold: true, Underline: true, Reverse: true}},
		{"\x1b[2;3;5;8;9mx", access.Style{Faint: true, Italic: true, Blink: true, Conceal: true, Strike: true}},
		{"\x1b[1;2;3;4;5;7;8;9;22;23;24;25;27;28;29mx", access.Style{}},
		{"\x1b[1m\x1b[mx", access.Style{}},
		{"\x1b[1;;31mx", access.Style{Foreground: red}},
		{"\x1b[31;44mx", access.Style{Foreground: red, Background: blue}},
		{"\x1b[31;44;39mx", access.Style{Background: blue}},
		{"\x1b[31;44;49mx", access.Style{Foreground: red}},
		{"\x1b[91;104mx", access.Style{Foreground: access.Palette(9), Background: access.Palette(12)}},
		{"\x1b[38;5;208;1mx", access.Style{Foreground: access.Palette(208), Bold: true}},
		{"\x1b[48;2;1;2;3;4mx", access.Style{Background: access.RGB(1, 2, 3), Underline: true}},
		{"\x1b[38:5:208;1mx", access.Style{Foreground: access.Palette(208), Bold: true}},
		{"\x1b[38:2:1:2:3;1mx", access.Style{Foreground: access.RGB(1, 2, 3), Bold: true}},
		{"\x1b[38:2::1:2:3;1mx", access.Style{Foreground: access.RGB(1, 2, 3), Bold: true}},
		{"\x1b[4:3mx", access.Style{Underline: true}},
		{"\x1b[4;4:0mx", access.Style{}},
		{"\x1b[31;38;5;256;1mx", access.Style{Foreground: red}}, // what follows no colour is not to be told
		{"\x1b[38mx", access.Style{}},
		{"\x1b[38;5mx", access.Style{}},
		{"\x1b[58:5:1;31mx", access.Style{Foreground: red}}, // the colour of the underline
		{"\x1b[58;5;1;31mx", access.Style{Foreground: red}},
		{"\x1b[58;2;1;3;7;31mx", access.Style{Foreground: red}},
		{"\x1b[58;2;1mx", access.Style{}},
		{"\x1b[59;31mx", access.Style{Foreground: red}},
		{"\x1b[44;38;5mx", access.Style{Background: blue}}, // what is no colour changes none
		{"\x1b[31;48;5;256mx", access.Style{Foreground: red}},
		{"\x1b[44;38:5:256;1mx", access.Style{Background: blue, Bold: true}},
		{"\x1b[38;3;1;2;3mx", access.Style{}},
		{"\x1b[38;2;256;2;3mx", access.Style{}},
		{"\x1b[38;2;1;256;3mx", access.Style{}},
		{"\x1b[38;2;1;2;256mx", access.Style{}},
		{"\x1b[38;2;255;255;255mx", access.Style{Foreground: access.RGB(255, 255, 255)}},
		{"\x1b[38;2;0;0;0mx", access.Style{Foreground: access.RGB(0, 0, 0)}},
		{"\x1b[38;5;0mx", access.Style{Foreground: access.Palette(0)}},
		{"\x1b[38;5;255mx", access.Style{Foreground: access.Palette(255)}},
		{"\x1b[38;2;1;2mx", access.Style{}},
		{"\x1b[38:2:1:2;1mx", access.Style{Bold: true}},
		{"\x1b[38:2:9:1:2:3:0:1mx", access.Style{Foreground: access.RGB(1, 2, 3)}},
		{"\x1b[38:5:208:1:2:3mx", access.Style{Foreground: access.Palette(208)}},
		{"\x1b[38:;1mx", access.Style{Bold: true}},
		{"\x1b[38:5;208;1mx", access.Style{Bold: true}},
		{"\x1b[38;5;31;48;5;44mx", access.Style{Foreground: access.Palette(31), Background: access.Palette(44)}},
		{"\x1b[1:4mx", access.Style{Bold: true}}, // a part of another one is none of its own
		{"\x1b[1m\x1b[:4mx", access.Style{}},
		{"\x1b[4mx\x1b[4:mx", access.Style{}},
		{"\x1b[21mx", access.Style{Underline: true}},
		{"\x1b[6mx", access.Style{Blink: true}},
		{"\x1b[30;40mx", access.Style{Foreground: access.Palette(0), Background: access.Palette(0)}}, // the ends of each range
		{"\x1b[37;47mx", access.Style{Foreground: access.Palette(7), Background: access.Palette(7)}},
		{"\x1b[90;100mx", access.Style{Foreground: access.Palette(8), Background: access.Palette(8)}},
		{"\x1b[97;107mx", access.Style{Foreground: access.Palette(15), Background: access.Palette(15)}},
		{"\x1b[10;26;50;89;98;99;108;109mx", access.Style{}},
		{"\x1b[>1mx", access.Style{}},
		{"\x1b[31m\x1b7\x1b[0m\x1b8x", access.Style{Foreground: red}},
		{"\x1b[31m\x1bcx", access.Style{}},
	} {
		s := New(80, 2)
		s.Show([]byte(tt.text))
		shown := s.Screen()
		if got := shown.Cells[0][shown.Column-1]; got != (access.Cell{Text: "x", Style: tt.want}) {
			t.Errorf("%q shows %+v, want %+v", tt.text, got, tt.want)
		}
	}
}

// What is erased has the background that characters would have, and nothing else
// of their style.
func TestErasedBackground(t *testing.T) {
	blue := access.Cell{Text: " ", Style: access.Style{Background: access.Palette(4)}}
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

// A Screen has what a program elsewhere needs to show it, and does not change.
func TestScreen(t *testing.T) {
	s := New(4, 2)
	s.Show([]byte("\x1b[?1049h\x1b[?25l\x1b[?1h\x1b[?2004h\x1b[H\x1b[32m日x"))
	got := s.Screen()
	if !got.Alternate || !got.Hidden || !got.AppKeys || !got.Paste || got.Row != 0 || got.Column != 3 || got.Lines[0] != "日x" {
		t.Errorf("Screen() = %+v", got)
	}
	green := access.Style{Foreground: access.Palette(2)}
	for i, want := range []access.Cell{{Text: "日", Style: green}, {Style: green}, {Text: "x", Style: green}, {Text: " "}} {
		if got.Cells[0][i] != want {
			t.Errorf("column %d shows %+v, want %+v", i, got.Cells[0][i], want)
		}
	}
	s.Show([]byte("\x1b[?1049l\x1b[?25h\x1b[?1l\x1b[?2004l\x1b[Hnew"))
	if got.Cells[0][0].Text != "日" {
		t.Error("a Screen changes with what is shown after it")
	}
	if now := s.Screen(); now.Alternate || now.Hidden || now.AppKeys || now.Paste || len(now.Cells) != 2 || len(now.Cells[1]) != 4 {
		t.Errorf("Screen() = %+v", now)
	}
}
