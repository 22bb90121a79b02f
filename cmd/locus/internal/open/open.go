// Package open is the verb open.
package open

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/scheme"
	"locus/url"
)

// Options are the flags and arguments of open.
type Options struct {
	URL      []string `args:"1"`
	Escape   string   `flag:"escape"`
	SendUser bool     `flag:"send-user"`
	Model    string   `flag:"model"`
	CodePage string   `flag:"code-page"`
	At       string   `flag:"at"`
	cli.Connect
}

// Verb describes open.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "open",
		Summary:  "open a terminal session, or a URL in the browser",
		Synopsis: "locus open [FLAG…] URL",
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
		Common:   "escape at timeout proxy",
		Examples: []string{"locus open telnet://example.org/"},
	})
}

// endSignals are those that end a session.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Run opens a URL.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	escape, err := parseEscape(o.Escape)
	if err != nil {
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
	if s, _ := scheme.Lookup(u.Scheme()); !s.Flags.Has(scheme.Session) {
		if !slices.Contains(client.Schemes(), u.Scheme()) {
			_, err := access.Table(nil).Do(ctx, &access.Request{URL: u})
			return err
		}
		return browse(ctx, e, u, o.At)
	}
	ctx, stop := e.Until(ctx, endSignals...)
	defer stop()
	timed, cancel := cli.Deadline(ctx, o.Timeout)
	defer cancel()
	err = runSession(timed, e, client, u, escape)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case timed.Err() != nil:
		return &cli.TimeoutError{URL: u, Timeout: o.Timeout, Err: err}
	}
	return err
}

// parseTyped parses a URL that a person types. A bare host, or "//" and a host, is at
// https.
func parseTyped(e *cli.Env, text string) (url.URL, error) {
	u, err := url.Parse(text)
	isFile := func() bool {
		_, err := e.Stat(text)
		return err == nil
	}
	switch {
	case strings.HasPrefix(text, "//"):
		text = "https:" + text
	case isBareHost(text, u) && !isFile():
		text = "https://" + text
	case err != nil:
		return u, cli.Explain(err)
	case u.IsAbs():
		return u, nil
	case isFile():
		return u, &cli.UsageError{
			Text: fmt.Sprintf("open wants a URL, not the file %q", text),
			Hint: "the URL of the file is " + e.FileURL(text).String(),
		}
	default:
		return u, cli.Misuse("open wants a whole URL, not %q", text)
	}
	if u, err = url.Parse(text); err != nil {
		return u, cli.Explain(err)
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
