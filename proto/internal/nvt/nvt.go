// Package nvt carries the data of Telnet (RFC 854): it takes the commands out
// of what arrives, and agrees on options with the other side by the method of
// RFC 1143, which cannot loop.
//
//	data  IAC WILL ECHO  data  IAC SB NAWS 0 80 0 24 IAC SE  data  IAC EOR
//	      \___________/        \___________________________/       \_____/
//	       negotiation                subnegotiation               command
//
// What the data mean (RFC 854's ends of lines, RFC 1576's records) is not its
// matter.
//
// Notable divergences:
//   - RFC 854 "Synch": urgent data are not looked for, and a Data Mark does
//     nothing: the package has a stream of octets, which knows no urgency.
//   - RFC 854, RFC 1143 §7: every request is answered, but one that is refused
//     eight times is not refused a ninth time. A peer that asks again whenever
//     it is refused makes no loop.
//   - RFC 860: a request for a timing mark is answered when what came before it
//     has been taken in, not when it has been shown.
//   - RFC 855: IAC within parameters, and neither IAC nor SE after it, ends the
//     subnegotiation, which is dropped.
package nvt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"locus/access"
)

// A Command is what follows IAC.
type Command byte

// Commands of RFC 854, and that of RFC 885.
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
	SB   Command = 250 // the begin of a subnegotiation
	WILL Command = 251
	WONT Command = 252
	DO   Command = 253
	DONT Command = 254
	IAC  Command = 255 // the octet 255 itself
)

const (
	maxParameters = 4096     // octets of a subnegotiation
	maxAnswers    = 64 << 10 // octets of answers that the other side does not take
	maxRefusals   = 8        // of one option
	chunk         = 4096     // octets of data that are sent at once
)

// A Config is what this side can do, and wants to know. The functions may be
// nil. They are called by Read, and may call every method of the Conn but Read.
type Config struct {
	// Agree reports whether an option that the other side wants may be in
	// force. nil agrees to none.
	Agree func(o Option, side Side) bool
	// Changed is called when an option has come into force, or is not any more.
	Changed func(o Option, side Side, on bool)
	// Parameters is called with what a subnegotiation of an option in force on
	// either side carries, which is good until it returns.
	Parameters func(o Option, parameters []byte)
}

// A Conn is a Telnet connection. Read is for one goroutine at a time; the other
// methods may be called by several at once.
type Conn struct {
	config Config
	w      io.Writer
	r      *bufio.Reader
	ended  error // why nothing more is read
	turned bool  // what was read has changed which options are in force

	mu       sync.Mutex
	states   [2][256]state
	refusals [2][256]uint8
	pending  []byte // what is to be sent
	failed   error  // why nothing can be sent any more
	broken   *Panic // of what sends answers

	writing sync.Mutex // held while pending is sent
}

// New returns a Conn over rw. Nothing is sent until the other side asks for
// something, or a method sends it.
func New(rw io.ReadWriter, c Config) *Conn {
	return &Conn{config: c, w: rw, r: bufio.NewReaderSize(rw, chunk)}
}

// Read reads data, without commands. It returns after at least one octet of
// data, with all that have arrived, or after a command, which came just behind
// them; 0 if there was none. Negotiation is not returned: Read answers it. But if
// that has changed which options are in force, and nothing more has arrived, Read
// returns without data, a command or an error, so that it is seen at once. The
// error is io.EOF if the connection ends between commands, and comes again with
// every further Read.
func (c *Conn) Read(p []byte) (n int, command Command, err error) {
	if c.ended == nil {
		c.turned = false
		n, command, c.ended = c.read(p)
		_ = c.pass()
		if n > 0 || c.ended == nil {
			return n, command, nil
		}
	}
	c.rethrow()
	if errors.Is(c.ended, io.EOF) { // the other side may still take answers, and waits for nothing
		_ = c.flush()
	}
	return 0, 0, c.ended
}

func (c *Conn) read(p []byte) (n int, command Command, err error) {
	for n < len(p) {
		if c.r.Buffered() == 0 {
			if n > 0 || c.turned {
				break
			}
			_ = c.pass()
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

// early makes an end that comes too soon an error.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// command reads what follows IAC. What belongs to options it does, and returns
// 0.
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
	case SE, NOP: // the end of nothing, and nothing
		return 0, nil
	default:
		if command < EOR { // no command at all
			return 0, nil
		}
		return command, nil
	}
}

// subnegotiation reads to IAC SE. If another command ends it that is returned.
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
	if c.config.Parameters != nil && (c.On(option, Us) || c.On(option, Them)) {
		c.config.Parameters(option, parameters)
	}
	return 0, nil
}

// negotiate does what one of the other side's WILL, WONT, DO and DONT asks for.
func (c *Conn) negotiate(command Command, o Option) error {
	side := Us
	if command == WILL || command == WONT {
		side = Them
	}
	begins := command == DO || command == WILL
	if o == TimingMark {
		if command == DO {
			return c.answer(byte(IAC), byte(WILL), byte(o))
		}
		return nil
	}
	agree := begins && c.config.Agree != nil && c.config.Agree(o, side)
	before := c.On(o, side)
	err := c.change(o, side, func(s state) move {
		if begins {
			return s.begins(agree)
		}
		return s.ends()
	})
	c.turned = c.turned || c.On(o, side) != before
	return err
}

// Want asks the other side to have an option in force, or not any more.
func (c *Conn) Want(o Option, side Side, on bool) error {
	err := c.change(o, side, func(s state) move { return s.asks(on) })
	return errors.Join(err, c.pass())
}

// change moves the state of an option on, and sends what goes with that.
func (c *Conn) change(o Option, side Side, step func(state) move) error {
	c.mu.Lock()
	before := c.states[side][o]
	m := step(before)
	c.states[side][o] = m.to
	refuses := before == no && m.to == no && m.sends
	if refuses {
		if c.refusals[side][o] == maxRefusals {
			m.sends = false
		} else {
			c.refusals[side][o]++
		}
	}
	c.mu.Unlock()
	if m.sends {
		if err := c.answer(byte(IAC), byte(verb(side, m.begin)), byte(o)); err != nil {
			return err
		}
	}
	if on := m.to.on(); on != before.on() && c.config.Changed != nil {
		c.config.Changed(o, side, on)
	}
	return nil
}

// verb returns how we speak of an option.
func verb(side Side, begin bool) Command {
	switch {
	case side == Us && begin:
		return WILL
	case side == Us:
		return WONT
	case begin:
		return DO
	}
	return DONT
}

// On reports whether an option is in force.
func (c *Conn) On(o Option, side Side) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states[side][o].on()
}

// Subnegotiate sends the parameters of an option.
func (c *Conn) Subnegotiate(o Option, parameters []byte) error {
	p := append(double([]byte{byte(IAC), byte(SB), byte(o)}, parameters), byte(IAC), byte(SE))
	return errors.Join(c.answer(p...), c.pass())
}

// Send sends data, and then a command if that is not 0. It returns when the
// other side has taken it, or an error.
func (c *Conn) Send(data []byte, command Command) error {
	for len(data) > chunk {
		if err := c.send(double(nil, data[:chunk])); err != nil {
			return err
		}
		data = data[chunk:]
	}
	return c.send(whole(data, command))
}

// Post is Send for who must not wait: it returns at once. As with answers, too
// much of what the other side does not take is an error; that it is gone is none,
// as what it has sent before can still be read.
func (c *Conn) Post(data []byte, command Command) error {
	err := c.answer(whole(data, command)...)
	_ = c.pass()
	return err
}

// whole returns data, and the command that comes after it, if it is not 0, as
// they are sent.
func whole(data []byte, command Command) []byte {
	p := double(nil, data)
	if command != 0 {
		p = append(p, byte(IAC), byte(command))
	}
	return p
}

// double appends data with every IAC doubled.
func double(to, data []byte) []byte {
	for _, b := range data {
		if Command(b) == IAC {
			to = append(to, b)
		}
		to = append(to, b)
	}
	return to
}

// send sends, and waits for its turn.
func (c *Conn) send(p []byte) error {
	c.mu.Lock()
	c.pending = append(c.pending, p...)
	c.mu.Unlock()
	return c.flush()
}

// answer puts p where it is sent from. It never waits: whoever reads must not,
// while the other side takes nothing and is itself waiting to be read.
func (c *Conn) answer(p ...byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending)+len(p) > maxAnswers {
		return fmt.Errorf("answers: %w: %d octets wait to be taken", access.ErrTooLong, len(c.pending))
	}
	c.pending = append(c.pending, p...)
	return nil
}

// flush sends what is pending, and returns when the other side has taken it.
func (c *Conn) flush() error {
	c.writing.Lock()
	return c.sendPending()
}

// pass has what is pending sent, and waits for nothing. The error is that of an
// earlier attempt: what the other side has sent before it went away can still be
// read.
func (c *Conn) pass() error {
	if c.waiting() && c.writing.TryLock() {
		go c.sendAnswers() // it ends with the connection at the latest
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// sendAnswers sends what is pending. Should it panic the connection is closed, so
// that whoever reads does not wait for ever, and is told.
func (c *Conn) sendAnswers() {
	defer func() {
		p := Recovered(recover())
		if p == nil {
			return
		}
		c.mu.Lock()
		c.broken, c.failed = p, p
		c.mu.Unlock()
		c.writing.Unlock()
		if closer, ok := c.w.(io.Closer); ok {
			_ = closer.Close()
		}
	}()
	_ = c.sendPending()
}

// rethrow panics if what sends answers has.
func (c *Conn) rethrow() {
	c.mu.Lock()
	broken := c.broken
	c.mu.Unlock()
	if broken != nil {
		panic(broken)
	}
}

// sendPending sends what is pending, with writing held, and gives that back. Who
// finds it held leaves what is pending to it: it looks again when it is done.
func (c *Conn) sendPending() error {
	for {
		err := c.drain()
		c.writing.Unlock()
		if err != nil || !c.waiting() || !c.writing.TryLock() {
			return err
		}
	}
}

// drain sends what is pending now.
func (c *Conn) drain() error {
	c.mu.Lock()
	p, err := c.pending, c.failed
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
	c.failed = err
	return err
}

// waiting reports whether there is something to be sent.
func (c *Conn) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) > 0
}
