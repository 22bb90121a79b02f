package open

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/proto/tn3270"
	"locus/terminal"
	"locus/url"
)

// runSession opens a session, and runs it on the terminal until either side ends it.
func runSession(ctx context.Context, e *cli.Env, engine access.Engine, u url.URL, escape int, text cli.Text) error {
	r, err := engine.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	session := r.Session
	if session == nil {
		return fmt.Errorf("%s: it is not a session", u.Redacted())
	}
	c := &console{Env: e, session: session, screen: screenOf(e, r), escape: escape, advice: e.LoginAdvice(r)}
	c.setCharset(text)
	c.advise()
	c.resize()
	if err := c.adapt(); err != nil {
		return err
	}
	defer c.tidy()
	defer c.leave()
	defer context.AfterFunc(ctx, c.abandon)()
	defer onSignals(e.Signals, terminalSignals, func(s os.Signal) { c.guarded(func() { c.handle(s) }) })()
	go c.guarded(c.keyboard)
	err = c.show()
	if c.text != nil {
		err = errors.Join(err, c.text.Close(), c.Out.Flush())
	}
	c.leave()
	c.tidy()
	if c.over.Load() {
		err = nil // the user has ended it
	}
	if err == nil && cli.IsTerminal(e.Stderr) {
		e.Say("the session has ended")
	}
	return err
}

// advise shows the login that the URL suggests, and the escape key.
func (c *console) advise() {
	if c.advice != "" {
		c.Say(c.advice)
	}
	if c.escape >= 0 && cli.IsTerminal(c.Stdin) && cli.IsTerminal(c.Stderr) {
		c.Say("the escape key is " + keyName(byte(c.escape)) + "; then q ends the session, ? says more") //nolint:gosec // it is a byte
	}
}

// A console connects the user's terminal, or pipes, to a session.
type console struct {
	*cli.Env
	session terminal.Session
	screen  io.ReadCloser
	escape  int    // the byte of the escape key; -1 for none
	advice  string // see cli.Env.LoginAdvice
	modes   modes
	text    *cli.TextWriter // converts the output for a terminal; nil: it is written as it is
	encoder io.Writer       // converts what is typed; nil: it is sent as it is
	over    atomic.Bool     // this side has ended the session

	// silence ends the session; nil until a pipe on stdin has ended.
	silence atomic.Pointer[time.Timer]

	changed bool // the other side has sent control sequences to the terminal
	isTidy  bool // tidy was called
}

// maxSilence is how long the other side may be silent after the end of a pipe on
// stdin, before the session ends.
const maxSilence = 3 * time.Second

// show shows the output of the session until it ends.
func (c *console) show() error {
	b := make([]byte, 32<<10)
	for {
		n, err := c.screen.Read(b)
		if timer := c.silence.Load(); timer != nil {
			timer.Reset(maxSilence)
		}
		if err == nil { // first: the text may ask for a password
			if err := c.adapt(); err != nil {
				return err
			}
		}
		c.changed = c.changed || bytes.IndexByte(b[:n], '\x1b') >= 0
		if failed := c.write(b[:n]); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// write writes output at once.
func (c *console) write(b []byte) error {
	var out io.Writer = c.Out
	if c.text != nil {
		out = c.text
	}
	if _, err := out.Write(b); err != nil {
		return err
	}
	return c.Out.Flush()
}

// setCharset converts between the terminal and the other side: a terminal here shows UTF-8.
// The screen of a 3270 is UTF-8 already.
func (c *console) setCharset(text cli.Text) {
	if _, is3270 := c.session.(*tn3270.Session); is3270 || !cli.IsTerminal(c.Stdout) {
		return
	}
	c.text = text.Writer(keptOpen{c.Out}, "")
	c.encoder = text.Encoder(c.session)
}

// keptOpen is a Writer that is not closed.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// send sends what was typed. The encoder is not used if the other side writes UTF-8.
func (c *console) send(typed []byte) error {
	var to io.Writer = c.session
	if c.encoder != nil && !c.text.IsUTF8() {
		to = c.encoder
	}
	_, err := to.Write(typed)
	return err
}

// controlD is the key that a terminal in line mode turns into an end of file.
const controlD = 'D' - '@'

// keyboard sends what the user types until the end of stdin. It returns no error: show
// returns the same.
func (c *console) keyboard() {
	terminal := cli.IsTerminal(c.Stdin)
	keys := keys{escape: c.escape, do: c.command, lines: !terminal}
	b := make([]byte, 4096)
	for {
		n, err := c.Stdin.Read(b)
		if terminal && errors.Is(err, io.EOF) {
			b[0], n, err = controlD, 1, nil
		}
		keys.lines = !c.modes.raw.Load()
		if typed := keys.typed(b[:n]); len(typed) > 0 {
			if c.send(typed) != nil {
				return
			}
		}
		if err != nil && !terminal {
			c.silence.Store(time.AfterFunc(maxSilence, c.end))
		}
		if err != nil || c.over.Load() {
			return
		}
	}
}

// end ends the session.
func (c *console) end() {
	c.over.Store(true)
	_ = c.screen.Close() // show returns
}

// command executes the key after the escape key.
func (c *console) command(key byte) {
	switch key {
	case 'q', '.':
		c.end()
	case 'z', 'Z' - '@':
		c.suspend()
	default:
		var lines []string
		if c.advice != "" {
			lines = append(lines, c.advice)
		}
		c.note(append(lines, "q ends the session, z suspends it, "+keyName(byte(c.escape))+" is sent")...) //nolint:gosec // it is a byte
	}
}

// note shows lines of this command in the middle of a session: on the screen, if the
// session draws one, or else on stderr.
func (c *console) note(lines ...string) {
	for i, line := range lines {
		lines[i] = "locus: " + line
	}
	if drawn, ok := c.screen.(*drawing); ok {
		drawn.Note(lines...)
		return
	}
	fmt.Fprintf(c.Stderr, "\r\n%s\r\n", strings.Join(lines, "\r\n"))
}

// keys separates the keys for this command from the text for the other side.
type keys struct {
	escape  int            // -1 for none
	escaped bool           // the last key was the escape key
	lines   bool           // the text comes in lines, which end in LF
	do      func(key byte) // executes a key after the escape key
}

// typed returns the text for the other side.
func (k *keys) typed(b []byte) []byte {
	var typed []byte
	for _, c := range b {
		isEscape := int(c) == k.escape
		switch {
		case k.escaped && isEscape:
			k.escaped = false
			typed = append(typed, c)
		case k.escaped && c == '\n' && k.lines: // the escape key alone on its line
		case k.escaped:
			k.escaped = false
			k.do(c)
		case isEscape:
			k.escaped = true
		case c == '\n' && k.lines:
			typed = append(typed, '\r')
		default:
			typed = append(typed, c)
		}
	}
	return typed
}

// parseEscape reads the value of --escape: ^X, a single byte, or none, which is -1.
func parseEscape(text string) (int, error) {
	switch {
	case text == "none":
		return -1, nil
	case len(text) == 1:
		return int(text[0]), nil
	case text == "^?":
		return 0x7F, nil
	case len(text) == 2 && text[0] == '^' && text[1] >= '@' && text[1] <= 'z':
		return int(text[1] & 0x1F), nil
	}
	return 0, cli.Misuse("--escape wants a key such as ^] or ~, or none, not %q", text)
}

// keyName returns the value of --escape for a key.
func keyName(key byte) string {
	if key < ' ' || key == 0x7F {
		return "^" + string(rune(key^0x40))
	}
	return string(rune(key))
}
