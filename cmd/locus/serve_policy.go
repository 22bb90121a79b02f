package main

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/cache"
	"locus/gateway"
	"locus/guard"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/url"
)

// fetching are the schemes that the policy "public" opens where none is named.
var fetching = []string{"http", "https", "ftp", "ftps", "gopher", "wais", "prospero", "news", "snews", "nntp", "nntps"}

// A policy is what those who ask a gateway may have opened.
type policy struct {
	name    string   // "public" or "any"; "" is for loopback alone
	schemes []string // none: every one that there is
	ports   guard.Ports
	dial    locus.Dial // for what goes around the engines: tunnels, and the web
}

func policyOf(c *cli.Command) (*policy, error) {
	p := &policy{name: c.String("policy"), schemes: c.StringSlice("scheme")}
	switch p.name {
	case "", "any":
	case "public":
		if c.IsSet("proxy") {
			return nil, &usageError{text: "--policy public excludes --proxy", hint: "the proxy would look up names, and connect to any address"}
		}
		if len(p.schemes) == 0 {
			p.schemes = fetching
		}
	default:
		return nil, misuse("--policy wants public or any, not %q", p.name)
	}
	for _, name := range p.schemes {
		if _, ok := table("")[name]; !ok {
			return nil, misuse("--scheme: no scheme %q can be opened", name)
		}
	}
	if d := c.Duration("timeout"); c.IsSet("timeout") && d <= 0 {
		return nil, misuse("--timeout wants a duration greater than 0, such as 30s")
	}
	allow, err := allowedPorts(c)
	if err != nil {
		return nil, err
	}
	p.ports.Allow = allow
	dialer := net.Dialer{Timeout: 30 * time.Second}
	p.dial = p.guarded(dialer.DialContext)
	return p, nil
}

// guarded returns a dialler that reaches what the policy allows.
func (p *policy) guarded(dial locus.Dial) locus.Dial {
	if p.name == "public" {
		return guard.Public{Dial: dial, Resolver: net.DefaultResolver}.DialContext
	}
	return dial
}

// usualTimeout is how long an access for others may take where --timeout does not
// say it: enough for a GiB at 5 Mbit/s.
const usualTimeout = 30 * time.Minute

// timeout is how long an access may take; 0 is for as long as its user waits.
func (p *policy) timeout(c *cli.Command) time.Duration {
	if p.name != "" && !c.IsSet("timeout") {
		return usualTimeout
	}
	return c.Duration("timeout")
}

// suits refuses to let others in where nobody has said what they may do.
func (p *policy) suits(at net.Addr) error {
	if isLoopback(at) || p.name != "" {
		return nil
	}
	return &usageError{
		text: "whoever reaches " + at.String() + " could open what you can: your network, your files",
		hint: "--policy public lets them open what is at public addresses, --policy any whatever this machine reaches; or --listen on 127.0.0.1",
	}
}

// isLoopback reports whether only this machine reaches the address.
func isLoopback(at net.Addr) bool {
	addr, err := netip.ParseAddrPort(at.String())
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

func (p *policy) opens(scheme string) bool {
	return len(p.schemes) == 0 || slices.Contains(p.schemes, scheme)
}

// keeps takes out of t what the policy does not open. Files and mail are the
// user's own: others have them only where they are named.
func (p *policy) keeps(t access.Table, c *cli.Command) {
	for scheme := range t {
		if !p.opens(scheme) || p.name != "" && (scheme == "mid" || scheme == "cid") && c.String("mail") == "" {
			delete(t, scheme)
		}
	}
	if p.name != "" && c.String("root") == "" {
		delete(t, "file")
	}
}

// web returns what passes the requests of a proxy's clients on.
func (p *policy) web() http.RoundTripper {
	return portChecked{gateway.Transport(p.dial), p.ports}
}

// unvisited tells robots (RFC 9309) to stay away: every URL that there is would be
// a page of a gateway that they may read.
type unvisited struct{ http.Handler }

func (u unvisited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI != "/robots.txt" {
		u.Handler.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "User-agent: *\nDisallow: /\n") // who has gone needs no answer
}

// portChecked is a RoundTripper that refuses ports as guard.Ports does.
type portChecked struct {
	http.RoundTripper
	ports guard.Ports
}

func (t portChecked) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(r.URL.String())
	if err == nil {
		err = t.ports.Check(u)
	}
	if err != nil {
		return nil, err
	}
	return t.RoundTripper.RoundTrip(r)
}

// maxKept is how many FTP connections are kept while nobody uses them. A login
// costs several times what a small file does.
const maxKept = 128

// opener returns what the gateway opens URLs with.
func (s *serving) opener(c *cli.Command, p *policy) (access.Engine, error) {
	t := table(c.String("mail"))
	if err := addNews(t, c); err != nil {
		return nil, err
	}
	if err := addFTP(t, c); err != nil {
		return nil, err
	}
	if client, ok := t["ftp"].(ftp.Client); ok {
		client.Pool.Most = maxKept
	}
	passFiles(t)
	if dir := c.String("root"); dir != "" {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, root.Close)
		t["file"] = file.System{Root: root}
	}
	p.keeps(t, c)
	if err := p.connects(t, c); err != nil {
		return nil, err
	}
	cached, err := s.cached(c, t, p.name)
	if err != nil {
		return nil, err
	}
	ports := p.ports
	ports.Engine = cached
	return access.Follow{Engine: ports}, nil
}

// connects lets the engines of t connect as the policy allows.
func (p *policy) connects(t access.Table, c *cli.Command) error {
	if p.name != "public" {
		return throughProxies(t, c)
	}
	for scheme, o := range t {
		t[scheme] = withDial(o, p.dial)
	}
	return addGateways(t, c)
}

// cached returns t with a memory for what comes over the network.
func (s *serving) cached(c *cli.Command, t access.Table, policy string) (access.Engine, error) {
	size, err := parseSize("cache-size", c.String("cache-size"))
	if err != nil {
		return nil, err
	}
	dir := c.String("cache-dir")
	if c.Bool("no-cache") {
		if dir != "" {
			return nil, misuse("--cache-dir and --no-cache exclude each other")
		}
		return t, nil
	}
	if dir == "" {
		if dir, err = cacheFolder(policy); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, root.Close)
	folder, err := cache.OpenFolder(root, size)
	if err != nil {
		return nil, err
	}
	s.remembers = &cache.Cache{Engine: t, Folder: folder}
	s.door.counts.watch(s.remembers)
	return around(func(req *access.Request) (access.Engine, *access.Request) {
		if slices.Contains(fetching, req.URL.Scheme()) {
			return s.remembers, req
		}
		return t, req
	}), nil
}

// cacheFolder returns where a gateway remembers: what one policy let in is not
// for those of another.
func cacheFolder(policy string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &hinted{err, "--cache names a folder, --no-cache does without"}
	}
	name := "gateway"
	if policy != "" {
		name += "-" + policy
	}
	return strings.Join([]string{dir, "locus", name}, string(os.PathSeparator)), nil
}
