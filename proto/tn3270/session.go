package tn3270

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
)

// A Session is a terminal that is connected to a host. It is an
// [access.Session].
//
// Somebody must read it: what the host sends is taken in by Read. That gives
// what makes a terminal of today (ECMA-48) show the screen as it is, whenever it
// has changed, by the host or by a key; changes that follow each other quickly
// may come as one. Where the terminal has a row more than the screen, that is
// the status line. Read gives io.EOF when the host has ended the session, but
// not within a screen.
//
// Read belongs to one goroutine at a time; everything else may be called at
// any time by any.
type Session struct {
	ctx    context.Context
	conn   net.Conn
	stop   func() bool // ends the watch over ctx
	closed atomic.Bool

	typing  sync.Mutex // held by a Write from its first key to its last octet
	sending sync.Mutex // held while something goes out

	mu       sync.Mutex
	terminal *terminal
	telnet   telnet
	keys     keyReader
	drawer   drawer
	changed  bool   // the screen is not as it was drawn last
	text     bool   // the host has sent text: keys are sent as text
	out      []byte // what is to be sent

	drawn string // what is to be read; of the goroutine that reads, as is
	end   error  // why there is nothing more
}

func newSession(ctx context.Context, conn net.Conn, t *terminal) *Session {
	s := &Session{ctx: ctx, conn: conn, terminal: t, telnet: telnet{types: t.model.types()}}
	s.drawer.resize(24, 80)
	s.stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	return s
}

// past is a deadline that ends what waits for the connection.
var past = time.Unix(1, 0)

// Read waits until the screen has changed and gives what draws it.
func (s *Session) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, s.usable()
	}
	for s.drawn == "" {
		waiting, err := s.draw()
		if err != nil {
			return 0, err
		}
		if waiting && s.end == nil {
			s.end = s.receive()
		} else if waiting {
			return 0, s.end
		}
	}
	if err := s.usable(); err != nil {
		return 0, err
	}
	n := copy(p, s.drawn)
	s.drawn = s.drawn[n:]
	return n, nil
}

// draw draws the screen if it has changed. If not, it makes the connection one
// that can be waited for: a change from now on interrupts that.
func (s *Session) draw() (waiting bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed {
		s.changed = false
		s.drawn = s.drawer.draw(s.picture())
		return false, nil
	}
	_ = s.conn.SetReadDeadline(time.Time{}) // should it fail, so does reading
	return true, s.usable()                 // after that: when ctx ends, the deadline is set again
}

// change says that the screen has changed, to a Read that may be waiting.
func (s *Session) change() {
	s.changed = true
	_ = s.conn.SetReadDeadline(past) // should it fail, so does reading
}

// receive takes in what comes next, and answers it. It ends early, without an
// error, if the screen is changed meanwhile.
func (s *Session) receive() error {
	buf := make([]byte, 4096)
	n, err := s.conn.Read(buf)
	if taken := s.feed(buf[:n]); taken != nil {
		return taken
	}
	if sent := s.send(); sent != nil && err == nil {
		err = sent
	}
	switch {
	case errors.Is(err, io.EOF) && !s.telnet.whole():
		err = io.ErrUnexpectedEOF
	case s.interrupted(err):
		return nil
	}
	return s.judge(err)
}

// interrupted reports whether err is due to a change of the screen.
func (s *Session) interrupted(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok && e.Timeout() && s.changed
}

func (s *Session) feed(octets []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.telnet.feed(octets, (*events)(s))
	s.answer()
	for _, record := range s.terminal.resume() {
		s.out = appendRecord(s.out, record)
	}
	return err
}

// answer sends what the negotiation says.
func (s *Session) answer() {
	s.out = append(s.out, s.telnet.reply...)
	s.telnet.reply = s.telnet.reply[:0]
}

// events is a Session to which telnet says what the host sends.
type events Session

// record carries out a record. What was agreed on before goes out before what
// answers it.
func (e *events) record(octets []byte) {
	s := (*Session)(e)
	s.answer()
	for _, reply := range s.terminal.receive(octets) {
		s.out = appendRecord(s.out, reply)
	}
	s.changed = true
}

// line shows text.
func (e *events) line(octets []byte) {
	e.text = true
	e.terminal.lock = Unlocked
	e.terminal.print(octets)
	e.changed = true
}

// mode begins with an empty screen.
func (e *events) mode(bool) {
	e.text = false
	e.terminal.resize(e.terminal.model.primary())
	e.terminal.lock = Waiting
	e.changed = true
}

// Write types p, which is UTF-8 as a terminal sends it: doc/tn3270.md says which
// keys it has. While the host has the turn keys are kept, up to 1024; a key that
// the keyboard does not take is passed over, and [Picture.Lock] says why. A
// sequence of octets that is one key may come in several Writes.
func (s *Session) Write(p []byte) (int, error) {
	s.typing.Lock()
	defer s.typing.Unlock()
	s.mu.Lock()
	keys := s.keys.read(p)
	s.mu.Unlock()
	if err := s.press(keys); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Press presses keys, as [Session.Write] does.
func (s *Session) Press(keys ...Key) error {
	s.typing.Lock()
	defer s.typing.Unlock()
	return s.press(keys)
}

func (s *Session) press(keys []Key) error {
	if err := s.usable(); err != nil {
		return err
	}
	s.mu.Lock()
	for _, k := range keys {
		if s.text {
			s.typeText(k)
		} else if record := s.terminal.press(k); record != nil {
			s.out = appendRecord(s.out, record)
		}
	}
	s.change()
	s.mu.Unlock()
	return s.judge(s.send())
}

// typeText sends a key to a host that does not speak 3270.
func (s *Session) typeText(k Key) {
	text := ""
	switch {
	case k == Enter:
		text = "\r\n"
	case k == Backspace:
		text = "\b"
	case k == Tab:
		text = "\t"
	case k >= ' ' && k < 0x7F:
		text = string(rune(k))
	}
	s.out = append(s.out, text...)
	if !s.telnet.host[optionEcho] {
		s.terminal.print([]byte(text))
	}
}

// send sends what is to be sent.
func (s *Session) send() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	out := s.out
	s.out = nil
	s.mu.Unlock()
	if len(out) == 0 {
		return nil
	}
	_, err := s.conn.Write(out)
	return err
}

// Resize says how large the terminal is that shows what is read. The size of
// the screen is the model's: what has no room is not drawn.
func (s *Session) Resize(columns, rows int) error {
	if err := s.usable(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawer.resize(max(rows, 1), max(columns, 1))
	s.change()
	return nil
}

// Echoes returns true: what is typed is seen on the screen.
func (s *Session) Echoes() bool { return true }

// Screen returns what is on the screen now, without what hidden fields have.
func (s *Session) Screen() access.Screen {
	p := s.Picture()
	return access.Screen{Lines: p.Lines(), Row: p.Cursor / p.Columns, Column: p.Cursor % p.Columns}
}

// Picture returns how the screen looks now.
func (s *Session) Picture() Picture {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.picture()
}

func (s *Session) picture() Picture {
	p := s.terminal.picture()
	p.Connected = s.telnet.is3270()
	return p
}

// usable returns why the session may not be used any more, if so.
func (s *Session) usable() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.closed.Load() {
		return net.ErrClosed
	}
	return nil
}

// judge returns the reason behind an error of the connection.
func (s *Session) judge(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if unusable := s.usable(); unusable != nil {
		return unusable
	}
	return err
}

// Close ends the session. It may be called at any time, more than once.
func (s *Session) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.stop()
	return s.conn.Close()
}
