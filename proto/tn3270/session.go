package tn3270

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/proto/internal/nvt"
	"locus/proto/internal/wire"
	"locus/terminal"
)

// maxRecord is how many bytes a record may have: far more than fill a screen.
const maxRecord = 64 << 10

// A Session is a terminal that is connected to a host. It is a
// [terminal.Session].
//
// Read gives what makes a terminal of today (ECMA-48) show the screen as it is,
// whenever it has changed, by the host or by a key. What the host sends next is
// done when Read is called again, so that between two calls the screen is what
// was read. Where the terminal has a row more than the screen, that is the status
// line. Read gives io.EOF when the host has ended the session, but not within a
// screen.
//
// A panic in what takes in the host's data is one of Read, as an [error] that
// has its stack.
//
// Read belongs to one goroutine at a time; everything else may be called at
// any time by any. The caller closes the Session, which ends the goroutine that
// takes in what the host sends.
type Session struct {
	conn *wire.Conn
	nvt  *nvt.Conn
	idle time.Duration // the idle limit of an established session; 0: none

	typing sync.Mutex // held by a Write from its first key to its last byte
	keys   keyReader

	mu          sync.Mutex
	news        *sync.Cond // something of what follows has changed
	terminal    *display
	negotiation negotiation
	drawer      drawer
	changed     bool  // the screen is not as it was drawn last
	waiting     bool  // Read waits for it to change
	text        bool  // the host has sent text: keys are sent as text
	end         error // why nothing more comes

	record      []byte // the record that comes in; of the goroutine that listens
	established bool   // text or a record has come; of the goroutine that listens
	drawn       string // what is to be read; of the goroutine that reads
}

func newSession(conn *wire.Conn, t *display, idle time.Duration) *Session {
	s := &Session{conn: conn, idle: idle, terminal: t, negotiation: newNegotiation(t.model.types())}
	s.news = sync.NewCond(&s.mu)
	s.drawer.resize(24, 80)
	s.nvt = nvt.New(conn, nvt.Config{Agree: agree, Changed: s.option, Parameters: s.parameters})
	go s.listen()
	return s
}

// Read waits until the screen has changed and gives what draws it.
func (s *Session) Read(p []byte) (int, error) {
	if err := s.conn.Err(); err != nil || len(p) == 0 {
		return 0, err
	}
	if s.drawn == "" {
		if err := s.draw(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.drawn)
	s.drawn = s.drawn[n:]
	return n, nil
}

// draw waits until the screen has changed, and draws it.
func (s *Session) draw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = true
	s.news.Broadcast()
	for !s.changed && s.end == nil {
		s.news.Wait()
	}
	s.waiting = false
	if err := s.conn.Err(); err != nil {
		return err
	}
	if !s.changed {
		if p, ok := s.end.(*nvt.Panic); ok { //nolint:errorlint // it is never wrapped
			panic(p)
		}
		return s.end
	}
	s.changed = false
	s.drawn = s.drawer.draw(s.picture())
	return nil
}

// change says that the screen has changed. After the end nothing is drawn.
func (s *Session) change() {
	if s.end != nil {
		return
	}
	s.changed = true
	s.news.Broadcast()
}

// listen takes in what the host sends, to its end.
func (s *Session) listen() {
	defer func() {
		if p := nvt.Recovered(recover()); p != nil {
			s.finish(p)
		}
	}()
	var octet [1]byte // more would not tell what came before a change of the mode
	for {
		n, command, err := s.nvt.Read(octet[:])
		switch {
		case errors.Is(err, io.EOF) && len(s.record) > 0:
			err = io.ErrUnexpectedEOF
		case err == nil:
			err = s.take(octet[:n], command)
		}
		if err != nil {
			s.finish(err)
			return
		}
	}
}

// finish says why nothing more comes.
func (s *Session) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = err
	s.news.Broadcast()
}

// take takes in bytes of data, or a command.
func (s *Session) take(data []byte, command nvt.Command) error {
	s.establish(len(data) > 0 || command == nvt.EOR)
	s.mu.Lock()
	is3270 := s.negotiation.is3270()
	s.mu.Unlock()
	switch {
	case !is3270:
		return s.show(data)
	case command == nvt.EOR:
		record := s.record
		s.record = s.record[:0]
		return s.answer(s.receive(record))
	case len(s.record)+len(data) > maxRecord:
		return fmt.Errorf("%w: a record of more than %d bytes", access.ErrTooLong, maxRecord)
	}
	s.record = append(s.record, data...)
	return nil
}

// establish ends the idle limit of connecting when text or a record has come.
func (s *Session) establish(now bool) {
	if now && !s.established {
		s.established = true
		s.conn.SetIdle(s.idle)
	}
}

// show shows text, of a host that does not speak 3270. What was typed before it
// is typed to that host.
func (s *Session) show(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var typed []byte
	for _, k := range s.terminal.waiting {
		typed = append(typed, s.textOf(k)...)
	}
	s.text, s.terminal.waiting, s.terminal.lock = true, nil, Unlocked
	s.terminal.print(text)
	s.change()
	return s.nvt.Enqueue(typed, 0)
}

// receive carries out a record when the one before has been seen, and returns
// the records that answer it.
func (s *Session) receive(record []byte) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.await()
	s.change()
	return append(s.terminal.receive(record), s.terminal.resume()...)
}

// await waits until the screen has been seen and Read waits for another one.
func (s *Session) await() {
	for (s.changed || !s.waiting) && s.conn.Err() == nil {
		s.news.Wait()
	}
}

// option takes in that an option is in force, or not any more.
func (s *Session) option(o nvt.Option, side nvt.Side, on bool) {
	s.negotiate(func() { s.negotiation.on[side][o] = on })
}

// parameters takes in a subnegotiation.
func (s *Session) parameters(o nvt.Option, parameters []byte) {
	var answer []byte
	var ok bool
	s.negotiate(func() { answer, ok = s.negotiation.nextType(o, parameters) })
	if ok {
		_ = s.nvt.Subnegotiate(o, answer) // should it fail, so does what comes next
	}
}

// negotiate does what may change between text and 3270, each of which begins
// with an empty screen.
func (s *Session) negotiate(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.negotiation.is3270()
	if before {
		s.await() // it may be about to end, and its last screen with it
	}
	do()
	if s.negotiation.is3270() == before {
		return
	}
	s.text, s.record = false, nil
	s.terminal.resize(s.terminal.model.primary())
	s.terminal.lock = Waiting
	if before {
		s.change()
	}
}

// answer sends records that the host has asked for, without waiting for it to
// take them: it may be waiting for us to take what it sends.
func (s *Session) answer(records [][]byte) error {
	for _, record := range records {
		if err := s.nvt.Enqueue(record, nvt.EOR); err != nil {
			return err
		}
	}
	return nil
}

// send sends records.
func (s *Session) send(records [][]byte) error {
	for _, record := range records {
		if err := s.nvt.Send(record, nvt.EOR); err != nil {
			return err
		}
	}
	return nil
}

// Write types p, which is UTF-8 as a terminal sends it: doc/tn3270.md says which
// keys it has. While the host has the turn keys are kept, up to 1024; a key that
// the keyboard does not take is passed over, and [Picture.Lock] says why. A
// sequence of bytes that is one key may come in several Writes.
func (s *Session) Write(p []byte) (int, error) {
	s.typing.Lock()
	defer s.typing.Unlock()
	if err := s.press(s.keys.read(p)); err != nil {
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
	if err := s.conn.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	s.drawer.notice(nil)
	var records [][]byte
	var text []byte
	for _, k := range keys {
		if k == Redraw {
			s.drawer.forget()
		} else if s.text {
			text = append(text, s.textOf(k)...)
		} else if record := s.pressed(k); record != nil {
			records = append(records, record)
		}
	}
	s.change()
	s.mu.Unlock()
	if len(text) > 0 {
		return s.nvt.Send(text, 0)
	}
	return s.send(records)
}

// pressed presses a key of the 3270 and returns the record that it sends. Until
// 3270 is agreed on the host has the turn, and Reset does not end that.
func (s *Session) pressed(k Key) (record []byte) {
	record = s.terminal.press(k)
	if !s.negotiation.is3270() {
		s.terminal.lock = Waiting
	}
	return record
}

// textOf returns what a key sends to a host that does not speak 3270, and shows
// it if the host does not.
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

// Note has what is drawn show lines over its last rows, until the next key. The
// lines are shown as they are, and cut where the terminal ends. The screen does
// not have them.
func (s *Session) Note(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawer.notice(lines)
	s.change()
}

// Resize says how large the terminal is that shows what is read. The size of
// the screen is the model's: what has no room is not drawn.
func (s *Session) Resize(columns, rows int) error {
	if err := s.conn.Err(); err != nil {
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
func (s *Session) Screen() terminal.Screen {
	return s.Picture().screen()
}

// Picture returns how the screen looks now.
func (s *Session) Picture() Picture {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.picture()
}

func (s *Session) picture() Picture {
	p := s.terminal.picture()
	p.Connected = s.negotiation.is3270()
	return p
}

// Close ends the session. It may be called at any time, more than once.
func (s *Session) Close() error {
	err := s.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news.Broadcast()
	return err
}
