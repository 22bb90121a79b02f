package main

import (
	"context"
	"errors"
	"fmt"
	"locus"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"locus/cache"
	"locus/gateway"
	"locus/guard"
)

func (p *process) serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "give every URL to web browsers, and be a proxy",
		UsageText: "locus serve [--listen HOST:PORT] [--policy public|any] [--auth FILE] [--cache-dir DIR|--no-cache] [FLAG…]",
		Description: "It serves until it is interrupted. A browser finds a URL behind the gateway's\n" +
			"own address: http://127.0.0.1:1738/gopher://gopher.example.org/\n\n" +
			"On loopback everything is opened that you could open. Where others reach it,\n" +
			"it wants a policy: with public it opens what is at public addresses, by\n" +
			strings.Join(fetching, ", ") + ", or by what --scheme says;\n" +
			"with any it opens what you could, your files and your mail only if you name\n" +
			"them. doc/serve.md says more.",
		Flags:    slices.DeleteFunc(openFlags(serveFlags()...), isOfLogins),
		Metadata: example("locus serve --listen 127.0.0.1:8017"),
		Action:   p.serve,
	}
}

// isOfLogins reports whether a flag is about the user's logins. Those who ask the
// gateway are others.
func isOfLogins(f cli.Flag) bool {
	name := f.Names()[0]
	return name == "netrc-file" || name == "password-file"
}

func serveFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "listen", Value: "127.0.0.1:1738", Usage: "listen on this `ADDRESS`"},
		&cli.StringFlag{Name: "policy", Usage: "what others may open: the `POLICY` public or any"},
		&cli.StringSliceFlag{Name: "scheme", Usage: "open URLs of `SCHEME` and of no scheme that is not named; repeatable"},
		&cli.StringFlag{Name: "root", Usage: "file URLs are of the files in `DIR`"},
		&cli.StringSliceFlag{Name: "name", Usage: "browsers may reach it as `HOST` too; repeatable"},
		&cli.StringFlag{Name: "auth", Usage: "let in who is in `FILE`: lines of user:hash, as htpasswd -B writes them"},
		&cli.StringFlag{Name: "tls-cert", Usage: "serve over TLS with the certificates in `FILE` (PEM)"},
		&cli.StringFlag{Name: "tls-key", Usage: "whose key is in `FILE` (PEM)"},
		&cli.StringFlag{Name: "client-ca", Usage: "let in who has a certificate of those in `FILE` (PEM)"},
		&cli.StringFlag{Name: "cache-dir", Usage: "remember in `DIR` instead of in your cache folder"},
		&cli.StringFlag{Name: "cache-size", Value: "1G", Usage: "remember at most `SIZE` octets, such as 500M"},
		&cli.BoolFlag{Name: "no-cache", Usage: "remember nothing"},
		&cli.StringFlag{Name: "max-size", Usage: "pass on no resource of more than `SIZE` octets, such as 2G; tunnels are not bounded"},
		&cli.IntFlag{Name: "per-client", Value: 128, Usage: "answer at most `N` requests of one client at once"},
		&cli.IntFlag{Name: "per-host", Value: 64, Usage: "ask one host for at most `N` things at once"},
		&cli.StringFlag{Name: "admin", Usage: "give /metrics and /healthz at `ADDRESS`: a port of loopback, or HOST:PORT"},
		&cli.StringFlag{Name: "log", Value: "text", Usage: "log to stderr as `FORMAT`: text, json or off"},
		&cli.DurationFlag{Name: "drain", Value: 10 * time.Second, Usage: "when interrupted, finish answers for this `DURATION`"},
	}
}

func (p *process) serve(ctx context.Context, c *cli.Command) error {
	if _, err := arguments(c, 0, 0); err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	s, err := p.newServing(c)
	if err != nil {
		return err
	}
	defer s.close()
	if os.Getenv("GOGC") == "" {
		// What lives is small, and every answer leaves some: fewer collections
		// cost a few megabytes.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	return s.run(ctx)
}

// A serving is a gateway and what it stands on.
type serving struct {
	say     func(string)
	door    *door
	secure  *secure // nil: without TLS
	listen  []listening
	drain   time.Duration
	closers []func() error
}

// A listening is a listener and what is served there.
type listening struct {
	net.Listener
	handler http.Handler
}

// newServing makes what the flags of c ask for, and listens.
func (p *process) newServing(c *cli.Command) (_ *serving, err error) {
	s := &serving{say: p.say, drain: c.Duration("drain")}
	if s.drain < 0 {
		return nil, misuse("--drain wants a duration from 0, such as 10s")
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	pol, err := policyOf(c)
	if err != nil {
		return nil, err
	}
	if s.secure, err = secureOf(c); err != nil {
		return nil, err
	}
	if s.door, err = p.newDoor(c); err != nil {
		return nil, err
	}
	g, err := s.newGateway(p, c, pol)
	if err != nil {
		return nil, err
	}
	s.door.gateway = g
	if s.secure != nil {
		s.secure.proxy = g.Web != nil || g.Tunnel != nil
	}
	if pol.name != "" {
		s.door.gateway = unvisited{g}
	}
	if err := s.listenAt("listen", c.String("listen"), s.door); err != nil {
		return nil, err
	}
	at := s.listen[0].Addr()
	if err := pol.suits(at); err != nil {
		return nil, err
	}
	if s.door.users != nil && s.secure == nil && !isLoopback(at) {
		p.say("passwords come to " + at.String() + " unencrypted: --tls-cert and --tls-key, or a reverse proxy that speaks TLS, keep them secret")
	}
	if at := c.String("admin"); at != "" {
		err = s.listenAt("admin", adminAddress(at), s.door.counts.handler(g.IsOwnHost))
	}
	return s, err
}

// newGateway returns the gateway that opens what the policy allows.
func (s *serving) newGateway(p *process, c *cli.Command, pol *policy) (*gateway.Gateway, error) {
	limiter := gateway.DefaultLimiter()
	limiter.PerClient, limiter.PerServer = c.Int("per-client"), c.Int("per-host")
	limiter.Share = (limiter.PerServer + 1) / 2
	if limiter.PerClient < 1 || limiter.PerServer < 1 {
		return nil, misuse("--per-client and --per-host want numbers from 1")
	}
	for _, name := range c.StringSlice("name") {
		if name == "" || strings.ContainsAny(name, "/@:[], ") {
			return nil, misuse("--name wants the name of a host, such as gate.example.org, not %q", name)
		}
	}
	var largest int64
	var err error
	if c.IsSet("max-size") {
		if largest, err = parseSize("max-size", c.String("max-size")); err != nil {
			return nil, err
		}
	}
	// As many wait as are answered: browsers keep some for what comes next.
	s.door.connections.PerClient = 2 * limiter.PerClient
	client, err := s.client(p, c, pol)
	if err != nil {
		return nil, err
	}
	client.Limiter = limiter
	g := &gateway.Gateway{
		Engine:  client,
		Names:   c.StringSlice("name"),
		Via:     pseudonym(),
		Timeout: pol.timeout(c),
		MaxSize: largest,
		Limiter: limiter,
		Log:     s.door.log,
	}
	if pol.opens("http") {
		g.Web = &cache.Web{Transport: webTransport(client), Cache: client.Cache, Name: "locus"}
	}
	if pol.opens("https") {
		g.Tunnel, g.TunnelPorts = client.DialContext, client.AllowPorts
	}
	return g, nil
}

func (s *serving) listenAt(flag, address string, h http.Handler) error {
	l, err := listenOn(flag, address)
	if err != nil {
		return err
	}
	s.listen = append(s.listen, listening{l, h})
	s.closers = append(s.closers, ignoreClosed(l.Close))
	return nil
}

// listenOn listens on the address that a flag names.
func listenOn(flag, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if _, err2 := strconv.ParseUint(port, 10, 16); err != nil || err2 != nil {
		return nil, &usageError{fmt.Sprintf("--%s wants HOST:PORT, not %q", flag, address), "127.0.0.1:1738 is for this machine alone, 127.0.0.1:0 any port that is free"}
	}
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &hinted{err, "--" + flag + " " + net.JoinHostPort(host, "0") + " takes any port that is free"}
	}
	return l, err
}

func ignoreClosed(closing func() error) func() error {
	return func() error {
		if err := closing(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// run serves until ctx is done, and then for as long as answers take that have
// begun, but no longer than drain.
func (s *serving) run(ctx context.Context) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	failed := make(chan error, len(s.listen))
	var servers []*http.Server
	for i, l := range s.listen {
		server := newServer(base, l.handler)
		if i == 0 {
			server.ConnState = s.door.connections.ConnState
		}
		servers = append(servers, server)
		go func() { failed <- s.secure.serve(server, l, i == 0) }()
	}
	s.say(fmt.Sprintf("the gateway is at %s://%s/", s.secure.scheme(), s.listen[0].Addr()))
	if len(s.listen) > 1 {
		s.say(fmt.Sprintf("its metrics are at http://%s/metrics", s.listen[1].Addr()))
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.door.counts.stopping.Store(true)
	late, cancel := context.WithTimeout(base, s.drain)
	defer cancel()
	err := servers[0].Shutdown(late)
	end()
	for _, server := range servers {
		err = errors.Join(err, server.Close())
	}
	s.door.inside.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w %v after the interrupt are broken off", errDrained, s.drain)
	}
	return err
}

var errDrained = errors.New("answers that were not finished")

// newServer returns a server with bounds on what a client can make it wait for.
func newServer(base context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          discardLog(),
	}
}

// close gives back what the serving stands on.
func (s *serving) close() {
	for _, closing := range s.closers {
		if err := closing(); err != nil {
			s.say(err.Error())
		}
	}
}

// adminAddress returns where the admin's pages are: on loopback, if no host is
// named.
func adminAddress(text string) string {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	if strings.HasPrefix(text, ":") {
		return "127.0.0.1" + text
	}
	return text
}

// webTransport returns what passes the requests of a proxy's clients on.
func webTransport(client *locus.Client) http.RoundTripper {
	return portChecked{gateway.Transport(client.DialContext), guard.Ports{Allow: client.AllowPorts}}
}
