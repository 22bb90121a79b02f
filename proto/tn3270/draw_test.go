package tn3270

import (
	"strings"
	"testing"
)

// drawn returns how a drawer with 25 rows of 80 draws a screen, without the text
// before the first row and after the last.
func drawn(t *testing.T, term *display, rows, columns int) string {
	t.Helper()
	var d drawer
	d.resize(rows, columns)
	text := d.draw(term.picture())
	text, ok := strings.CutPrefix(text, "\x1b[?25l\x1b[0m\x1b[2J\x1b[1H")
	if !ok {
		t.Fatalf("a new drawing begins with %q", text)
	}
	row, _, _ := strings.Cut(text, "\x1b[2H")
	return row
}

func TestDrawColours(t *testing.T) {
	for _, test := range []struct {
		stream string
		want   string // of the first row, without the blanks at its end
	}{
		{"'ab'", "\x1b[0;32mab"},
		{"1D 60 'a' 1D 40 'b'", " \x1b[0;94ma\x1b[0m \x1b[0;32mb"},
		{"1D 68 'a' 1D 48 'b'", " \x1b[0;1;37ma\x1b[0m \x1b[0;1;31mb"},
		{"29 02 C0 60 42 F5 'a'", " \x1b[0;36ma"},
		{"29 03 C0 60 42 F2 41 F2 'a'", " \x1b[0;7;31ma"},
		{"29 02 C0 60 41 F4 'a'", " \x1b[0;4;94ma"},
		{"29 02 C0 60 41 F1 'a'", " \x1b[0;5;94ma"},
		{"29 02 C0 60 41 F8 'a'", " \x1b[0;1;94ma"},
		{"1D 60 28 42 F6 'a' 28 00 00 'b'", " \x1b[0;33ma\x1b[0;94mb"},
		{"1D 60 28 45 F1 'a' 28 45 00 'b'", " \x1b[0;94;104ma\x1b[0;94mb"},
		{"1D 60 08 A2", " \x1b[0;94m─"},
		{"1D 4C 'secret'", " \x1b[0;32m"},
		{"29 02 C0 4C 41 F4 'secret'", " \x1b[0;32m"},
	} {
		term := newTest(t, 2)
		receive(t, term, "F5 C2 "+test.stream)
		got := strings.TrimSuffix(drawn(t, term, 25, 80), "\x1b[0m")
		if got = strings.TrimRight(got, " "); got != test.want {
			t.Errorf("%q is drawn %q, want %q", test.stream, got, test.want)
		}
	}
}

func TestDrawOnlyWhatChanged(t *testing.T) {
	term := newTest(t, 2)
	receive(t, term, form)
	var d drawer
	d.resize(25, 80)
	first := d.draw(term.picture())
	if want := "\x1b[25Htext" + strings.Repeat(" ", 69) + "001/007\x1b[K\x1b[1;7H\x1b[?25h"; !strings.HasSuffix(first, want) {
		t.Errorf("the status is drawn %q, want %q", first[max(0, len(first)-120):], want)
	}
	press(t, term, 'a')
	second := d.draw(term.picture())
	if !strings.HasPrefix(second, "\x1b[?25l\x1b[1H") || strings.Contains(second, "\x1b[2H") || !strings.HasSuffix(second, "\x1b[1;8H\x1b[?25h") {
		t.Errorf("a key is drawn %q", second)
	}
	if same := d.draw(term.picture()); same != "\x1b[?25l\x1b[1;8H\x1b[?25h" {
		t.Errorf("the same screen is drawn %q", same)
	}
	d.invalidate()
	if again := d.draw(term.picture()); !strings.Contains(again, "\x1b[2J") || !strings.Contains(again, "\x1b[24H") {
		t.Errorf("after invalidate the screen is drawn %q", again)
	}
}

func TestDrawStatus(t *testing.T) {
	term := newTest(t, 2)
	receive(t, term, form)
	press(t, term, Insert, Left, 'x')
	p := term.picture()
	p.Connected = true
	for _, test := range []struct {
		columns int
		want    string
	}{
		{132, "3270    X Protected     INSERT" + strings.Repeat(" ", 43) + "001/006"},
		{80, "3270    X Protected     INSERT" + strings.Repeat(" ", 43) + "001/006"},
		{40, "3270    X Protected     INSERT   001/006"},
		{20, "3270    X Protected "},
		{1, "3"},
	} {
		if got := p.status(test.columns); got != test.want {
			t.Errorf("status in %d columns = %q, want %q", test.columns, got, test.want)
		}
	}
	var d drawer
	d.resize(25, 80)
	if text := d.draw(p); !strings.Contains(text, "X Protected") || strings.Count(text, "\a") != 1 {
		t.Errorf("a locked keyboard is drawn %q", text)
	}
	if text := d.draw(p); strings.Contains(text, "\a") {
		t.Errorf("a keyboard that is still locked is drawn %q", text)
	}
	d.resize(24, 80)
	if text := d.draw(p); strings.Contains(text, "X Protected") {
		t.Errorf("without a row for it the status is drawn: %q", text)
	}
}

func TestDrawAlarm(t *testing.T) {
	term := newTest(t, 2)
	receive(t, term, "F5 C6 'a'")
	var d drawer
	d.resize(25, 80)
	for _, want := range []int{1, 0} {
		if text := d.draw(term.picture()); strings.Count(text, "\a") != want {
			t.Errorf("%q has not %d alarms", text, want)
		}
	}
	receive(t, term, "F1 C6")
	if text := d.draw(term.picture()); strings.Count(text, "\a") != 1 {
		t.Errorf("%q has no alarm", text)
	}
}

// Nothing is drawn beyond the terminal.
func TestDrawOnASmallTerminal(t *testing.T) {
	term := newTest(t, 5)
	receive(t, term, "7E C2 3C @0 '*'")
	var d drawer
	for _, size := range [][2]int{{24, 80}, {1, 1}, {60, 200}} {
		d.resize(size[0], size[1])
		text := d.draw(term.picture())
		if got, want := strings.Count(text, "*"), min(size[0], 27)*min(size[1], 132); got != want {
			t.Errorf("on %v %d characters are drawn, want %d", size, got, want)
		}
	}
}
