package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/scheme"
	"locus/terminal"
	"locus/url"
)

func (p *process) openCommand() *cli.Command {
	return &cli.Command{
		Name:      "open",
		Usage:     "open a terminal session, or a URL in the browser",
		UsageText: "locus open [FLAG…] URL",
		Description: "URLs of telnet, rlogin and tn3270 open a session on this terminal. The escape key ^]\n" +
			"and then q ends it. All other URLs open in the browser: http and https directly, the\n" +
			"others through the gateway of locus serve. example.org and //example.org mean https.\n\n" +
			"What you type goes to the other side, except the escape key. After the escape key\n" +
			"\n" +
			"   q   ends the session\n" +
			"   z   suspends locus, until fg in the shell\n" +
			"   ?   shows the keys, and the login that the URL recommends\n" +
			"\n" +
			"and the escape key itself is sent. User and password of the URL are shown, and not\n" +
			"typed. rlogin sends the user names, and needs a port below 1024 on this machine.\n\n" +
			"A 3270 has Enter, Tab, the arrows and these keys: F1 to F12, or ESC 1 … ESC =, are PF1\n" +
			"to PF12, with Shift PF13 to PF24; ESC , ESC . ESC / are PA1 to PA3; ^C is Clear, ^R\n" +
			"Reset, ^E erases to the end of the field, ^L draws the screen again. If the terminal\n" +
			"has one row more than the screen, that row says why keys are rejected.\n\n" +
			"If stdin is not a terminal, its lines are typed at once. When stdin has ended, the\n" +
			"session ends as soon as the other side has sent nothing for three seconds.",
		Flags:    flags("escape send-user model code-page at " + connectFlags),
		Metadata: details("escape at timeout proxy", "locus open telnet://example.org/"),
		Action:   p.open,
	}
}

func (p *process) open(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 1, 1)
	if err != nil {
		return err
	}
	escape, err := parseEscape(c.String("escape"))
	if err != nil {
		return err
	}
	o, err := p.sessionClient(c)
	if err != nil {
		return err
	}
	u, err := parseTyped(scheme.Unprefix(args[0]))
	if err != nil {
		return err
	}
	if s, _ := scheme.Lookup(u.Scheme()); !s.Flags.Has(scheme.Session) {
		if !slices.Contains(o.Schemes(), u.Scheme()) {
			_, err := access.Table(nil).Do(ctx, &access.Request{URL: u})
			return err
		}
		return p.browse(ctx, c, u)
	}
	ctx, stop := signal.NotifyContext(ctx, endSignals...)
	defer stop()
	timed, cancel := deadline(ctx, c.Duration("timeout"))
	defer cancel()
	err = p.runSession(timed, o, u, escape)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case timed.Err() != nil:
		return &timeoutError{u, c.Duration("timeout"), err}
	}
	return err
}

// parseTyped parses a URL that a person types. A bare host, or "//" and a host, is at
// https.
func parseTyped(text string) (url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case strings.HasPrefix(text, "//"):
		text = "https:" + text
	case isBareHost(text, u) && !exists(text):
		text = "https://" + text
	case err != nil:
		return u, explain(err)
	case u.IsAbs():
		return u, nil
	case exists(text):
		return u, &usageError{fmt.Sprintf("open wants a URL, not the file %q", text), "the URL of the file is " + fileURL(text).String()}
	default:
		return u, misuse("open wants a whole URL, not %q", text)
	}
	if u, err = url.Parse(text); err != nil {
		return u, explain(err)
	}
	return u, nil
}

// isBareHost reports whether text is a host, perhaps with a port and a path. u is text
// parsed as a URL, whose scheme may be the host: "example.org:8080".
func isBareHost(text string, u url.URL) bool {
	authority := text
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		authority = text[:end]
	}
	host, port, hasPort := strings.Cut(authority, ":")
	if _, known := scheme.Lookup(u.Scheme()); known || hasPort && strings.Trim(port, "0123456789") != "" {
		return false
	}
	return host == "localhost" || strings.Contains(strings.Trim(host, "."), ".") && !strings.HasPrefix(host, ".") && !strings.ContainsAny(host, "@% ")
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// endSignals are those that end a session.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// runSession opens a session, and runs it on the terminal until either side ends it.
func (p *process) runSession(ctx context.Context, o access.Engine, u url.URL, escape int) error {
	r, err := o.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	session := r.Session
	if session == nil {
		return fmt.Errorf("%s: it is not a session", u.Redacted())
	}
	p.advise(r, escape)
	c := &console{process: p, session: session, screen: p.screenOf(r), escape: escape, advice: p.advice(r)}
	if err := c.enter(); err != nil {
		return err
	}
	defer c.tidy()
	defer c.leave()
	defer context.AfterFunc(ctx, c.abandon)()
	defer onSignals(terminalSignals, func(s os.Signal) { c.guarded(func() { c.handle(s) }) })()
	go c.guarded(c.keyboard)
	err = c.show()
	c.leave()
	c.tidy()
	if c.over.Load() {
		err = nil // the user has ended it
	}
	if err == nil && isTerminal(p.stderr) {
		p.say("the session has ended")
	}
	return err
}

// advise shows the login that the URL recommends, and the escape key. A password is
// shown only on a terminal.
func (p *process) advise(r *access.Resource, escape int) {
	if text := p.advice(r); text != "" {
		p.say(text)
	}
	if escape >= 0 && isTerminal(p.stdin) && isTerminal(p.stderr) {
		p.say("the escape key is " + keyName(byte(escape)) + "; then q ends the session, ? says more") //nolint:gosec // it is a byte
	}
}

// advice returns the login that the URL recommends as a sentence; "" if none.
func (p *process) advice(r *access.Resource) string {
	login, ok := r.Sys.(access.LoginAdvice)
	if !ok || !login.User.Present && !login.Password.Present {
		return ""
	}
	text := "the URL recommends to log in"
	if login.User.Present {
		text += " as " + quote(login.User.Text)
	}
	if login.Password.Present && isTerminal(p.stderr) {
		text += " with the password " + quote(login.Password.Text)
	}
	return text
}

// A console connects the user's terminal, or pipes, to a session.
type console struct {
	*process
	session terminal.Session
	screen  io.ReadCloser
	escape  int    // the byte of the escape key; -1 for none
	advice  string // see advice
	modes   modes
	over    atomic.Bool // this side has ended the session

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
		if _, failed := (output{c.stdout}).Write(b[:n]); failed != nil {
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

// controlD is the key that a terminal in line mode turns into an end of file.
const controlD = 'D' - '@'

// keyboard sends what the user types until the end of stdin. It reports no errors:
// show meets them, too.
func (c *console) keyboard() {
	terminal := isTerminal(c.stdin)
	keys := keys{escape: c.escape, do: c.command, lines: !terminal}
	b := make([]byte, 4096)
	for {
		n, err := c.stdin.Read(b)
		if terminal && errors.Is(err, io.EOF) {
			b[0], n, err = controlD, 1, nil
		}
		keys.lines = !c.modes.raw.Load()
		if typed := keys.typed(b[:n]); len(typed) > 0 {
			if _, err := c.session.Write(typed); err != nil {
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

// note shows lines of this command in the middle of a session. A drawing shows them
// itself.
func (c *console) note(lines ...string) {
	for i, line := range lines {
		lines[i] = "locus: " + line
	}
	if drawn, ok := c.screen.(*drawing); ok {
		drawn.Note(lines...)
		return
	}
	fmt.Fprintf(c.stderr, "\r\n%s\r\n", strings.Join(lines, "\r\n"))
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
	return 0, misuse("--escape wants a key such as ^] or ~, or none, not %q", text)
}

// keyName returns the value of --escape for a key.
func keyName(key byte) string {
	if key < ' ' || key == 0x7F {
		return "^" + string(rune(key^0x40))
	}
	return string(rune(key))
}
