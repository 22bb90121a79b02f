package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/archive"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/desktop"
	"locus/gateway"
	"locus/scheme"
	"locus/server"
	"locus/url"
)

// browse opens u in the user's browser. It opens http and https directly, and other schemes through
// the gateway that [cli.Env.UserGateway] returns for --at, with a ticket unless u is a link of another program. It
// removes passwords, because others can read the arguments of a process and because browsers keep a history. The browser
// asks for the password.
func browse(ctx context.Context, e *cli.Env, u url.URL, o Options) error {
	u, err := u.Without(url.Password)
	if err != nil {
		return err
	}
	if _, hasHost := u.Host(); !hasHost && u.Redacted() != u.String() {
		return fmt.Errorf("%s: it has a password, but no host", u.Redacted())
	}
	target := u.String()
	if s := u.Scheme(); s == "http" || s == "https" {
		if _, err := scheme.ParseHTTP(u); err != nil {
			return cli.Explain(err)
		}
	} else {
		at, err := e.UserGateway(o.At)
		if err != nil {
			return err
		}
		if err := checkListens(ctx, at); err != nil {
			return &cli.Hinted{
				Err:  fmt.Errorf("no gateway at %s: %w", at.Redacted(), err),
				Hint: "start one with locus serve, or name another with --at URL",
			}
		}
		if at, err = at.Without(url.Password); err != nil {
			return err
		}
		target = at.String() + "-/open?url=" + neturl.QueryEscape(u.String())
		if !o.Link {
			target += ticket(ctx, at, u)
		}
	}
	return startBrowser(ctx, e, target)
}

// ticket asks the gateway, whose URL is at, for a ticket with which the browser opens u without a
// question, because the user has just typed the URL. It returns the ticket as "&ticket=…" for a
// query, or "" if the gateway does not give one; the browser then shows the page that asks.
func ticket(ctx context.Context, at, u url.URL) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String()+"-/ticket?url="+neturl.QueryEscape(u.String()), http.NoBody)
	if err != nil {
		return ""
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r) // without a proxy
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil || resp.StatusCode != http.StatusOK || strings.ContainsFunc(string(text), isOdd) {
		return ""
	}
	return "&ticket=" + string(text)
}

// isOdd reports whether a ticket cannot contain r, because r is not a letter or a digit of ASCII,
// "-" or "_".
func isOdd(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// browseArchive opens u in the user's browser, from an archive, through a gateway that it starts.
// It returns when the user interrupts it.
func browseArchive(ctx context.Context, e *cli.Env, client *cli.Client, u url.URL, o Options) error {
	if err := o.Given.Check(cli.Rule{Flags: "from-warc", Excludes: "at"}); err != nil {
		return err
	}
	// Ask the archive before the browser does, so that the user sees the error here.
	found, err := client.Do(ctx, &access.Request{Op: access.Stat, URL: u})
	if errors.Is(err, archive.ErrNotArchived) { // the browser shows all other errors
		return err
	}
	if found != nil {
		found.Body.Close()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	from := client.Archive.(*archive.Archive)
	g := &gateway.Gateway{
		Engine: client.Client, Via: cli.Pseudonym(), Web: from, Harmless: cli.IsReplayed,
		Replay: &gateway.Replay{Captures: from.Captures, Recorded: from.Recorded},
	}
	ended := make(chan error, 1)
	go func() { ended <- (&server.Server{Handler: g, Proxy: true}).Serve(ctx, l, nil) }()
	at := "http://" + l.Addr().String() + "/"
	e.Say("the archive is at " + at + " until you interrupt this")
	if err := startBrowser(ctx, e, at+"-/open?url="+neturl.QueryEscape(u.String())); err != nil && ctx.Err() == nil {
		stop()
		return errors.Join(err, <-ended)
	}
	if err := <-ended; !errors.Is(err, server.ErrAborted) {
		return err
	}
	return nil
}

// startBrowser opens target, an http or https URL, in the user's browser. It waits for the program
// that does so, which usually ends at once.
func startBrowser(ctx context.Context, e *cli.Env, target string) error {
	name, args := desktop.Browser(runtime.GOOS, target)
	program, err := e.LookPath(name)
	if err != nil {
		return &cli.Hinted{Err: fmt.Errorf("the program %s, which opens a browser, is not installed", name), Hint: "open " + target}
	}
	cmd := e.Command(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stdout, e.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s cannot open %s: %w", name, target, err)
	}
	return nil
}

// checkListens connects to the host and the port of at, and closes the connection. It returns nil
// if a server listens there, and otherwise the error of connecting.
func checkListens(ctx context.Context, at url.URL) error {
	s, _ := scheme.Lookup(at.Scheme())
	host, _ := at.Host()
	port, _ := at.Port()
	address := net.JoinHostPort(strings.Trim(host, "[]"), cmp.Or(port, strconv.Itoa(int(s.Port))))
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
