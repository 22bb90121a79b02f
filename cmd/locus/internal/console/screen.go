package console

import (
	"io"
	"strings"

	"locus/access"
	"locus/terminal"
)

// A drawer is a session that draws its screen itself, such as that of a 3270.
type drawer interface {
	terminal.Session
	Note(lines ...string) // shows lines below the screen until the next key
}

// screenOf returns the output of a session. The screen of a drawer is drawn on a terminal;
// elsewhere its screens are written one after another.
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

// A drawing is the screen of a drawer on a terminal. At its end it moves the cursor below the
// screen.
type drawing struct {
	drawer
	body io.ReadCloser
	tail string // what Read returns before end
	end  error  // of the session; nil while it lasts
}

func (d *drawing) Close() error { return d.body.Close() }

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

// screens are those of a drawer as text: the rows of each new screen, and a line with a form
// feed.
type screens struct {
	drawer
	body io.ReadCloser
	last string // the last screen
	text string // the part of it that was not read yet
}

func (s *screens) Close() error { return s.body.Close() }

func (s *screens) Read(p []byte) (int, error) {
	for s.text == "" {
		if _, err := s.body.Read(p); err != nil { // it draws; here only the change matters
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
