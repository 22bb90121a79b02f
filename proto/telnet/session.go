package telnet

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"

	"locus/access/engine"
	"locus/internal/nvt"
	"locus/internal/sentinel"
	"locus/proto/internal/screen"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

var errOffset = sentinel.New("a session has no offsets", errors.ErrUnsupported)

// A session is an open connection to a server. It is a [terminal.Session].
type session struct {
	client  Client
	view    scheme.Telnet
	url     url.URL
	conn    *wire.Conn
	nvt     *nvt.Conn
	afterCR bool // the last byte read was CR, so that a NUL is skipped

	established   sync.Once
	hasNegotiated atomic.Bool // the server has negotiated an option

	*screen.Shared
}

// newSession returns the session of the connection conn to the URL u, whose view
// is view. It sends nothing, and limits the time until establish is called to the
// idle limit of conn. The session owns conn.
func newSession(c Client, conn *wire.Conn, u url.URL, view scheme.Telnet) *session {
	s := &session{client: c, view: view, url: u, conn: conn, Shared: screen.NewShared()}
	conn.StartReply("sent no text") // negotiation does not extend the time
	s.nvt = nvt.New(conn, nvt.Config{Agree: s.agree, Changed: s.changed, Parameters: s.parameters})
	return s
}

// Read reads the text of the server without Telnet commands, and shows it on
// the Screen. Line ends are converted for a terminal. It returns 0 and nil when
// the server starts or stops to echo without sending text.
func (s *session) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if err := s.conn.Err(); err != nil {
			return 0, engine.FailReading("read", s.url, err)
		}
		didEcho := s.Echoes()
		n, _, err := s.nvt.Read(p)
		n = s.removeNUL(p[:n])
		s.Show(p[:n])
		if n > 0 {
			s.establish()
			return n, nil
		}
		if err != nil {
			return 0, engine.FailReading("read", s.url, err)
		}
		if s.Echoes() != didEcho {
			return 0, nil
		}
	}
	return 0, nil
}

// establish replaces the limit that newSession has set, and the idle time of the
// connection, by Client.Idle, because the user may now pause. Only the first call
// has an effect.
func (s *session) establish() {
	s.established.Do(func() {
		s.conn.EndReply()
		s.conn.SetIdle(s.client.Idle)
	})
}

// removeNUL removes each NUL that follows a CR from p in place, unless the
// server sends binary data, and returns the new length. It remembers a CR at the
// end of p for the next call.
func (s *session) removeNUL(p []byte) int {
	if s.nvt.IsActive(nvt.Binary, nvt.Them) {
		s.afterCR = false
		return len(p)
	}
	n := 0
	for _, b := range p {
		if b != 0 || !s.afterCR {
			p[n] = b
			n++
		}
		s.afterCR = b == '\r'
	}
	return n
}

// Write sends p, the text that the user typed, with line ends converted for the
// server. It shows the text on the screen if the server does not echo. The first
// Write replaces the idle time of the connection by Client.Idle, as the first
// text from the server does.
func (s *session) Write(p []byte) (int, error) {
	if err := s.conn.Err(); err != nil {
		return 0, engine.FailReading("write", s.url, err)
	}
	s.establish()
	data := p
	if !s.nvt.IsActive(nvt.Binary, nvt.Us) {
		data = toCRLF(p)
	}
	if !s.Echoes() {
		s.Show(toCRLF(p))
	}
	if err := s.nvt.Send(data, 0); err != nil {
		return 0, engine.FailReading("write", s.url, err)
	}
	return len(p), nil
}

// toCRLF returns p with CR LF for every CR.
func toCRLF(p []byte) []byte { return bytes.ReplaceAll(p, []byte("\r"), []byte("\r\n")) }

// Resize sets the size of the screen in characters, and sends it if the window
// size option (NAWS) is active.
func (s *session) Resize(columns, rows int) error {
	s.SetSize(columns, rows)
	if !s.nvt.IsActive(nvt.WindowSize, nvt.Us) {
		return nil
	}
	return engine.FailReading("resize", s.url, s.sendSize())
}

// Echoes reports whether the server echoes typed text.
func (s *session) Echoes() bool { return s.nvt.IsActive(nvt.Echo, nvt.Them) }

// Close closes the connection, so that a Read in another goroutine fails.
func (s *session) Close() error { return s.conn.Close() }
