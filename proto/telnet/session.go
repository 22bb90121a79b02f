package telnet

import (
	"bytes"
	"errors"
	"sync"

	"locus/access"
	"locus/proto/internal/nvt"
	"locus/proto/internal/screen"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/terminal"
	"locus/url"
)

var errOffset = access.Reason("a session has no offsets", errors.ErrUnsupported)

// A session is an open connection to a server. It is a [terminal.Session].
type session struct {
	client  Client
	view    scheme.Telnet
	url     url.URL
	conn    *wire.Conn
	nvt     *nvt.Conn
	afterCR bool // the last octet read was CR; NUL after it means nothing

	established sync.Once

	mu            sync.Mutex
	columns, rows int
	screen        *screen.Screen
	spoken        bool // the server has negotiated something
}

func newSession(c Client, conn *wire.Conn, u url.URL, view scheme.Telnet) *session {
	s := &session{client: c, view: view, url: u, conn: conn, columns: 80, rows: 24}
	s.screen = screen.New(s.columns, s.rows)
	s.nvt = nvt.New(conn, nvt.Config{Agree: s.agree, Changed: s.changed, Parameters: s.parameters})
	return s
}

// Read gives what the server sends, without the commands of Telnet and with the
// NVT's ends of lines as a terminal wants them. It gives nothing when the server
// begins to echo, or ends that, and has sent no text.
func (s *session) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if err := s.conn.Err(); err != nil {
			return 0, access.FailReading("read", s.url, err)
		}
		echoed := s.Echoes()
		n, _, err := s.nvt.Read(p)
		n = s.text(p[:n])
		s.mu.Lock()
		s.screen.Show(p[:n])
		s.mu.Unlock()
		if n > 0 {
			s.establish()
			return n, nil
		}
		if err != nil {
			return 0, access.FailReading("read", s.url, err)
		}
		if s.Echoes() != echoed {
			return 0, nil
		}
	}
	return 0, nil
}

// establish ends the idle limit of connecting. The session has that of the Client.
func (s *session) establish() {
	s.established.Do(func() { s.conn.SetIdle(s.client.Idle) })
}

// text takes NUL after CR out of p, and returns how much is left.
func (s *session) text(p []byte) int {
	if s.nvt.On(nvt.Binary, nvt.Them) {
		s.afterCR = false
		return len(p)
	}
	kept := 0
	for _, b := range p {
		if b != 0 || !s.afterCR {
			p[kept] = b
			kept++
		}
		s.afterCR = b == '\r'
	}
	return kept
}

// Write sends what is typed.
func (s *session) Write(p []byte) (int, error) {
	if err := s.conn.Err(); err != nil {
		return 0, access.FailReading("write", s.url, err)
	}
	s.establish()
	data := p
	if !s.nvt.On(nvt.Binary, nvt.Us) {
		data = endLines(p)
	}
	if !s.Echoes() {
		s.mu.Lock()
		s.screen.Show(endLines(p))
		s.mu.Unlock()
	}
	if err := s.nvt.Send(data, 0); err != nil {
		return 0, access.FailReading("write", s.url, err)
	}
	return len(p), nil
}

// endLines makes every CR a CR LF.
func endLines(p []byte) []byte { return bytes.ReplaceAll(p, []byte("\r"), []byte("\r\n")) }

// Resize tells the server the size of the screen, once it wants to know.
func (s *session) Resize(columns, rows int) error {
	s.mu.Lock()
	s.columns, s.rows = columns, rows
	s.screen.Resize(columns, rows)
	s.mu.Unlock()
	if !s.nvt.On(nvt.WindowSize, nvt.Us) {
		return nil
	}
	return access.FailReading("resize", s.url, s.sendSize())
}

// Echoes reports whether the server shows what is typed.
func (s *session) Echoes() bool { return s.nvt.On(nvt.Echo, nvt.Them) }

// Screen returns what a terminal shows after what was read.
func (s *session) Screen() terminal.Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.Screen()
}

// Close ends the session.
func (s *session) Close() error { return s.conn.Close() }
