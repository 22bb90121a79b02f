package main

import (
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/proto/tn3270"
)

// display returns the 3270 that the flags of c ask for.
func display(c *cli.Command) (tn3270.Client, error) {
	var dialer net.Dialer
	d := tn3270.Client{Dial: dialer.DialContext, Monochrome: os.Getenv("NO_COLOR") != "", CodePage: c.String("code-page")}
	if c.IsSet("code-page") && !slices.Contains(tn3270.CodePages(), d.CodePage) {
		return d, misuse("--code-page wants one of %s, not %q", strings.Join(tn3270.CodePages(), ", "), d.CodePage)
	}
	if c.IsSet("model") {
		d.Model = slices.Index([]string{"2", "3", "4", "5"}, c.String("model")) + 2
		if d.Model == 1 {
			return d, misuse("--model wants 2, 3, 4 or 5, not %q", c.String("model"))
		}
	}
	return d, nil
}

// screenOf returns the output of a session. A 3270 is drawn on a terminal; elsewhere its
// screens are written one after another.
func (p *process) screenOf(r *access.Resource) io.ReadCloser {
	s, ok := r.Session.(*tn3270.Session)
	switch {
	case !ok:
		return r.Body
	case isTerminal(p.stdout):
		return &drawing{Session: s}
	}
	return &screens{Session: s}
}

// A drawing is a 3270 on a terminal. At its end it moves the cursor below the screen.
type drawing struct {
	*tn3270.Session
	farewell string
	end      error
}

func (d *drawing) Read(p []byte) (int, error) {
	if d.end == nil {
		n, err := d.Session.Read(p)
		if err == nil {
			return n, nil
		}
		d.end, d.farewell = err, "\x1b[0m\x1b[?25h\x1b[999H\r\n" // the cursor, as far down as it goes
	}
	if d.farewell == "" {
		return 0, d.end
	}
	n := copy(p, d.farewell)
	d.farewell = d.farewell[n:]
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
