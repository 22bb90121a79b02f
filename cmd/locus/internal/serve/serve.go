// Package serve implements the verb serve: run a gateway for browsers, and a proxy, to URLs of
// every scheme.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"locus"
	"locus/archive"
	"locus/cache"
	"locus/cmd/locus/internal/cli"
	"locus/gateway"
	"locus/guard"
	"locus/scheme"
	"locus/server"
	"locus/url"
)

// Options are the flags of serve.
type Options struct {
	Listen         string         `flag:"listen"`
	Policy         string         `flag:"policy"`
	Schemes        []string       `flag:"scheme"`
	Root           string         `flag:"root"`
	Names          []string       `flag:"name"`
	SecretFile     string         `flag:"secret-file"`
	Auth           string         `flag:"auth"`
	CacheDir       string         `flag:"cache-dir"`
	CacheSize      int64          `flag:"cache-size"`
	NoCache        bool           `flag:"no-cache"`
	MaxSize        int64          `flag:"max-size"`
	RequestTimeout time.Duration  `flag:"request-timeout"`
	PerClient      int            `flag:"per-client"`
	PerHost        int            `flag:"per-host"`
	Sessions       int            `flag:"sessions"`
	TrustedProxies []netip.Prefix `flag:"trusted-proxy"`
	ProxyProtocol  bool           `flag:"proxy-protocol"`
	Admin          string         `flag:"admin"`
	Archive        string         `flag:"archive"`
	GopherSearch   string         `flag:"gopher-search"`
	Start          string         `flag:"start"`
	Places         string         `flag:"places"`
	Log            string         `flag:"log"`
	Drain          time.Duration  `flag:"drain"`
	cli.Text
	cli.Recording
	cli.Replay
	ProxyCA string `flag:"proxy-ca"`
	Given   cli.Given
	Certificates
	cli.Connect
	cli.Protocols
}

// Verb returns the verb serve.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "serve",
		Summary:  "run a gateway for browsers, and a proxy, to URLs of every scheme",
		Synopsis: "locus serve [FLAG…]",
		Description: "Serve until interrupted. In a browser, put a URL after the address of the gateway:\n" +
			"http://127.0.0.1:1738/gopher://gopher.example.org/\n\n" +
			"On loopback the gateway opens everything that you can open. On an address that\n" +
			"others can reach, it needs --policy. public opens only public addresses, with\n",
		Details: func() string {
			return strings.Join(publicSchemes(), ", ") + ",\n" +
				"or with the schemes of --scheme. any opens everything that you can open, except that your\n" +
				"files and mail need --root and --mail. doc/serve.md explains more.\n\n" +
				"--warc records everything that is fetched. --from-warc serves such an archive without the\n" +
				"network.\n" +
				"Both also work for a browser that uses the gateway as its proxy: for http, and with\n" +
				"--proxy-ca also for https."
		},
		Usages: [][2]string{
			{"root", "let clients open file URLs in the folder `DIR`: file:///a.html is DIR/a.html"},
			{"scheme", "let clients open only URLs of `SCHEME`; repeatable"},
			{"per-host", "open at most `N` connections to one host at once for each client (default 8)"},
			{"max-size", "send clients no resource of more than `SIZE` bytes, such as 500K or 2G"},
			{"idle", "abort a request if the server that it opens sends nothing for `DURATION` (default 1m)"},
			{"archive", "on error pages, offer a copy from `TEMPLATE` (default https://web.archive.org/web/{url})"},
		},
		Common:    "listen name policy auth acme tls-cert tls-key no-cache log",
		Examples:  []string{"locus serve --listen 127.0.0.1:8017"},
		GCPercent: 400, // the live heap is small, so fewer collections cost only a few megabytes
		// Under load the heap is large, so more collections are worth their time.
		MemoryGoal: 64 << 20,
	})
}

// rules are the rules for flags that need other flags, or exclude them.
var rules = []cli.Rule{
	{Flags: "tls-cert tls-key", Excludes: "acme", Text: "--acme cannot be combined with --tls-cert and --tls-key, because it gets the certificates itself"},
	{Flags: "acme", Excludes: "client-ca", Text: "--acme and --client-ca cannot be combined, because the ACME server cannot present a client certificate"},
	{Flags: "acme-directory acme-state", Needs: "acme"},
	{Flags: "proxy-protocol", Needs: "trusted-proxy"},
	{
		Flags: "trusted-proxy", Needs: "policy", Text: "%s needs --policy, because the clients of a proxy are other people, even on 127.0.0.1",
		Hint: "to let them open only public addresses, use --policy public; for everything that this machine can reach, --policy any",
	},
}

// Run serves until ctx is done or the user interrupts it. It first checks the flags, opens the
// listeners and tells the user the address of the gateway.
func Run(ctx context.Context, e *cli.Env, o Options) (err error) {
	if err := o.Given.Check(rules...); err != nil {
		return err
	}
	if err := o.Text.Check(); err != nil {
		return err
	}
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	e.WithoutLogins() // the users of the gateway are other people
	var toClose closers
	defer func() { err = errors.Join(err, toClose.close()) }()
	kind := server.Kind(o.Policy)
	own := &guard.Own{Interfaces: net.InterfaceAddrs, Machine: kind == server.Public}
	s, err := o.server(e, own, &toClose)
	if err != nil {
		return err
	}
	l, admin, err := o.listeners(&toClose)
	if err != nil {
		return err
	}
	own.Listeners = append(own.Listeners, l.Addr())
	if admin != nil {
		own.Listeners = append(own.Listeners, admin.Addr())
	}
	if !(server.Policy{Kind: kind, Proxied: len(o.TrustedProxies) > 0}).MayListen(l.Addr()) {
		return errExposed(l.Addr())
	}
	scheme := "https"
	if s.TLS == nil {
		scheme = "http"
	}
	if s.Users != nil && s.TLS == nil && !server.IsLoopback(l.Addr()) {
		e.Say("passwords are sent to " + l.Addr().String() + " without encryption: use --acme, or --tls-cert and --tls-key, or a reverse proxy with TLS")
	}
	e.Say(fmt.Sprintf("the gateway is at %s://%s/", scheme, shownAddress(l.Addr())))
	if len(s.Names) == 0 && !server.IsLoopback(l.Addr()) {
		e.Say("hint: the gateway accepts requests for its IP addresses only, and answers 421 to any other host; to add a host name, use --name HOST")
	}
	if admin != nil {
		e.Say(fmt.Sprintf("its metrics are at http://%s/metrics", shownAddress(admin.Addr())))
	}
	return s.Serve(ctx, l, admin)
}

// closers are files and listeners that are closed at the end.
type closers []io.Closer

// close closes all of c, and joins their errors. It ignores the error of a listener that was closed
// before.
func (c closers) close() error {
	var err error
	for _, one := range c {
		if closeErr := one.Close(); !errors.Is(closeErr, net.ErrClosed) {
			err = errors.Join(err, closeErr)
		}
	}
	return err
}

// server returns the server for the flags. The server connects only to addresses that own allows.
// server adds to toClose the files and archives that the caller must close.
func (o Options) server(e *cli.Env, own *guard.Own, toClose *closers) (*server.Server, error) {
	s := &server.Server{
		Drain: max(o.Drain, 1), Names: o.names(), Log: Logger(e, o.Log),
		Proxies: o.TrustedProxies, ProxyProtocol: o.ProxyProtocol,
	}
	var err error
	if s.TLS, err = o.tls(e, s.Log); err != nil {
		return nil, err
	}
	if o.Auth != "" {
		if s.Users, err = readUsers(e, o.Auth); err != nil {
			return nil, err
		}
	}
	p, err := o.policy()
	if err != nil {
		return nil, err
	}
	client, err := o.client(e, p, own, toClose)
	if err != nil {
		return nil, err
	}
	g, err := o.gateway(client.Client, p)
	if err != nil {
		return nil, err
	}
	g.Log, g.Documentation = s.Log, documentation(e.Program)
	if err := o.addLinks(e, g, p); err != nil {
		return nil, err
	}
	if o.SecretFile != "" {
		if g.Secret, err = readSecret(e, o.SecretFile); err != nil {
			return nil, err
		}
	}
	if err := o.proxy(e, s, g, client, p, toClose); err != nil {
		return nil, err
	}
	s.Handler, s.Cache, s.Proxy = server.WithoutRobots(g), client.Cache, g.Web != nil || g.Tunnel != nil
	s.Connections.PerClient = 2 * o.PerClient // browsers keep idle connections for later requests
	return s, nil
}

// Logger returns a logger that writes to stderr in the format of --log: "json", "text", or "off"
// for no log.
func Logger(e *cli.Env, format string) *slog.Logger {
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(e.Stderr, nil))
	case "off":
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(e.Stderr, nil))
}

// readUsers reads the users and their password hashes from the file of --auth. A line that is not
// valid is a UsageError.
func readUsers(e *cli.Env, name string) (*server.Users, error) {
	text, err := e.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--auth: %w", err)
	}
	users, err := server.ParseUsers(string(text))
	if err != nil {
		return nil, &cli.UsageError{Text: fmt.Sprintf("--auth: %s: %v", name, err), Hint: "htpasswd -nB USER writes a line for a user"}
	}
	return users, nil
}

// names returns the host names for which the gateway answers, from --name and --acme.
func (o Options) names() []string { return slices.Concat(o.Names, o.ACME) }

// clientsPerHost is the number of clients that can use all of --per-host at one host at the same
// time.
const clientsPerHost = 8

// gateway returns a gateway that opens URLs with client, and sets the limiter of client. By the
// policy p it sets the time limit of requests, and whether the gateway is shared. An invalid value
// of --name, --acme, --archive or --gopher-search is a UsageError.
func (o Options) gateway(client *locus.Client, p server.Policy) (*gateway.Gateway, error) {
	for _, name := range o.names() {
		if name == "" || strings.ContainsAny(name, "/@:[], ") {
			return nil, cli.Misuse("--name and --acme must be host names, such as gate.example.org, not %q", name)
		}
	}
	search, err := o.gopherSearch()
	if err != nil {
		return nil, err
	}
	if o.Archive != "" && !cli.IsArchiveTemplate(o.Archive) {
		return nil, cli.Misuse("--archive must be a URL with a scheme and {url} in it, not %q", o.Archive)
	}
	limiter := gateway.DefaultLimiter()
	limiter.Share = cli.PerHost(o.PerHost)
	limiter.PerServer = clientsPerHost * limiter.Share
	client.Limiter = limiter
	g := &gateway.Gateway{
		Engine: client, Names: o.names(), Via: cli.Pseudonym(), Timeout: p.Timeout(o.RequestTimeout), MaxSize: o.MaxSize,
		MaxPerClient: o.PerClient, Sessions: gateway.Sessions{PerClient: o.Sessions}, Limiter: limiter, Archive: o.Archive, GopherSearch: search, Shared: p.Kind == server.Public,
		Charset: o.Charset,
	}
	if o.From != "" {
		g.Harmless = cli.IsReplayed
		if from, ok := client.Archive.(*archive.Archive); ok {
			g.Replay = &gateway.Replay{Captures: from.Captures, Recorded: from.Recorded}
		}
	}
	return g, nil
}

// gopherSearch returns the URL of --gopher-search, or the zero URL without the flag. A URL that
// cannot be searched is a UsageError.
func (o Options) gopherSearch() (url.URL, error) {
	if o.GopherSearch == "" {
		return url.URL{}, nil
	}
	u, err := url.Parse(o.GopherSearch)
	if _, ok := scheme.SearchURL(u, "x"); err != nil || !ok {
		return url.URL{}, cli.Misuse("--gopher-search must be the URL of a search, such as gopher://gopher.example.org/7/find, not %q", o.GopherSearch)
	}
	return u, nil
}

// cache returns the cache for the flags, or nil for --no-cache and --from-warc. It makes the folder
// of the cache if it is missing, and adds it to toClose.
func (o Options) cache(e *cli.Env, toClose *closers) (*cache.Cache, error) {
	if err := o.Given.Check(cli.Rule{Flags: "cache-dir cache-size", Excludes: "no-cache from-warc"}); err != nil {
		return nil, err
	}
	if o.NoCache || o.From != "" {
		return nil, nil
	}
	dir := o.CacheDir
	if dir == "" {
		if dir = o.cacheFolder(e); dir == "" {
			return nil, &cli.Hinted{Err: errors.New("there is no user folder for caches"), Hint: "name a folder with --cache-dir DIR, or use --no-cache"}
		}
	}
	root, err := e.MakeRoot(dir, 0o700)
	if err != nil {
		return nil, err
	}
	*toClose = append(*toClose, root)
	folder, err := cache.OpenFolder(root, o.CacheSize)
	if err != nil {
		return nil, err
	}
	return &cache.Cache{Folder: folder}, nil
}

// cacheFolder returns the folder of the cache, or "" if the folder is unknown. Each policy has a
// folder of its own, so that the clients of one policy do not get resources that clients of another
// policy opened.
func (o Options) cacheFolder(e *cli.Env) string {
	dir := e.CacheDir()
	if dir == "" {
		return ""
	}
	name := "gateway"
	if o.Policy != "" {
		name += "-" + o.Policy
	}
	return dir + string(os.PathSeparator) + name
}
