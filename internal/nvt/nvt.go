// Package nvt implements Telnet connections (RFC 854). It separates commands from
// data, and negotiates options by the method of RFC 1143, which cannot loop.
//
//	data  IAC WILL ECHO  data  IAC SB NAWS 0 80 0 24 IAC SE  data  IAC EOR
//	      \___________/        \___________________________/       \_____/
//	       negotiation                subnegotiation               command
//
// It does not interpret the data, such as line ends (RFC 854) and records
// (RFC 1576).
//
// Notable divergences:
//   - RFC 854 "Synch": urgent data is not detected, because the package works on a
//     byte stream. A Data Mark is passed to the caller.
//   - RFC 854, RFC 1143 §7: a request for an option is refused at most eight
//     times, so that a peer that repeats a refused request cannot cause a loop.
//   - RFC 860: a timing mark is answered when the data before it has been read,
//     not when it has been shown.
//   - RFC 855: if a command other than IAC or SE occurs within parameters, the
//     subnegotiation is ignored.
package nvt

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"locus/access"
)

// A Command is the byte after IAC.
type Command byte

// The commands of RFC 854, and EOR of RFC 885.
const (
	EOR  Command = 239 // the end of a record
	SE   Command = 240 // the end of a subnegotiation
	NOP  Command = 241
	DM   Command = 242
	BRK  Command = 243
	IP   Command = 244
	AO   Command = 245
	AYT  Command = 246
	EC   Command = 247
	EL   Command = 248
	GA   Command = 249
	SB   Command = 250 // the start of a subnegotiation
	WILL Command = 251
	WONT Command = 252
	DO   Command = 253
	DONT Command = 254
	IAC  Command = 255 // an escaped byte 255
)

const (
	maxParameters = 4096     // bytes in a subnegotiation
	maxPending    = 64 << 10 // pending bytes
	maxRefusals   = 8        // of one option
	chunkSize     = 4096     // bytes of data in one write
)

// A Config has the callbacks of a Conn. Any may be nil. Read calls them. They may
// call every method of the Conn except Read.
type Config struct {
	// Agree reports whether to accept an option that the peer requests. Nil refuses every
	// option.
	Agree func(o Option, side Side) bool
	// Changed is called when an option has become active or inactive. It is also
	// called, with on false, when the peer refuses an option that we requested.
	Changed func(o Option, side Side, on bool)
	// Parameters is called with the parameters of a subnegotiation, if the option
	// is active on either side. They are valid until it returns.
	Parameters func(o Option, parameters []byte)
}

// A Conn is a Telnet connection. One goroutine at a time may call Read. Several
// goroutines may call the other methods at once.
type Conn struct {
	config Config
	w      io.Writer
	r      *bufio.Reader

	readErr        error // returned by every further Read
	optionsChanged bool  // an option has changed, or has sent parameters, since Read was called

	mu       sync.Mutex
	states   [2][256]state
	refusals [2][256]uint8
	pending  []byte // not yet written
	writeErr error  // returned by every further write
	panicked *Panic // in the goroutine that writes

	writeMu sync.Mutex // held while pending is written
}

// New returns a Conn over rw. It sends data only when the peer requests an option or a method
// is called.
func New(rw io.ReadWriter, c Config) *Conn {
	return &Conn{config: c, w: rw, r: bufio.NewReaderSize(rw, chunkSize)}
}

// Read reads data into p. It returns n bytes of data that have arrived, and the command after them,
// or 0 if no command has arrived. It waits until there is data or a command. Read answers
// negotiations itself. If it has called Changed or Parameters and has not received data, it returns
// 0, 0 and nil, so that the caller can react. The error is io.EOF if the connection ends between
// commands. Every further Read returns the same error.
func (c *Conn) Read(p []byte) (n int, command Command, err error) {
	if c.readErr == nil {
		c.optionsChanged = false
		n, command, c.readErr = c.read(p)
		_ = c.startFlush()
		if n > 0 || c.readErr == nil {
			return n, command, nil
		}
	}
	c.rethrowPanic()
	if access.IsEnd(c.readErr) { // the peer may still read our answers
		_ = c.flush()
	}
	return 0, 0, c.readErr
}

// read does the work of Read, but returns an error together with the data before it, and does not
// keep the error. It does not wait if it has data or if an option has changed.
func (c *Conn) read(p []byte) (n int, command Command, err error) {
	for n < len(p) {
		if c.r.Buffered() == 0 {
			if n > 0 || c.optionsChanged {
				break
			}
			_ = c.startFlush()
		}
		b, err := c.r.ReadByte()
		if err != nil {
			return n, 0, err
		}
		if Command(b) != IAC {
			p[n] = b
			n++
			continue
		}
		command, err := c.command()
		switch {
		case err != nil:
			return n, 0, early(err)
		case command == IAC:
			p[n] = b
			n++
		case command != 0:
			return n, command, nil
		}
	}
	return n, 0, nil
}

// early returns io.ErrUnexpectedEOF if err is io.EOF, and err otherwise.
func early(err error) error {
	if access.IsEnd(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// command reads a command, of which IAC has been read, and returns it. It handles negotiation
// itself, and returns 0 for it and for a command without an effect.
func (c *Conn) command() (Command, error) {
	b, err := c.r.ReadByte()
	if err != nil {
		return 0, err
	}
	switch command := Command(b); command {
	case WILL, WONT, DO, DONT:
		o, err := c.r.ReadByte()
		if err != nil {
			return 0, err
		}
		return 0, c.negotiate(command, Option(o))
	case SB:
		return c.subnegotiation()
	case SE, NOP: // no effect
		return 0, nil
	default:
		if command < EOR { // not a command
			return 0, nil
		}
		return command, nil
	}
}

// subnegotiation reads the option and the parameters after IAC SB, and calls Config.Parameters if
// the option is active. It returns 0 after IAC SE. If another command ends the parameters, it
// ignores them and returns that command.
func (c *Conn) subnegotiation() (Command, error) {
	o, err := c.r.ReadByte()
	if err != nil {
		return 0, err
	}
	var parameters []byte
	for {
		b, err := c.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if Command(b) == IAC {
			next, err := c.r.Peek(1)
			if err != nil {
				return 0, err
			}
			if Command(next[0]) != IAC && Command(next[0]) != SE {
				return c.command()
			}
			_, _ = c.r.Discard(1)
			if Command(next[0]) == SE {
				break
			}
		}
		if len(parameters) == maxParameters {
			return 0, fmt.Errorf("parameters of the Telnet option %v: %w", Option(o), access.ErrTooLong)
		}
		parameters = append(parameters, b)
	}
	option := Option(o)
	if c.config.Parameters != nil && (c.IsActive(option, Us) || c.IsActive(option, Them)) {
		c.optionsChanged = true
		c.config.Parameters(option, parameters)
	}
	return 0, nil
}

// negotiate answers the command WILL, WONT, DO or DONT of the peer. Config.Agree decides about an
// option that the peer wants to be on.
func (c *Conn) negotiate(command Command, o Option) error {
	side := Us
	if command == WILL || command == WONT {
		side = Them
	}
	on := command == DO || command == WILL
	if o == TimingMark {
		if command == DO {
			return c.enqueue(byte(IAC), byte(WILL), byte(o))
		}
		return nil
	}
	agree := on && c.config.Agree != nil && c.config.Agree(o, side)
	return c.change(o, side, func(s state) transition {
		if on {
			return s.receiveOn(agree)
		}
		return s.receiveOff()
	})
}

// Want requests that an option becomes active on a side if on is set, or else inactive. It does not
// wait for the peer's answer, which Config.Changed reports.
func (c *Conn) Want(o Option, side Side, on bool) error {
	err := c.change(o, side, func(s state) transition { return s.request(on) })
	return errors.Join(err, c.startFlush())
}

// change replaces the state of an option on a side as next tells, and sends the command of the
// transition. If the option is now on or off, or was refused, it sets c.optionsChanged and calls
// Config.Changed. It sends at most maxRefusals refusals of an option.
func (c *Conn) change(o Option, side Side, next func(state) transition) error {
	c.mu.Lock()
	before := c.states[side][o]
	t := next(before)
	c.states[side][o] = t.to
	isRefusal := before == no && t.to == no && t.sends
	if isRefusal {
		if c.refusals[side][o] == maxRefusals {
			t.sends = false
		} else {
			c.refusals[side][o]++
		}
	}
	c.mu.Unlock()
	if t.sends {
		if err := c.enqueue(byte(IAC), byte(verb(side, t.on)), byte(o)); err != nil {
			return err
		}
	}
	isRefused := before == wantYes && t.to == no
	if on := t.to.isActive(); on != before.isActive() || isRefused { // not in calls of Want
		c.optionsChanged = true
		if c.config.Changed != nil {
			c.config.Changed(o, side, on)
		}
	}
	return nil
}

// verb returns the command that requests the state of an option on a side, or agrees to it: WILL,
// WONT, DO or DONT.
func verb(side Side, on bool) Command {
	switch {
	case side == Us && on:
		return WILL
	case side == Us:
		return WONT
	case on:
		return DO
	}
	return DONT
}

// IsActive reports whether an option is active on a side.
func (c *Conn) IsActive(o Option, side Side) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states[side][o].isActive()
}

// Subnegotiate sends the parameters of an option. It does not wait until they have been written.
func (c *Conn) Subnegotiate(o Option, parameters []byte) error {
	p := append([]byte{byte(IAC), byte(SB), byte(o)}, encode(parameters, SE)...)
	return errors.Join(c.enqueue(p...), c.startFlush())
}

// Send sends data, and then a command unless command is 0. It returns when everything has been
// written.
func (c *Conn) Send(data []byte, command Command) error {
	for len(data) > chunkSize {
		if err := c.send(encode(data[:chunkSize], 0)); err != nil {
			return err
		}
		data = data[chunkSize:]
	}
	return c.send(encode(data, command))
}

// Enqueue sends data, and then a command unless command is 0, but does not wait until they have
// been written. The error wraps access.ErrTooLong if too much data is pending. Enqueue does not
// return a write error, because data of the peer may still be read.
func (c *Conn) Enqueue(data []byte, command Command) error {
	err := c.enqueue(encode(data, command)...)
	_ = c.startFlush()
	return err
}

// encode returns data with every IAC doubled and, unless command is 0, followed by IAC and the
// command.
func encode(data []byte, command Command) []byte {
	iac := []byte{byte(IAC)}
	p := bytes.ReplaceAll(data, iac, append(iac, iac...))
	if command != 0 {
		p = append(p, byte(IAC), byte(command))
	}
	return p
}

// send writes the pending data and p, and waits until both have been written. p must be encoded.
func (c *Conn) send(p []byte) error {
	c.mu.Lock()
	c.pending = append(c.pending, p...)
	c.mu.Unlock()
	return c.flush()
}

// enqueue appends p, which must be encoded, to pending. The error wraps access.ErrTooLong if
// pending is full. enqueue never blocks, because if Read waited for a write, and the peer waited
// for us to read, both would wait forever.
func (c *Conn) enqueue(p ...byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending)+len(p) > maxPending {
		return fmt.Errorf("pending output: %w: %d bytes", access.ErrTooLong, len(c.pending))
	}
	c.pending = append(c.pending, p...)
	return nil
}

// flush waits for another write to end, and then writes the pending data. It returns the error of
// this or an earlier write.
func (c *Conn) flush() error {
	c.writeMu.Lock()
	return c.flushLocked()
}

// startFlush starts to write the pending data, and does not wait. It returns the error of an
// earlier write.
func (c *Conn) startFlush() error {
	if c.hasPending() && c.writeMu.TryLock() {
		go c.flushInBackground() // ends when the connection is closed, at the latest
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeErr
}

// flushInBackground writes the pending data and unlocks writeMu, which its caller has locked. If
// the write panics, it closes the connection, so that Read returns and can panic in the caller's
// goroutine.
func (c *Conn) flushInBackground() {
	defer func() {
		p := Recovered(recover())
		if p == nil {
			return
		}
		c.mu.Lock()
		c.panicked, c.writeErr = p, p
		c.mu.Unlock()
		c.writeMu.Unlock()
		if closer, ok := c.w.(io.Closer); ok {
			_ = closer.Close()
		}
	}()
	_ = c.flushLocked()
}

// rethrowPanic panics with the *Panic of flushInBackground, if it has panicked.
func (c *Conn) rethrowPanic() {
	c.mu.Lock()
	p := c.panicked
	c.mu.Unlock()
	if p != nil {
		panic(p)
	}
}

// flushLocked writes the pending data, and unlocks writeMu, which its caller has locked. It checks
// again afterwards, because other goroutines may have added data while writeMu was locked.
func (c *Conn) flushLocked() error {
	for {
		err := c.writePending()
		c.writeMu.Unlock()
		if err != nil || !c.hasPending() || !c.writeMu.TryLock() {
			return err
		}
	}
}

// writePending writes the data that is pending now. The caller holds writeMu. After an error, it
// drops the data, and later calls return the same error.
func (c *Conn) writePending() error {
	c.mu.Lock()
	p, err := c.pending, c.writeErr
	c.pending = nil
	c.mu.Unlock()
	if err != nil || len(p) == 0 {
		return err
	}
	if _, err = c.w.Write(p); err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeErr = err
	return err
}

// hasPending reports whether data waits to be written.
func (c *Conn) hasPending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) > 0
}

// A Panic is a recovered panic of a background goroutine. The next Read panics
// with it, so that the user of a session can clean up.
type Panic struct {
	Value any    // the argument of panic
	Stack []byte // of the goroutine
}

// Recovered returns a Panic with value, the result of recover, and the stack of this goroutine. It
// returns nil if value is nil, and value itself if it is a *Panic.
func Recovered(value any) *Panic {
	if p, ok := value.(*Panic); ok || value == nil {
		return p
	}
	return &Panic{value, debug.Stack()}
}

// Error returns the value and the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }
