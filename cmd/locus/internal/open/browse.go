package open

import (
	"cmp"
	"context"
	"fmt"
	"net"
	neturl "net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
	"locus/url"
)

// browse opens u in the user's browser: http and https directly, other schemes through
// a gateway; see [cli.Env.UserGateway]. It removes passwords, because others can read the
// arguments of a process, and browsers keep a history. The browser asks for them.
func browse(ctx context.Context, e *cli.Env, u url.URL, gateway string) error {
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
		at, err := e.UserGateway(gateway)
		if err != nil {
			return err
		}
		if err := listens(ctx, at); err != nil {
			return &cli.Hinted{
				Err:  fmt.Errorf("no gateway at %s: %w", at.Redacted(), err),
				Hint: "locus serve starts one; --at says where another is",
			}
		}
		if at, err = at.Without(url.Password); err != nil {
			return err
		}
		target = at.String() + "-/open?url=" + neturl.QueryEscape(u.String())
	}
	name, args := browserOf(runtime.GOOS, target)
	program, err := e.LookPath(name)
	if err != nil {
		return &cli.Hinted{Err: fmt.Errorf("there is no program %s, which opens a browser", name), Hint: "open " + target}
	}
	cmd := e.Command(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stdout, e.Stderr
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
