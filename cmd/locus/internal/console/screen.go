package console

import (
	"io"
	"strings"

	"locus/access"
	"locus/terminal"
)

// A drawer is a session that draws its own screen, such as a 3270 session.
type drawer interface {
	terminal.Session
	Note(lines ...string) // shows lines below the screen until the next key
}

// screenOf returns the output of the session of r. For a session that has a screen instead of a
// stream of text (a drawer), the output draws the screen on a terminal. Elsewhere it is the screens
// one after another, as text.
func (c *Console) screenOf(r *access.Resource) io.ReadCloser {
	s, ok := r.Session.(drawer)
	switch {
	case !ok:
		return r.Body
	case isTerminal(c.Stdout):
		return &drawing{drawer: s, body: r.Body}
	}
	return &screens{drawer: s, body: r.Body}
}

// A drawing is the screen of a drawer on a terminal. At the end of the session it moves the cursor
// below the screen.
type drawing struct {
	drawer
	body io.ReadCloser
	tail string // the text that Read returns before end
	end  error  // the error that ended the session; nil while the session lasts
}

// Close ends the session.
func (d *drawing) Close() error { return d.body.Close() }

// Read returns the output that draws the screen. At the end of the session it also puts the cursor
// below the screen, and restores the usual colours.
func (d *drawing) Read(p []byte) (int, error) {
	if d.end == nil {
		n, err := d.body.Read(p)
		if err == nil {
			return n, nil
		}
		d.end, d.tail = err, "\x1b[0m\x1b[?25h\x1b[999H\r\n" // show the cursor, in the last row
	}
	if d.tail == "" {
		return 0, d.end
	}
	n := copy(p, d.tail)
	d.tail = d.tail[n:]
	return n, nil
}

// screens are the screens of a drawer as text. After the rows of each new screen comes a line with
// a form feed.
type screens struct {
	drawer
	body io.ReadCloser
	last string // the last screen
	text string // the text that Read returns next, from last
}

// Close ends the session.
func (s *screens) Close() error { return s.body.Close() }

// Read returns the next screen as text, followed by a form feed. It leaves out a screen that equals
// the one before.
func (s *screens) Read(p []byte) (int, error) {
	for s.text == "" {
		if _, err := s.body.Read(p); err != nil { // Read updates the screen, which is compared below
			return 0, err
		}
		screen := strings.TrimRight(strings.Join(s.Screen().Lines, "\n"), "\n") + "\n\f\n"
		if screen != s.last {
			s.last, s.text = screen, screen
		}
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}
