// Package tn3270d is a small host for 3270 displays (RFC 1576): a menu, an input panel, and a
// panel with colours.
//
// Notable divergences:
//   - Text is limited to printable ASCII, in the EBCDIC that other code pages share with 037.
//     Other characters that the user types are read as ".".
//   - Screens have 24 rows of 80, even if the display has more.
package tn3270d

import (
	"context"
	"net"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

const idle = 10 * time.Minute // limit for each Read and Write

// A Server is the host. Change no field while it serves. Several goroutines may call
// Serve at once.
type Server struct {
	Log serve.Log // called with each key and the input, without passwords; may be nil
}

// Serve serves one display, until its user leaves. The caller closes c. Serve ignores ctx,
// because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	w := newWire(serve.WithIdle(c, idle))
	if !w.negotiate() {
		_ = w.text("This is for 3270 displays: locus open tn3270://…, c3270, x3270.\r\n")
		return
	}
	for at := menu; at != nil; {
		p := at("")
		next, err := s.run(w, p)
		if err != nil {
			return
		}
		at = next
	}
	_ = w.send(panel{items: []item{title("Good bye.")}}.stream())
}

// A page makes a panel, with a message in its last row. A nil page ends the session.
type page func(message string) panel

// run shows the panel p and answers its input, until a key leads to another page, which it returns;
// nil at the end of the session. The error is an error of the connection.
func (s *Server) run(w *wire, p panel) (page, error) {
	for {
		if err := w.send(p.stream()); err != nil {
			return nil, err
		}
		in, err := w.input()
		if err != nil {
			return nil, err
		}
		s.log(p, in)
		next, again := p.answer(in)
		if again == nil {
			return next, nil
		}
		p = *again
	}
}

// log logs the key and the fields that the user has entered in p, with "xxxxx" for hidden text.
func (s *Server) log(p panel, in input) {
	words := []string{in.key()}
	for _, f := range p.fields() {
		text, entered := in.fields[f.first()]
		if f.hidden {
			text = "xxxxx"
		}
		if entered {
			words = append(words, f.name+"="+text)
		}
	}
	s.Log.Line(strings.Join(words, " "))
}
