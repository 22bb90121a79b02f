package main

import (
	"context"
	"fmt"
	"net"
	neturl "net/url"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"locus/scheme"
	"locus/url"
)

const (
	usualGateway    = "http://127.0.0.1:1738/"
	gatewayVariable = "LOCUS_GATEWAY"
)

// gatewayAt returns the URL of the user's gateway.
func gatewayAt(c *cli.Command) (url.URL, error) {
	text := c.String("at")
	if text == "" {
		text = os.Getenv(gatewayVariable)
	}
	if text == "" {
		text = usualGateway
	}
	at, err := url.Parse(text)
	host, _ := at.Host()
	_, hasQuery := at.Query()
	if err != nil || host == "" || at.Scheme() != "http" && at.Scheme() != "https" || hasQuery || at.Path() != "" && at.Path() != "/" {
		return url.URL{}, misuse("a gateway is at a URL such as %s, not at %q", usualGateway, hideLogin(text))
	}
	return at.With(url.Path, url.Some("/"))
}

// browse opens u in the user's browser: http and https directly, other schemes through
// the gateway. It removes passwords, because others can read the arguments of a process,
// and browsers keep a history. The browser asks for them.
func (p *process) browse(ctx context.Context, c *cli.Command, u url.URL) error {
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
			return explain(err)
		}
	} else {
		at, err := gatewayAt(c)
		if err != nil {
			return err
		}
		if err := listens(ctx, at); err != nil {
			return &hinted{fmt.Errorf("no gateway at %s: %w", at.Redacted(), err), "locus serve starts one; --at says where another is"}
		}
		if at, err = at.Without(url.Password); err != nil {
			return err
		}
		target = at.String() + "-/open?url=" + neturl.QueryEscape(u.String())
	}
	name, args := browserOf(runtime.GOOS, target)
	if _, err := exec.LookPath(name); err != nil {
		return &hinted{fmt.Errorf("there is no program %s, which opens a browser", name), "open " + target}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.stdin, p.stdout, p.stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s cannot open %s: %w", name, u.Redacted(), err)
	}
	return nil
}

// browserOf returns the command that opens a URL in a system's default browser.
func browserOf(system, target string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", []string{target}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", target}
	}
	return "xdg-open", []string{target}
}

// listens returns an error if the gateway cannot be reached.
func listens(ctx context.Context, at url.URL) error {
	port := "80"
	if at.Scheme() == "https" {
		port = "443"
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", addressOf(at, port))
	if err != nil {
		return err
	}
	return conn.Close()
}
