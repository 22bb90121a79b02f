package tn3270

import (
	"fmt"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/nvt"
	"locus/proto/internal/wire"
	"locus/terminal"
	"locus/url"
)

// maxRecord is the maximum number of bytes of a record. A full screen needs far fewer.
const maxRecord = 64 << 10

// A Session is a 3270 terminal connected to a host. It is a [terminal.Session].
//
// Read waits until the host or a key has changed the screen. It returns the text that makes a
// modern terminal (ECMA-48) show the screen. The next record of the host is executed only when
// Read is called again, so that Screen returns the screen that was read. If the terminal has
// more rows than the screen, the status line is below it. Read returns io.EOF when the host has
// closed the connection between two records.
//
// A panic in the goroutine that receives data becomes a panic of Read. Its value is an [error]
// with the stack.
//
// Only one goroutine at a time may call Read. All other methods may be called at any time. The
// caller must close the Session, which ends its goroutine.
type Session struct {
	url  url.URL // for errors
	conn *wire.Conn
	nvt  *nvt.Conn
	idle time.Duration // the idle time of an established session; 0: no limit

	writeMu sync.Mutex // held by Write and Press until their records are sent
	keys    keyReader

	mu     sync.Mutex
	update *sync.Cond // signals a change of shared
	shared
	received // used only by the goroutine that receives

	output string // text that Read has not returned yet; used only by the goroutine that calls Read
}

// shared is the part of a Session that mu guards.
type shared struct {
	terminal    *display
	negotiation negotiation
	drawer      drawer
	changed     bool  // the screen differs from the last drawing
	readWaits   bool  // Read waits for a change
	textMode    bool  // the host has sent text, so keys are sent as text
	end         error // the error that ended the session, or nil
}

// received is the state of the goroutine that receives data.
type received struct {
	record      []byte // the incomplete record
	established bool   // text or a record has arrived
}

// newSession returns the session of the connection conn to u, and starts a goroutine that
// receives. The session owns conn; Close ends the goroutine. t is the session's display, and
// idle the idle time after the first text or screen.
func newSession(u url.URL, conn *wire.Conn, t *display, idle time.Duration) *Session {
	s := &Session{url: u, conn: conn, idle: idle, shared: shared{terminal: t, negotiation: newNegotiation(t.model.types())}}
	s.update = sync.NewCond(&s.mu)
	s.drawer.resize(24, 80)
	conn.StartReply("sent no text or screen") // negotiation does not extend the time
	s.nvt = nvt.New(conn, nvt.Config{Agree: agree, Changed: s.optionChanged, Parameters: s.parameters})
	go s.receiveAll()
	return s
}

// Read reads the text that draws the changes of the screen. It waits until the screen has
// changed. It returns io.EOF when the host has closed the connection between two records.
func (s *Session) Read(p []byte) (int, error) {
	if err := s.conn.Err(); err != nil || len(p) == 0 {
		return 0, engine.FailReading("read", s.url, err)
	}
	if s.output == "" {
		if err := s.draw(); err != nil {
			return 0, engine.FailReading("read", s.url, err)
		}
	}
	n := copy(p, s.output)
	s.output = s.output[n:]
	return n, nil
}

// draw waits until the screen has changed, and sets output to the text that draws it. It
// returns the error that ended the session, and panics if that was a panic.
func (s *Session) draw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readWaits = true
	s.update.Broadcast()
	for !s.changed && s.end == nil {
		s.update.Wait()
	}
	s.readWaits = false
	if err := s.conn.Err(); err != nil {
		return err
	}
	if !s.changed {
		if p, ok := s.end.(*nvt.Panic); ok { //nolint:errorlint // finish does not wrap it
			panic(p) // of the goroutine that reads: the caller can recover it
		}
		return s.end
	}
	s.changed = false
	s.output = s.drawer.draw(s.picture())
	return nil
}

// change records that the screen has changed, and wakes Read. It has no effect after the end
// of the session. The caller holds mu.
func (s *Session) change() {
	if s.end != nil {
		return
	}
	s.changed = true
	s.update.Broadcast()
}

// receiveAll receives and executes the data of the host until the connection ends. Then it
// calls finish with the error, or with the panic that it recovered.
func (s *Session) receiveAll() {
	defer func() {
		if p := nvt.Recovered(recover()); p != nil {
			s.finish(p)
		}
	}()
	var b [1]byte // a larger buffer could have data of two modes
	for {
		n, command, err := s.nvt.Read(b[:])
		switch {
		case access.IsEnd(err) && len(s.record) > 0:
			err = io.ErrUnexpectedEOF
		case err == nil:
			err = s.receiveData(b[:n], command)
		}
		if err != nil {
			s.finish(err)
			return
		}
	}
}

// finish ends the session with err, and wakes Read, which returns err after the last change.
func (s *Session) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = err
	s.update.Broadcast()
}

// receiveData handles data of the host, or command, which is EOR at the end of a record. In
// 3270 mode it collects data until EOR, and then executes the record and sends the replies. In
// text mode it shows the data as text.
func (s *Session) receiveData(data []byte, command nvt.Command) error {
	s.establish(len(data) > 0 || command == nvt.EOR)
	s.mu.Lock()
	is3270 := s.negotiation.is3270()
	s.mu.Unlock()
	switch {
	case !is3270:
		return s.showText(data)
	case command == nvt.EOR:
		record := s.record
		s.record = s.record[:0]
		return send(s.receive(record), s.nvt.Enqueue) // because Send could wait for a host that waits for us
	case len(s.record)+len(data) > maxRecord:
		return fmt.Errorf("%w: a record of more than %d bytes", access.ErrTooLong, maxRecord)
	}
	s.record = append(s.record, data...)
	return nil
}

// establish ends the time limit for the host's first text or record once one has arrived
// (hasArrived), and sets the idle time of the connection to the session's. Only the first such
// call has an effect.
func (s *Session) establish(hasArrived bool) {
	if hasArrived && !s.established {
		s.established = true
		s.conn.EndReply()
		s.conn.SetIdle(s.idle)
	}
}

// showText shows text of a host that is not in 3270 mode, and unlocks the keyboard. Keys that
// were pending are sent as text.
func (s *Session) showText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var typed []byte
	for _, k := range s.terminal.pendingKeys {
		typed = append(typed, s.textOf(k)...)
	}
	s.textMode, s.terminal.pendingKeys, s.terminal.lock = true, nil, Unlocked
	s.terminal.print(text)
	s.change()
	return s.nvt.Enqueue(typed, 0)
}

// receive waits until the last screen has been read, executes a record of the host, and then
// the pending keys. It returns the records to send to the host.
func (s *Session) receive(record []byte) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waitForRead()
	s.change()
	return append(s.terminal.receive(record), s.terminal.pressPending()...)
}

// waitForRead waits until the last screen has been read and Read is called again, because the
// next record may erase the screen. It returns early if the connection is closed. The caller
// holds mu, which waiting releases.
func (s *Session) waitForRead() {
	for (s.changed || !s.readWaits) && s.conn.Err() == nil {
		s.update.Wait()
	}
}

// optionChanged records that the option o of side has become active (on) or inactive, which
// may switch the mode.
func (s *Session) optionChanged(o nvt.Option, side nvt.Side, on bool) {
	s.negotiate(func() { s.negotiation.on[side][o] = on })
}

// parameters answers the subnegotiation of o with these parameters, if it requests the
// terminal type. It ignores other subnegotiations.
func (s *Session) parameters(o nvt.Option, parameters []byte) {
	var answer []byte
	var ok bool
	s.negotiate(func() { answer, ok = s.negotiation.nextType(o, parameters) })
	if ok {
		_ = s.nvt.Subnegotiate(o, answer) // if it fails, the next write fails too
	}
}

// negotiate calls f, which changes the state of the negotiation. If that switches between text
// and 3270 mode, negotiate clears the screen, drops an incomplete record, and locks the
// keyboard. Before leaving 3270 mode, it waits until the last screen has been read.
func (s *Session) negotiate(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was3270 := s.negotiation.is3270()
	if was3270 {
		s.waitForRead() // otherwise the last screen of 3270 mode could be lost
	}
	f()
	if s.negotiation.is3270() == was3270 {
		return
	}
	s.textMode, s.record = false, nil
	s.terminal.resize(s.terminal.model.primary())
	s.terminal.lock = Waiting
	if was3270 {
		s.change()
	}
}

// Write types p, which is UTF-8 with the key sequences of a terminal. doc/tn3270.md lists the
// keys. While the keyboard waits for the host, up to 1024 keys are pending. A key that the
// keyboard does not accept is ignored, and [Picture.Lock] tells the reason. A key sequence may
// be split between calls.
func (s *Session) Write(p []byte) (int, error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if err := s.press(s.keys.read(p)); err != nil {
		return 0, engine.FailReading("write", s.url, err)
	}
	return len(p), nil
}

// Press presses keys in order. Its effects are like the effects of [Session.Write].
func (s *Session) Press(keys ...Key) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	return engine.FailReading("write", s.url, s.press(keys))
}

// press removes the notes, presses the keys in order, and then sends the records that they
// cause or, in text mode, their text. The caller holds writeMu.
func (s *Session) press(keys []Key) error {
	if err := s.conn.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	s.drawer.setNotes(nil)
	var records [][]byte
	var text []byte
	for _, k := range keys {
		if k == Redraw {
			s.drawer.invalidate()
		} else if s.textMode {
			text = append(text, s.textOf(k)...)
		} else if record := s.pressKey(k); record != nil {
			records = append(records, record)
		}
	}
	s.change()
	s.mu.Unlock()
	if len(text) > 0 {
		return s.nvt.Send(text, 0)
	}
	return send(records, s.nvt.Send)
}

// pressKey presses k and returns the record to send, or nil. Outside 3270 mode the keyboard
// stays locked, even after Reset. The caller holds mu.
func (s *Session) pressKey(k Key) (record []byte) {
	record = s.terminal.press(k)
	if !s.negotiation.is3270() {
		s.terminal.lock = Waiting
	}
	return record
}

// textOf returns the text that k sends to a host in text mode; "" for most special keys. If
// the host does not echo, textOf also prints the text on the screen. The caller holds mu.
func (s *Session) textOf(k Key) string {
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
	if !s.nvt.IsActive(nvt.Echo, nvt.Them) {
		s.terminal.print([]byte(text))
	}
	return text
}

// Note draws lines over the last rows until the next key. Long lines are cut. The lines must
// not contain control characters. Screen and Picture do not contain the lines.
func (s *Session) Note(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawer.setNotes(lines)
	s.change()
}

// Resize sets the size of the user's terminal. The size of the screen depends only on the
// model. If the screen is larger than the terminal, its right and lower parts are not drawn.
func (s *Session) Resize(columns, rows int) error {
	if err := s.conn.Err(); err != nil {
		return engine.Fail("resize", s.url, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawer.resize(max(rows, 1), max(columns, 1))
	s.change()
	return nil
}

// Echoes returns true, because input is shown on the screen.
func (s *Session) Echoes() bool { return true }

// Screen returns the current screen, without the contents of hidden fields.
func (s *Session) Screen() terminal.Screen {
	return s.Picture().screen()
}

// Picture returns a snapshot of the screen.
func (s *Session) Picture() Picture {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.picture()
}

// picture returns a snapshot of the screen. Connected says whether the session is in 3270 mode. The
// caller holds mu.
func (s *Session) picture() Picture {
	p := s.terminal.picture()
	p.Connected = s.negotiation.is3270()
	return p
}

// Close closes the connection, so that a Read in another goroutine fails, and ends the
// session's goroutine. It may be called at any time and more than once.
func (s *Session) Close() error {
	err := s.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update.Broadcast()
	return err
}

// send sends each record, followed by EOR, with method, which is Send or Enqueue of an
// nvt.Conn.
func send(records [][]byte, method func(data []byte, command nvt.Command) error) error {
	for _, record := range records {
		if err := method(record, nvt.EOR); err != nil {
			return err
		}
	}
	return nil
}
