package console

import (
	"errors"
	"io"
	"testing"

	"locus/terminal"
)

// A painter is a session that draws each of its screens at once.
type painter struct {
	*fake
	screens []terminal.Screen // the screens that follow; then the session ends with err
	shown   terminal.Screen
	err     error
	notes   []string
}

func (p *painter) Note(lines ...string) { p.notes = append(p.notes, lines...) }

func (p *painter) Screen() terminal.Screen { return p.shown }

func (p *painter) Read(b []byte) (int, error) {
	if len(p.screens) == 0 {
		return 0, p.err
	}
	p.shown, p.screens = p.screens[0], p.screens[1:]
	return copy(b, "\x1b[?25l"), nil
}

// If a session ends while it draws, the cursor is hidden. The end of the drawing shows the cursor
// in the last row, and then returns the error of the session.
func TestDrawingEnds(t *testing.T) {
	broken := errors.New("the connection broke")
	for _, end := range []error{io.EOF, broken} {
		p := &painter{fake: newFake(), screens: make([]terminal.Screen, 1), err: end}
		d := &drawing{drawer: p, body: p}
		text := ""
		var err error
		for b := make([]byte, 5); err == nil; { // reads the end in parts
			var n int
			n, err = d.Read(b)
			text += string(b[:n])
		}
		if want := "\x1b[?25l"[:5] + "\x1b[0m\x1b[?25h\x1b[999H\r\n"; text != want || !errors.Is(err, end) {
			t.Errorf("the drawing reads %q, %v, want %q, %v", text, err, want, end)
		}
	}
}

// Without a terminal each new screen is written as text, with a form feed after it.
func TestScreens(t *testing.T) {
	// attack: A telnet or rlogin session sends OSC 52 (clipboard), CSI 5 i (print), DCS or ENQ to the user's
	// terminal
	screen := func(lines ...string) terminal.Screen { return terminal.Screen{Lines: lines} }
	p := &painter{fake: newFake(), err: io.EOF, screens: []terminal.Screen{
		screen("LOGIN", "", ""), screen("LOGIN"), screen("", "MENU"),
	}}
	c := newConsole(t)
	if err := c.run(t, p, p); err != nil {
		t.Error(err)
	}
	if got, want := c.written(t), "LOGIN\n\f\n\nMENU\n\f\n"; got != want {
		t.Errorf("the screens are written as %q, want %q", got, want)
	}
}
