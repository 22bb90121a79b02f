package open

import (
	"io"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/proto/tn3270"
)

// screenOf returns the output of a session. A 3270 is drawn on a terminal; elsewhere its
// screens are written one after another.
func screenOf(e *cli.Env, r *access.Resource) io.ReadCloser {
	s, ok := r.Session.(*tn3270.Session)
	switch {
	case !ok:
		return r.Body
	case cli.IsTerminal(e.Stdout):
		return &drawing{Session: s}
	}
	return &screens{Session: s}
}

// A drawing is a 3270 on a terminal. At its end it moves the cursor below the screen.
type drawing struct {
	*tn3270.Session
	tail string // what Read returns before end
	end  error  // of the session; nil while it lasts
}

func (d *drawing) Read(p []byte) (int, error) {
	if d.end == nil {
		n, err := d.Session.Read(p)
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

// screens is a 3270 as text: the rows of each new screen, and a line with a form feed.
type screens struct {
	*tn3270.Session
	last string // the last screen
	text string // the part of it that was not read yet
}

func (s *screens) Read(p []byte) (int, error) {
	for s.text == "" {
		if _, err := s.Session.Read(p); err != nil { // it draws; here only the change matters
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
