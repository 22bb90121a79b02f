package rlogin

import (
	"encoding/binary"
	"io"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"

	"locus/access"
	"locus/proto/internal/screen"
	"locus/proto/internal/wire"
	"locus/terminal"
	"locus/url"
)

// windowRequest is the urgent octet that asks for the size of the window; other
// bits may stand beside it.
const windowRequest = 0x80

// A session is an open connection to a server. It is a [terminal.Session].
type session struct {
	url  url.URL
	conn *wire.Conn
	wire *urgentConn
	low  bool // the server believes where it comes from
	rest int  // octets that the character being read still has

	mu            sync.Mutex
	columns, rows int
	screen        *screen.Screen

	writing sync.Mutex
	asked   atomic.Bool // the server wants to know the size
	owed    atomic.Bool // and has not been told yet
}

// begin sends what the client says first, and reads the server's consent.
func (s *session) begin(hello string) error {
	if _, err := io.WriteString(s.conn, hello); err != nil {
		return s.refused(err)
	}
	var first [1]byte
	if _, err := io.ReadFull(s.conn, first[:]); err != nil {
		return s.refused(err)
	}
	if first[0] == 0 {
		return nil
	}
	return s.complaint(first[0])
}

// maxComplaint is how much is read of what a server has to say instead.
const maxComplaint = 1024

// complaint returns what the server says instead of NUL, as far as it arrives at
// once. BSD's begins with 01.
func (s *session) complaint(first byte) error {
	said := make([]byte, maxComplaint)
	n, err := s.conn.Read(said)
	if why := s.conn.Err(); why != nil && err != nil {
		return why
	}
	said = said[:n]
	if first != 1 {
		said = append([]byte{first}, said...)
	}
	return &access.Refusal{Reply: access.Reply{Text: string(said)}, Means: fs.ErrPermission}
}

// Read gives what the server sends, without its requests.
func (s *session) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if err := s.conn.Err(); err != nil {
			return 0, access.FailReading("read", s.url, err)
		}
		n, err := s.conn.Read(p)
		kept := s.data(p[:n])
		s.mu.Lock()
		s.screen.Show(p[:kept])
		s.mu.Unlock()
		if kept > 0 {
			return kept, nil
		}
		if err != nil {
			return 0, access.FailReading("read", s.url, err)
		}
	}
	return 0, nil
}

// data takes the server's requests out of p, and returns how much is left.
func (s *session) data(p []byte) (kept int) {
	for i, b := range p {
		if i == 0 && s.wire.urgent {
			s.request(b)
			continue
		}
		if b == windowRequest && s.rest == 0 {
			s.request(b)
			continue
		}
		s.rest = following(b, s.rest)
		p[kept] = b
		kept++
	}
	return kept
}

// following returns how many octets of a character of UTF-8 come after b, if
// before it rest were to come.
func following(b byte, rest int) int {
	switch {
	case b < 0x80:
		return 0
	case b < 0xC0:
		return max(0, rest-1)
	case b < 0xE0:
		return 1
	case b < 0xF0:
		return 2
	}
	return 3
}

// request does what the server asks for out of band.
func (s *session) request(b byte) {
	if b&windowRequest == 0 {
		return
	}
	s.asked.Store(true)
	_ = s.tellSize() // should it fail, so does the next Read
}

// tellSize sends the size of the screen, as soon as nothing else is being sent.
// It does not wait: whoever reads must not.
func (s *session) tellSize() error {
	s.owed.Store(true)
	return s.settle()
}

// settle sends what is owed, unless somebody else is sending, who will.
func (s *session) settle() error {
	for s.owed.Load() && s.writing.TryLock() {
		var err error
		if s.owed.Swap(false) {
			_, err = s.conn.Write(s.size())
		}
		s.writing.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// size is the message of RFC 1282 "Window Change Control Sequence"; the size in
// points is not known.
func (s *session) size() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := []byte{0xFF, 0xFF, 's', 's'}
	for _, n := range []int{s.rows, s.columns, 0, 0} {
		p = binary.BigEndian.AppendUint16(p, uint16(max(0, min(n, math.MaxUint16)))) //nolint:gosec // it fits
	}
	return p
}

// Write sends what is typed.
func (s *session) Write(p []byte) (int, error) {
	if err := s.conn.Err(); err != nil {
		return 0, access.FailReading("write", s.url, err)
	}
	s.writing.Lock()
	n, err := s.conn.Write(p)
	s.writing.Unlock()
	if err == nil {
		err = s.settle()
	}
	if err != nil {
		return n, access.FailReading("write", s.url, err)
	}
	return n, nil
}

// Resize tells the server the size of the screen, if it wants to know.
func (s *session) Resize(columns, rows int) error {
	s.mu.Lock()
	s.columns, s.rows = columns, rows
	s.screen.Resize(columns, rows)
	s.mu.Unlock()
	if !s.asked.Load() {
		return nil
	}
	if err := s.tellSize(); err != nil {
		return access.FailReading("resize", s.url, err)
	}
	return nil
}

// Echoes returns true: the server shows what is to be shown.
func (s *session) Echoes() bool { return true }

// Screen returns what a terminal shows after what was read.
func (s *session) Screen() terminal.Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.Screen()
}

// Close ends the session.
func (s *session) Close() error { return s.conn.Close() }
