// Package open implements the verb open: open a terminal session, or a URL in the browser.
package open

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/console"
	"locus/internal/charset"
	"locus/internal/render"
	"locus/internal/typo"
	"locus/limit"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// Options are the flags and arguments of open.
type Options struct {
	URL      []string      `args:"1"`
	Escape   string        `flag:"escape"`
	SendUser bool          `flag:"send-user"`
	Model    string        `flag:"model"`
	CodePage string        `flag:"code-page"`
	At       string        `flag:"at"`
	Link     bool          `flag:"link"`
	Timeout  time.Duration `flag:"max-time"`
	Given    cli.Given
	cli.Replay
	cli.Text
	cli.Connect
}

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb open.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "open",
		Summary:     "open a terminal session, or a URL in the browser",
		Synopsis:    "locus open [FLAG…] URL",
		Description: description,
		Usages:      [][2]string{{"max-time", "end a session after `DURATION`, such as 30m (default: no limit)"}},
		Common:      "escape at max-time proxy",
		Examples:    []string{"locus open telnet://example.org/"},
	})
}

// endSignals are the signals that end a session. syscall.SIGINT is os.Interrupt.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Run opens a URL: a session on the terminal, or any other URL in the user's browser, if necessary
// through the gateway.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	escape, err := console.ParseKey(o.Escape)
	if err != nil {
		return cli.Misuse("--escape must be a key such as ^] or ~, or none, not %q", o.Escape)
	}
	if err := o.Text.Check(); err != nil {
		return err
	}
	client, err := sessionClient(e, o)
	if err != nil {
		return err
	}
	u, err := parseTyped(e, scheme.Unprefix(o.URL[0]))
	if err != nil {
		return err
	}
	if err := o.checkFor(u); err != nil {
		return err
	}
	if s, _ := scheme.Lookup(u.Scheme()); !s.Flags.Has(scheme.Session) {
		if !slices.Contains(client.Schemes(), u.Scheme()) {
			_, err := access.Table(nil).Do(ctx, &access.Request{URL: u})
			return err
		}
		if u.Scheme() == "titan" { // its error says what to open instead, and a browser would show its token
			_, err := client.Do(ctx, &access.Request{Op: access.Stat, URL: u})
			return err
		}
		if o.Charset != "" {
			return &cli.UsageError{Text: "--charset works only for sessions", Hint: "for the charset of pages, use locus serve --charset"}
		}
		if o.From != "" {
			return browseArchive(ctx, e, client, u, o)
		}
		return browse(ctx, e, u, o)
	}
	if o.From != "" {
		return cli.Misuse("--from-warc cannot open sessions, because an archive does not contain them")
	}
	if o.Charset != "" && u.Scheme() == "tn3270" {
		return &cli.UsageError{Text: "--charset does not work for tn3270", Hint: "name the code page of the host with --code-page"}
	}
	ctx, stop := e.Until(ctx, endSignals...)
	defer stop()
	timed, cancel := limit.Deadline(ctx, o.Timeout)
	defer cancel()
	if o.Link {
		err = confirm(timed, e, u)
	}
	if err == nil {
		err = openSession(timed, e, client, u, escape, o.Text)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case timed.Err() != nil:
		return &limit.TimeoutError{URL: u, Timeout: o.Timeout, Err: err}
	}
	return err
}

// checkFor returns a UsageError if a flag has no effect on u. It returns nil if the scheme of u is
// unknown. It accepts --at for every URL, because the desktop runs the same command for all
// schemes.
func (o Options) checkFor(u url.URL) error {
	flag, use := "", ""
	if u.Scheme() != "tn3270" {
		flag, use = o.Given.First("model", "code-page"), "tn3270"
	}
	if flag == "" && u.Scheme() != "telnet" {
		flag, use = o.Given.First("send-user"), "telnet"
	}
	s, isKnown := scheme.Lookup(u.Scheme())
	if flag == "" && !s.Flags.Has(scheme.Session) {
		flag, use = o.Given.First("escape"), "sessions"
	}
	if flag == "" || !isKnown {
		return nil
	}
	return cli.Misuse("%s works only for %s", flag, use)
}

// tooEarly is how long an answer to the question of confirm is ignored, because the user cannot have read the question.
const tooEarly = time.Second

// confirm asks the user on the terminal whether to open the session at u, to which a link leads. It returns nil only if
// the user types "yes", because a user who types in another window when the terminal appears might press "y". It asks
// again after an answer that comes too early. Without a terminal, it returns an error.
func confirm(ctx context.Context, e *cli.Env, u url.URL) error {
	question := "a link leads to a session at " + u.Redacted()
	if !cli.IsTerminal(e.Stdin) || !cli.IsTerminal(e.Stderr) {
		return &cli.Hinted{
			Err:  errors.New(question + ", and there is no terminal to confirm it on"),
			Hint: "to open it, run locus open " + render.ShellWord(u.Redacted()),
		}
	}
	for {
		asked := time.Now()
		e.Ask(question + ". Open it? (yes or no)")
		answer, err := console.Await(ctx, func() (string, error) { return console.ReadLine(e.Stdin) })
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil, !strings.EqualFold(strings.TrimSpace(answer), "yes"):
			return errors.New("the session was not confirmed")
		case time.Since(asked) >= tooEarly:
			return nil
		}
	}
}

// openSession opens the session at u, and runs it on the terminal until the user or the server ends
// it. escape is the escape key: see [console.Console].
func openSession(ctx context.Context, e *cli.Env, engine access.Engine, u url.URL, escape int, text cli.Text) error {
	slow := time.AfterFunc(3*time.Second, func() {
		if cli.IsTerminal(e.Stderr) {
			e.Say("the server has not answered yet")
		}
	})
	r, err := engine.Do(ctx, &access.Request{URL: u})
	slow.Stop()
	if err != nil {
		return err
	}
	c := &console.Console{
		Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr, Out: e.Out, Signals: e.Signals,
		Escape: escape, Advice: e.LoginAdvice(r), Name: "locus",
		Decode: func(w io.WriteCloser) console.Decoder { return text.Writer(w, "") },
		Encode: func(w io.Writer) io.Writer { return charset.NewEncoder(w, text.Charset) },
	}
	if e.Signals != nil { // without the handler, another signal would kill the command
		c.Restored = func() { e.Signals.Reset(endSignals...) }
	}
	if c.Advice != "" {
		e.Say(c.Advice)
	}
	if escape != console.NoKey && cli.IsTerminal(e.Stdin) && cli.IsTerminal(e.Stderr) {
		e.Say("the escape key is " + console.KeyName(escape) + "; press it and then q to end the session, or ? for help")
	}
	err = c.Run(ctx, r)
	if err == nil && cli.IsTerminal(e.Stderr) {
		e.Say("the session has ended")
	}
	return err
}

// parseTyped parses a URL that a person types. The name of a file that exists, and a text that is
// not a whole URL, are UsageErrors with a hint.
func parseTyped(e *cli.Env, text string) (url.URL, error) {
	if _, err := e.Stat(text); err == nil && !strings.Contains(text, ":") && !strings.HasPrefix(text, "//") {
		return url.URL{}, &cli.UsageError{
			Text: fmt.Sprintf("open needs a URL, not the file %q", text),
			Hint: "the URL of the file is " + e.FileURL(text).String(),
		}
	}
	u, err := iri.ParseTyped(text)
	switch {
	case err != nil:
		return u, cli.Explain(err)
	case !u.IsAbs():
		return u, &cli.UsageError{Text: fmt.Sprintf("open needs a complete URL, not %q", text), Hint: "there is no such file; " + wholeURL(text)}
	}
	return u, nil
}

// wholeURL returns a hint how to write the whole URL that a person probably meant by text. It is
// never empty.
func wholeURL(text string) string {
	if isName := strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""; isName && text != "" {
		return fmt.Sprintf("if it is a host, write https://%[1]s/ or telnet://%[1]s/", text)
	}
	if meant, ok := typo.URL(text); ok {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	return "a URL starts with its scheme, as in https://example.org/"
}

// sessionClient returns a client that also opens sessions. The sessions know the terminal and the
// user, and may use local ports below 1024.
func sessionClient(e *cli.Env, o Options) (*cli.Client, error) {
	client, err := e.Client(cli.Access{Connect: o.Connect}, o.URL)
	if err != nil {
		return nil, err
	}
	if err := e.OpenArchive(client, o.Replay); err != nil { // before the client is used
		return nil, err
	}
	terminal := e.Getenv("TERM")
	model, _ := strconv.Atoi(o.Model) // "" without --model
	client.Engines.More = func(dial locus.Dial) access.Table {
		remote := rlogin.Client{Dial: dial, Idle: o.Idle, LocalUser: userName(), Terminal: terminal}
		if client.Engines.Direct {
			remote.DialLow = cli.DialLow
		}
		return access.Table{
			"telnet": telnet.Client{Dial: dial, Idle: o.Idle, Terminal: terminal, SendUser: o.SendUser},
			"rlogin": remote,
			"tn3270": tn3270.Client{
				Dial: dial, Idle: o.Idle, Model: model, CodePage: o.CodePage, Monochrome: e.Getenv("NO_COLOR") != "",
			},
		}
	}
	return client, nil
}

// userName returns the name of the user who runs this command, or "" if it is unknown.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
