package rlogin

import (
	"encoding/binary"
	"io"
	"io/fs"
	"net"
	"sync"
	"sync/atomic"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/proto/internal/screen"
	"locus/proto/internal/wire"
	"locus/url"
)

// windowRequest is the bit of an urgent byte that requests the window size.
const windowRequest = 0x80

// A session is an open connection to a server. It is a [terminal.Session].
type session struct {
	url         url.URL
	conn        *wire.Conn
	wire        *urgentConn
	hasLowPort  bool // the local port is below 1024
	pendingUTF8 int  // number of missing bytes of the current UTF-8 character

	*screen.Shared

	writeMu       sync.Mutex
	sizeRequested atomic.Bool // the server has requested the size
	sizePending   atomic.Bool // the size must be sent
}

// begin sends hello, the client's first message, and waits for the server's answer. It returns
// nil if the server accepts the session. The caller closes the session after an error.
func (s *session) begin(hello string) error {
	if _, err := io.WriteString(s.conn, hello); err != nil {
		return s.handshakeError(err)
	}
	var first [1]byte
	if _, err := io.ReadFull(s.conn, first[:]); err != nil {
		return s.handshakeError(err)
	}
	if first[0] == 0 {
		return nil
	}
	return s.refusal(first[0])
}

// maxMessage is the maximum number of bytes of the server's error message.
const maxMessage = 1024

// refusal reads the message with which the server refuses the session, and returns it as an error.
// first is the byte that the server sent instead of NUL. It belongs to the message unless it is 1,
// the byte that BSD servers send first. refusal reads only once, so it may miss the end of a long
// message.
func (s *session) refusal(first byte) error {
	message := make([]byte, maxMessage)
	n, err := s.conn.Read(message)
	if cause := s.conn.Err(); cause != nil && err != nil {
		return cause
	}
	message = message[:n]
	if first != 1 {
		message = append([]byte{first}, message...)
	}
	return &engine.Refusal{Reply: access.Reply{Text: string(message)}, Means: fs.ErrPermission}
}

// Read reads the server's text and shows it on the Screen. It removes the server's requests from the text and obeys
// them. It returns io.EOF when the server closes the connection.
func (s *session) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if err := s.conn.Err(); err != nil {
			return 0, engine.FailReading("read", s.url, err)
		}
		n, err := s.conn.Read(p)
		kept := s.removeRequests(p[:n])
		s.Show(p[:kept])
		if kept > 0 {
			return kept, nil
		}
		if err != nil {
			return 0, engine.FailReading("read", s.url, err)
		}
	}
	return 0, nil
}

// removeRequests obeys the server's requests in p, and removes them from p in place. kept is the
// number of bytes that remain at the start of p.
func (s *session) removeRequests(p []byte) (kept int) {
	for i, b := range p {
		if i == 0 && s.wire.isUrgent {
			s.handleRequest(b)
			continue
		}
		if b == windowRequest && s.pendingUTF8 == 0 {
			s.handleRequest(b)
			continue
		}
		s.pendingUTF8 = missingUTF8(b, s.pendingUTF8)
		p[kept] = b
		kept++
	}
	return kept
}

// missingUTF8 returns how many bytes of a UTF-8 character are still missing after the byte b.
// missing is how many were missing before b.
func missingUTF8(b byte, missing int) int {
	switch {
	case b < 0x80:
		return 0
	case b < 0xC0:
		return max(0, missing-1)
	case b < 0xE0:
		return 1
	case b < 0xF0:
		return 2
	}
	return 3
}

// handleRequest obeys the server's request b: it sends the size of the screen if b requests that,
// and ignores other requests.
func (s *session) handleRequest(b byte) {
	if b&windowRequest == 0 {
		return
	}
	s.sizeRequested.Store(true)
	_ = s.sendSize() // if it fails, the next Read fails too
}

// sendSize sends the size of the screen. If another goroutine is writing, it returns at once, and
// that goroutine sends the size after its write. It does not wait, because Read calls it.
func (s *session) sendSize() error {
	s.sizePending.Store(true)
	return s.flushSize()
}

// flushSize sends the size of the screen if sizePending is set. If another goroutine is writing,
// flushSize returns nil and leaves the size to that goroutine.
func (s *session) flushSize() error {
	for s.sizePending.Load() && s.writeMu.TryLock() {
		var err error
		if s.sizePending.Swap(false) {
			_, err = s.conn.Write(s.size())
		}
		s.writeMu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// size returns the message with the size of the screen (RFC 1282 "Window Change Control
// Sequence"). Its size in pixels is 0, because that size is unknown.
func (s *session) size() []byte {
	columns, rows := s.Size()
	p := []byte{0xFF, 0xFF, 's', 's'}
	for _, n := range []uint16{rows, columns, 0, 0} {
		p = binary.BigEndian.AppendUint16(p, n)
	}
	return p
}

// Write sends p, the text that the user typed, unchanged. It also sends the size of the screen if
// that is pending.
func (s *session) Write(p []byte) (int, error) {
	if err := s.conn.Err(); err != nil {
		return 0, engine.FailReading("write", s.url, err)
	}
	s.writeMu.Lock()
	n, err := s.conn.Write(p)
	s.writeMu.Unlock()
	if err == nil {
		err = s.flushSize()
	}
	if err != nil {
		return n, engine.FailReading("write", s.url, err)
	}
	return n, nil
}

// Resize sets the size of the screen in characters, and sends it if the server has requested it.
func (s *session) Resize(columns, rows int) error {
	s.SetSize(columns, rows)
	if !s.sizeRequested.Load() {
		return nil
	}
	if err := s.sendSize(); err != nil {
		return engine.FailReading("resize", s.url, err)
	}
	return nil
}

// Echoes returns true, because the server always echoes.
func (s *session) Echoes() bool { return true }

// Close closes the connection, so that a Read in another goroutine fails.
func (s *session) Close() error { return s.conn.Close() }

var (
	// errNoUser reports that neither the URL nor the Client has a user name. The client has not
	// connected.
	errNoUser = sentinel.New("no user name", fs.ErrPermission)

	// errClosed reports that the server closed a connection from a port above 1023 at once.
	errClosed = sentinel.New("the server closed the connection at once (the client port is above 1023)", fs.ErrPermission)
)

// handshakeError returns the error to report for err, a failure before the server accepted the session. It returns the
// cause of the context, or net.ErrClosed, if one of them ended the connection, and a timeout unchanged. Otherwise, if
// the local port is not below 1024, it returns errClosed, because servers close such connections. It returns other
// errors unchanged, except that io.EOF becomes io.ErrUnexpectedEOF.
func (s *session) handshakeError(err error) error {
	switch {
	case s.conn.Err() != nil:
		return s.conn.Err()
	case wire.IsTimeout(err):
		return err
	case !s.hasLowPort:
		return access.WithRemedy(errClosed, access.Advice("most rlogin servers require a client port below 1024: "+
			"run as root, or give the program the capability cap_net_bind_service"))
	}
	return wire.Early(err)
}

// An urgentConn is a connection whose Read returns urgent data together with the other data, and tells where it is.
type urgentConn struct {
	net.Conn
	receive  func(p []byte) (n int, isUrgent bool, err error) // nil if urgent data is lost
	isUrgent bool                                             // the first byte of the last Read was urgent
}

// Read reads into p, and sets isUrgent if the first byte read was urgent. It stops before a later
// urgent byte. Only one goroutine may call Read.
func (w *urgentConn) Read(p []byte) (n int, err error) {
	if w.receive == nil || len(p) == 0 {
		return w.Conn.Read(p)
	}
	n, w.isUrgent, err = w.receive(p)
	w.isUrgent = w.isUrgent && n > 0
	return n, err
}
