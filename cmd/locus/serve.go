package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"locus"

	"github.com/urfave/cli/v3"

	"locus/cache"
	"locus/gateway"
	"locus/guard"
)

func (p *process) serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "run a gateway for browsers, and a proxy, to URLs of every scheme",
		UsageText: "locus serve [FLAG…]",
		Description: "Serve until interrupted. A browser opens a URL behind the gateway's address:\n" +
			"http://127.0.0.1:1738/gopher://gopher.example.org/\n\n" +
			"On loopback the gateway opens everything that you could open. On an address that\n" +
			"others reach it needs a policy. public opens public addresses only, by\n" +
			strings.Join(fetching, ", ") + ", or by the schemes of --scheme.\n" +
			"any opens what you could open, but your files and mail only with --root and --mail.\n" +
			"doc/serve.md explains more.",
		Flags: flags("listen policy scheme root name auth tls-cert tls-key client-ca cache-dir cache-size no-cache " +
			"max-size per-client per-host admin log drain " + connectFlags + protocolFlags),
		Metadata: details("listen policy auth tls-cert tls-key no-cache log", "locus serve --listen 127.0.0.1:8017"),
		Action:   p.serve,
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
		// The live heap is small. Fewer collections cost a few megabytes.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	return s.run(ctx)
}

// A serving is a gateway with its listeners and files.
type serving struct {
	say      func(string)
	frontend *frontend
	secure   *secure // nil: without TLS
	listen   []listening
	drain    time.Duration
	closers  []func() error
}

// A listening is a listener and its handler.
type listening struct {
	net.Listener
	handler http.Handler
}

// newServing creates the serving that the flags of c ask for, and listens.
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
	if s.frontend, err = p.newFrontend(c); err != nil {
		return nil, err
	}
	g, err := s.newGateway(p, c, pol)
	if err != nil {
		return nil, err
	}
	s.frontend.gateway = g
	if s.secure != nil {
		s.secure.proxy = g.Web != nil || g.Tunnel != nil
	}
	if pol.name != "" {
		s.frontend.gateway = unvisited{g}
	}
	if err := s.listenAt("listen", c.String("listen"), s.frontend); err != nil {
		return nil, err
	}
	at := s.listen[0].Addr()
	if err := pol.suits(at); err != nil {
		return nil, err
	}
	if s.frontend.users != nil && s.secure == nil && !isLoopback(at) {
		p.say("passwords arrive at " + at.String() + " unencrypted: use --tls-cert and --tls-key, or a reverse proxy with TLS")
	}
	if at := c.String("admin"); at != "" {
		err = s.listenAt("admin", adminAddress(at), s.frontend.counts.handler(g.IsOwnHost))
	}
	return s, err
}

// clientsPerHost is how many clients at least can use all of --per-host at one host
// at the same time.
const clientsPerHost = 8

// newGateway returns a gateway that opens what the policy allows.
func (s *serving) newGateway(p *process, c *cli.Command, pol *policy) (*gateway.Gateway, error) {
	limiter := gateway.DefaultLimiter()
	var err error
	if limiter.Share, err = perHost(c); err != nil {
		return nil, err
	}
	limiter.PerServer = clientsPerHost * limiter.Share
	if limiter.PerClient = c.Int("per-client"); limiter.PerClient < 1 {
		return nil, misuse("--per-client wants a number from 1")
	}
	for _, name := range c.StringSlice("name") {
		if name == "" || strings.ContainsAny(name, "/@:[], ") {
			return nil, misuse("--name wants the name of a host, such as gate.example.org, not %q", name)
		}
	}
	var largest int64
	if c.IsSet("max-size") {
		if largest, err = parseSize("max-size", c.String("max-size")); err != nil {
			return nil, err
		}
	}
	// Browsers keep idle connections for later requests.
	s.frontend.connections.PerClient = 2 * limiter.PerClient
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
		Log:     s.frontend.log,
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

// run serves until ctx is done. Then it finishes the requests that have begun, for no
// longer than drain.
func (s *serving) run(ctx context.Context) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	failed := make(chan error, len(s.listen))
	var servers []*http.Server
	for i, l := range s.listen {
		server := newServer(base, l.handler)
		if i == 0 {
			server.ConnState = s.frontend.connections.ConnState
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
	s.frontend.counts.stopping.Store(true)
	late, cancel := context.WithTimeout(base, s.drain)
	defer cancel()
	err := servers[0].Shutdown(late)
	end()
	for _, server := range servers {
		err = errors.Join(err, server.Close())
	}
	s.frontend.requests.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w %v after the interrupt were aborted", errDrained, s.drain)
	}
	return err
}

var errDrained = errors.New("requests that were not finished")

// newServer returns a server with timeouts.
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

// close closes listeners and files.
func (s *serving) close() {
	for _, closing := range s.closers {
		if err := closing(); err != nil {
			s.say(err.Error())
		}
	}
}

// adminAddress returns the address of --admin. Without a host it is on loopback.
func adminAddress(text string) string {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	if strings.HasPrefix(text, ":") {
		return "127.0.0.1" + text
	}
	return text
}

// webTransport returns the transport for requests of the proxy's clients.
func webTransport(client *locus.Client) http.RoundTripper {
	return portChecked{gateway.Transport(client.DialContext), guard.Ports{Allow: client.AllowPorts}}
}
