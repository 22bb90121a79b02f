// Package console connects an interactive session to the terminal of its user, or to pipes, as
// telnet(1) does. The text that the user types goes to the server, except for the commands after an
// escape key.
package console

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"locus/access"
	"locus/terminal"
)

// A Console connects a session to its user. Stdin, Stdout and Out must be set. Use a Console
// for one session.
//
// While the server echoes, the terminal does not echo, and sends every key at once. Run always
// restores the terminal at the end of the session.
type Console struct {
	// Stdin is the keyboard, or a pipe whose lines are sent as if they were typed. Out writes to
	// Stdout. If Stdout is a terminal, the session gets its size. Messages in the middle of a
	// session go to Stderr, or to the screen that the session draws. Stderr may be nil.
	Stdin, Stdout, Stderr *os.File
	Out                   *bufio.Writer

	// Signals are the signals of the process. nil means that signals are ignored, and that the
	// process cannot be suspended.
	Signals Signals

	// Escape is the byte of the escape key, as ParseKey returns it, or NoKey for no escape key.
	// After the escape key, q or "." ends the session, z suspends the process, and ? shows Advice
	// and the keys.
	Escape int
	Advice string

	// Name begins each message, such as "locus".
	Name string

	// Decode returns a Decoder that converts the output for a terminal, and writes it to w. Encode
	// returns a Writer that converts the typed text, and writes it to w; it may return nil. They
	// are not called for pipes and for sessions that draw their screen. If they are nil, text is
	// not converted.
	Decode func(w io.WriteCloser) Decoder
	Encode func(w io.Writer) io.Writer

	// Restored, if not nil, is called when the context of Run has ended and the terminal is
	// restored.
	Restored func()

	session terminal.Session // set by Run
	screen  io.ReadCloser    // the output of the session: see screenOf
	modes   modes
	decoder Decoder     // nil: the output is written unchanged
	filter  *filter     // nil: the output is not a terminal, or locus draws it
	encoder io.Writer   // nil: typed text is sent unchanged
	ended   atomic.Bool // the user or the context has ended the session

	// silence is the timer that ends the session after maxSilence; nil until a pipe on stdin has ended.
	silence atomic.Pointer[time.Timer]

	changed bool // the server has sent an ESC, and may have changed the modes of the terminal
	isReset bool // resetModes was called
}

// A Decoder converts text to UTF-8. IsUTF8 reports whether the text was already UTF-8. Any
// goroutine may call it.
type Decoder interface {
	io.WriteCloser
	IsUTF8() bool
}

// Signals are the signals of the process, as in package os/signal.
type Signals interface {
	Notify(c chan<- os.Signal, signals ...os.Signal)
	Stop(c chan<- os.Signal)
}

// Run runs the session of r until the user or the server ends it, or until ctx is done. It closes
// the Body of r. It returns nil if the user or the server has ended the session. After Run, a
// goroutine may continue to read Stdin until its Read returns.
func (c *Console) Run(ctx context.Context, r *access.Resource) error {
	defer r.Body.Close()
	if r.Session == nil {
		return fmt.Errorf("%s: it is not a session", r.URL.Redacted())
	}
	c.session, c.screen = r.Session, c.screenOf(r)
	c.addConverters()
	c.resize()
	if err := c.setMode(); err != nil {
		return err
	}
	defer c.resetModes()
	defer c.restoreForGood()
	defer context.AfterFunc(ctx, c.cancelled)()
	defer onSignals(c.Signals, terminalSignals, func(s os.Signal) { c.restoreIfPanic(func() { c.handleSignal(s) }) })()
	stdinIsTerminal := isTerminal(c.Stdin) // isTerminal is called here because the caller may close Stdin after Run
	go c.restoreIfPanic(func() { c.sendInput(stdinIsTerminal) })
	if isTerminal(c.Stdout) {
		defer time.AfterFunc(emptyTime, func() { c.restoreIfPanic(c.noteEmpty) }).Stop()
	}
	err := c.copyOutput()
	if c.decoder != nil {
		err = errors.Join(err, c.decoder.Close(), c.Out.Flush())
	}
	c.restoreForGood()
	c.resetModes()
	if c.ended.Load() {
		return nil // the user has ended the session
	}
	return err
}

// isTerminal reports whether f is a terminal. It returns false for nil.
func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// emptyTime is the time after which a message explains an empty terminal.
const emptyTime = 3 * time.Second

// noteEmpty shows the user a message if the server has sent no text yet.
func (c *Console) noteEmpty() {
	if c.session.Screen().IsEmpty() {
		c.note("the server has sent no text yet")
	}
}

// maxSilence is the time after the end of a pipe on stdin for which the session waits for output of
// the server. If the server is silent for so long, the session ends.
const maxSilence = 3 * time.Second

// copyOutput writes the output of the session until the output ends. It returns nil if the session
// ended without an error. Before it writes new output, it restarts the timer of silence, and adapts
// the mode of the terminal to the session.
func (c *Console) copyOutput() error {
	b := make([]byte, 32<<10)
	for {
		n, err := c.screen.Read(b)
		if timer := c.silence.Load(); timer != nil {
			timer.Reset(maxSilence)
		}
		if err == nil { // decode first, because the text may ask for a password
			if err := c.setMode(); err != nil {
				return err
			}
		}
		c.changed = c.changed || bytes.IndexByte(b[:n], '\x1b') >= 0
		if failed := c.write(b[:n]); failed != nil {
			return failed
		}
		if access.IsEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// write writes b to Out, through the decoder and the filter if there are any, and flushes Out.
func (c *Console) write(b []byte) error {
	var out io.Writer = c.Out
	if c.filter != nil {
		out = c.filter
	}
	if c.decoder != nil {
		out = c.decoder
	}
	if _, err := out.Write(b); err != nil {
		return err
	}
	return c.Out.Flush()
}

// addConverters sets the filter, the decoder and the encoder of a session on a terminal. It leaves
// them nil for a pipe, and for a session that draws its screen, which writes UTF-8.
func (c *Console) addConverters() {
	if _, draws := c.session.(drawer); draws || !isTerminal(c.Stdout) {
		return
	}
	c.filter = &filter{to: c.Out}
	if c.Decode != nil {
		c.decoder = c.Decode(keptOpen{c.filter})
	}
	if c.Encode != nil {
		c.encoder = c.Encode(c.session)
	}
}

// A keptOpen is a Writer whose Close leaves the file open.
type keptOpen struct{ io.Writer }

// Close does nothing.
func (keptOpen) Close() error { return nil }

// send sends typed text to the server, through the encoder unless the server writes UTF-8.
func (c *Console) send(typed []byte) error {
	var to io.Writer = c.session
	if c.encoder != nil && (c.decoder == nil || !c.decoder.IsUTF8()) {
		to = c.encoder
	}
	_, err := to.Write(typed)
	return err
}

// controlD is the key that a terminal in line mode turns into an end of file.
const controlD = 'D' - '@'

// sendInput sends the text that the user types, or the text of a pipe, until stdin or the session
// ends. terminal says whether stdin is a terminal: at its end sendInput sends ^D and goes on. After
// the end of a pipe, it starts the timer that ends a silent session. sendInput returns no error,
// because copyOutput returns the same error.
func (c *Console) sendInput(terminal bool) {
	keys := keys{escape: c.Escape}
	b := make([]byte, 4096)
	for {
		n, err := c.Stdin.Read(b)
		if terminal && access.IsEnd(err) {
			b[0], n, err = controlD, 1, nil
		}
		keys.lines = !c.modes.raw.Load()
		if c.sendTyped(&keys, b[:n]) != nil || c.ended.Load() {
			return
		}
		if err != nil && !terminal {
			c.silence.Store(time.AfterFunc(maxSilence, c.end))
		}
		if err != nil {
			return
		}
	}
}

// sendTyped sends typed text, and runs the commands after escape keys in it.
func (c *Console) sendTyped(keys *keys, typed []byte) error {
	for len(typed) > 0 && !c.ended.Load() {
		text, command, rest := keys.split(typed)
		if len(text) > 0 {
			if err := c.send(text); err != nil {
				return err
			}
		}
		if command != NoKey {
			c.runCommand(command)
		}
		typed = rest
	}
	return nil
}

// end ends the session on behalf of the user, so that Run returns nil.
func (c *Console) end() {
	c.ended.Store(true)
	_ = c.screen.Close() // then copyOutput returns
}

// runCommand runs the command of the key that was typed after the escape key. For an unknown key it
// shows the list of commands.
func (c *Console) runCommand(key int) {
	switch key {
	case 'q', '.':
		c.end()
	case 'z', 'Z' - '@':
		c.suspend()
	default:
		var lines []string
		if c.Advice != "" {
			lines = append(lines, c.Advice)
		}
		c.note(append(lines, "q ends the session, z suspends it, "+KeyName(c.Escape)+" is sent")...)
	}
}

// note shows messages in the middle of a session, each after c.Name and a colon. They go to the
// screen if the session draws one, and otherwise to Stderr, if it is not nil. note changes lines.
func (c *Console) note(lines ...string) {
	for i, line := range lines {
		lines[i] = c.Name + ": " + line
	}
	if drawn, ok := c.screen.(*drawing); ok {
		drawn.Note(lines...)
		return
	}
	if c.Stderr == nil {
		return
	}
	fmt.Fprintf(c.Stderr, "\r\n%s\r\n", strings.Join(lines, "\r\n"))
}

// keys finds the user's commands in the typed text. It remembers an escape key between two calls of
// split.
type keys struct {
	escape  int  // NoKey if there is no escape key
	escaped bool // the last key was the escape key
	lines   bool // the text comes in lines, which end in LF
}

// split returns the text for the server up to the first command in typed, the key of that command
// (NoKey if there is no command), and the bytes after that key. Two escape keys in a row send one.
// k remembers an escape key at the end of typed for the next call. If the terminal sends whole
// lines, LF becomes CR, but LF after an escape key is dropped.
func (k *keys) split(typed []byte) (text []byte, command int, rest []byte) {
	for i, c := range typed {
		isEscape := int(c) == k.escape
		switch {
		case k.escaped && isEscape:
			k.escaped = false
			text = append(text, c)
		case k.escaped && c == '\n' && k.lines: // the escape key is alone on its line
		case k.escaped:
			k.escaped = false
			return text, int(c), typed[i+1:]
		case isEscape:
			k.escaped = true
		case c == '\n' && k.lines:
			text = append(text, '\r')
		default:
			text = append(text, c)
		}
	}
	return text, NoKey, nil
}

// NoKey is the value of Console.Escape if no key is the escape key.
const NoKey = -1

// ParseKey returns the byte of the key with a name: ^X for a control character, ^? for DEL, a
// single byte for itself. For "none" it returns NoKey.
func ParseKey(text string) (int, error) {
	switch {
	case text == "none":
		return NoKey, nil
	case len(text) == 1:
		return int(text[0]), nil
	case text == "^?":
		return 0x7F, nil
	case len(text) == 2 && text[0] == '^' && text[1] >= '@' && text[1] <= 'z':
		return int(text[1] & 0x1F), nil
	}
	return 0, fmt.Errorf("%q is neither none nor a key such as ^] or ~", text)
}

// KeyName returns the name of a key, such as "^X" or "none". It is the inverse of ParseKey.
func KeyName(key int) string {
	switch {
	case key == NoKey:
		return "none"
	case key < ' ' || key == 0x7F:
		return "^" + string(rune(key^0x40))
	}
	return string(rune(key))
}
