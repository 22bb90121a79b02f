package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/proto/tn3270"
	"locus/scheme"
	"locus/terminal"
	"locus/url"
)

func (p *process) openCommand() *cli.Command {
	return &cli.Command{
		Name:      "open",
		Usage:     "sit at an interactive session, or open a URL in the browser",
		UsageText: "locus open [--at URL] [--escape KEY] [--send-user] [--model N] [--code-page PAGE] [--timeout D] [--allow-port N…] URL",
		Description: "URLs of telnet, rlogin and tn3270 name sessions. The keys go to the other side,\n" +
			"but for the escape key, ^] unless --escape says otherwise; after it\n\n" +
			"   q   ends the session\n" +
			"   z   suspends this command, until the shell's fg\n" +
			"   ?   says which keys there are, and what the URL advises\n\n" +
			"and the escape key itself is sent. User and password of the URL are shown, and\n" +
			"not typed. rlogin sends the user's names, as its protocol wants, and needs a port\n" +
			"below 1024 on this machine.\n\n" +
			"A 3270 has Enter, Tab, the arrows and these keys: F1 to F12, or ESC 1 … ESC =, are\n" +
			"PF1 to PF12, with Shift PF13 to PF24; ESC , ESC . ESC / are PA1 to PA3; ^C is\n" +
			"Clear, ^R Reset, ^E erases to the end of the field, ^L draws the screen anew. Where\n" +
			"the terminal has a row more than the screen, that says why keys are not taken.\n\n" +
			"If stdin is no terminal its lines are typed, at once, and the session goes on\n" +
			"until the other side ends it.\n\n" +
			"Every other URL is opened in the default browser: one of http or https as it is,\n" +
			"the others by the gateway that locus serve is.",
		Flags: openFlags(
			atFlag(),
			&cli.StringFlag{Name: "escape", Value: "^]", HideDefault: true, Usage: "let `KEY`, such as ^] or ^A, be the escape key; none for no such key"},
			&cli.BoolFlag{Name: "send-user", Usage: "telnet: tell a server that asks for it the user in the URL"},
			&cli.StringFlag{Name: "model", Usage: "tn3270: be model `N`: 2 (24 rows of 80, the default), 3 (32 of 80), 4 (43 of 80) or 5 (27 of 132)"},
			&cli.StringFlag{Name: "code-page", Usage: "tn3270: read the host's text in this `PAGE` of EBCDIC: " + strings.Join(tn3270.CodePages(), ", ")},
		),
		Metadata: example("locus open telnet://example.org/"),
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
	u, err := url.Parse(scheme.Unprefix(args[0]))
	if err != nil {
		return explain(err)
	}
	if !u.IsAbs() {
		return misuse("open wants a whole URL, not %q", args[0])
	}
	if s, _ := scheme.Lookup(u.Scheme()); !s.Flags.Has(scheme.Session) {
		return p.browse(ctx, c, u)
	}
	ctx, stop := signal.NotifyContext(ctx, endSignals...)
	defer stop()
	timed, cancel := deadline(ctx, c.Duration("timeout"))
	defer cancel()
	err = p.sit(timed, o, u, escape)
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

// endSignals are those that end a session.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// sit opens a session and lets the user sit at it until either side ends it.
func (p *process) sit(ctx context.Context, o access.Engine, u url.URL, escape int) error {
	r, err := o.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	session := r.Session
	if session == nil {
		return fmt.Errorf("%s: it is no session to sit at", u.Redacted())
	}
	p.advise(r, escape)
	d := &desk{process: p, session: session, screen: p.screenOf(r), escape: escape, advice: p.advice(r)}
	if err := d.sitDown(); err != nil {
		return err
	}
	defer d.tidy()
	defer d.leave()
	defer context.AfterFunc(ctx, d.abandon)()
	defer follow(terminalSignals, func(s os.Signal) { d.guarded(func() { d.signalled(s) }) })()
	go d.guarded(d.keyboard)
	err = d.show()
	d.leave()
	d.tidy()
	if d.over.Load() {
		err = nil // the user has ended it
	}
	if err == nil && isTerminal(p.stderr) {
		p.say("the session has ended")
	}
	return err
}

// advise shows what the URL says about logging in. A password is shown on a
// terminal alone.
func (p *process) advise(r *access.Resource, escape int) {
	if text := p.advice(r); text != "" {
		p.say(text)
	}
	if escape >= 0 && isTerminal(p.stdin) && isTerminal(p.stderr) {
		p.say("the escape key is " + keyName(byte(escape)) + "; then q ends the session, ? says more") //nolint:gosec // it is an octet
	}
}

// advice returns what the URL says about logging in; "" if nothing.
func (p *process) advice(r *access.Resource) string {
	login, ok := r.Sys.(access.LoginAdvice)
	if !ok || !login.User.Present && !login.Password.Present {
		return ""
	}
	text := "the URL advises to log in"
	if login.User.Present {
		text += " as " + quote(login.User.Text)
	}
	if login.Password.Present && isTerminal(p.stderr) {
		text += " with the password " + quote(login.Password.Text)
	}
	return text
}

// A desk is where the user sits: a session, and what is in front of it.
type desk struct {
	*process
	session terminal.Session
	screen  io.ReadCloser
	escape  int    // the octet of the escape key; -1 for none
	advice  string // what the URL says about logging in; "" if nothing
	seat    seat
	over    atomic.Bool // the user has ended the session
	changed bool        // the other side has sent controls to the terminal
	tidied  bool        // and they are undone
}

// show shows what the session gives, until it ends.
func (d *desk) show() error {
	b := make([]byte, 32<<10)
	for {
		n, err := d.screen.Read(b)
		if err == nil { // before it is shown: it may ask for a password
			if err := d.adapt(); err != nil {
				return err
			}
		}
		d.changed = d.changed || bytes.IndexByte(b[:n], '\x1b') >= 0
		if _, failed := (output{d.stdout}).Write(b[:n]); failed != nil {
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

// controlD is what a terminal that sends lines makes an end of data of.
const controlD = 'D' - '@'

// keyboard types what the user does, until there is no more. What fails is
// found out by show.
func (d *desk) keyboard() {
	terminal := isTerminal(d.stdin)
	keys := keys{escape: d.escape, do: d.command, lines: !terminal}
	b := make([]byte, 4096)
	for {
		n, err := d.stdin.Read(b)
		if terminal && errors.Is(err, io.EOF) {
			b[0], n, err = controlD, 1, nil
		}
		keys.lines = !d.seat.raw.Load()
		if typed := keys.typed(b[:n]); len(typed) > 0 {
			if _, err := d.session.Write(typed); err != nil {
				return
			}
		}
		if err != nil || d.over.Load() {
			return
		}
	}
}

// command does what the key after the escape key says.
func (d *desk) command(key byte) {
	switch key {
	case 'q', '.':
		d.over.Store(true)
		_ = d.screen.Close() // show ends
	case 'z', 'Z' - '@':
		d.suspend()
	default:
		var lines []string
		if d.advice != "" {
			lines = append(lines, d.advice)
		}
		d.note(append(lines, "q ends the session, z suspends it, "+keyName(byte(d.escape))+" is sent")...) //nolint:gosec // it is an octet
	}
}

// note says something in the middle of a session. What is drawn is not written
// into.
func (d *desk) note(lines ...string) {
	for i, line := range lines {
		lines[i] = "locus: " + line
	}
	if drawn, ok := d.screen.(*drawing); ok {
		drawn.Note(lines...)
		return
	}
	fmt.Fprintf(d.stderr, "\r\n%s\r\n", strings.Join(lines, "\r\n"))
}

// keys takes what is meant for this side out of what is typed.
type keys struct {
	escape  int            // -1 for none
	escaped bool           // the last key was the escape key
	lines   bool           // what is typed comes in lines, which end in LF
	do      func(key byte) // what a key after the escape key does
}

// typed returns what is meant for the other side.
func (k *keys) typed(b []byte) []byte {
	var typed []byte
	for _, c := range b {
		isEscape := int(c) == k.escape
		switch {
		case k.escaped && isEscape:
			k.escaped = false
			typed = append(typed, c)
		case k.escaped && c == '\n' && k.lines: // nothing but the escape key on its line
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

// parseEscape reads the value of --escape: ^X, a single octet, or none, which is
// -1.
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

// keyName is the opposite of parseEscape.
func keyName(key byte) string {
	if key < ' ' || key == 0x7F {
		return "^" + string(rune(key^0x40))
	}
	return string(rune(key))
}
