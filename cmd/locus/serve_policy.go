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
	"locus/guard"
	"locus/proto/file"
	"locus/url"
)

// fetching are the schemes that the policy "public" opens without --scheme.
var fetching = []string{"http", "https", "ftp", "ftps", "gopher", "wais", "prospero", "news", "snews", "nntp", "nntps"}

// A policy says what the clients of a gateway may open.
type policy struct {
	name    string   // "public" or "any"; "": the gateway is on loopback
	schemes []string // none: all
}

func policyOf(c *cli.Command) (*policy, error) {
	schemes, err := schemesOf(c)
	if err != nil {
		return nil, err
	}
	p := &policy{name: c.String("policy"), schemes: schemes}
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
		if !canOpen(name) {
			return nil, misuse("--scheme: no scheme %q can be opened", name)
		}
	}
	_, err = durationOf(c, "timeout")
	return p, err
}

// usualTimeout is the timeout of a policy without --timeout: enough for 1 GiB at 5
// Mbit/s.
const usualTimeout = 30 * time.Minute

// timeout returns how long a request may take; 0: as long as the client waits.
func (p *policy) timeout(c *cli.Command) time.Duration {
	if p.name != "" && !c.IsSet("timeout") {
		return usualTimeout
	}
	return c.Duration("timeout")
}

// suits returns an error if others can reach the address and there is no policy.
func (p *policy) suits(at net.Addr) error {
	if isLoopback(at) || p.name != "" {
		return nil
	}
	return &usageError{
		text: "everybody who reaches " + at.String() + " could open what you can: your network, your files",
		hint: "--policy public lets them open what is at public addresses, --policy any whatever this machine reaches; or --listen on 127.0.0.1",
	}
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(at net.Addr) bool {
	addr, err := netip.ParseAddrPort(at.String())
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

func (p *policy) opens(scheme string) bool {
	return len(p.schemes) == 0 || slices.Contains(p.schemes, scheme)
}

// opensFor reports whether the policy opens a scheme with the flags of c. It opens the
// user's files and mail only if flags name them.
func (p *policy) opensFor(c *cli.Command, scheme string) bool {
	if p.name != "" {
		switch scheme {
		case "mid", "cid":
			return p.opens(scheme) && c.String("mail") != ""
		case "file":
			return p.opens(scheme) && c.String("root") != ""
		}
	}
	return p.opens(scheme)
}

// unvisited keeps robots (RFC 9309) out: through a gateway they could crawl every URL.
type unvisited struct{ http.Handler }

func (u unvisited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.RequestURI != "/robots.txt" {
		u.Handler.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "User-agent: *\nDisallow: /\n") // the client may have gone
}

// portChecked is a RoundTripper that rejects ports as guard.Ports does.
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

// maxIdleFTP is how many idle FTP connections are kept. A login takes several times as
// long as a small file.
const maxIdleFTP = 128

// client returns the client of the gateway.
func (s *serving) client(p *process, c *cli.Command, pol *policy) (*locus.Client, error) {
	client, e, err := p.newClient(c)
	if err != nil {
		return nil, err
	}
	client.Dial = (&net.Dialer{Timeout: 30 * time.Second}).DialContext
	client.Login = nil
	if client.Public = pol.name == "public"; client.Public {
		client.Proxy, e.direct = nil, false
	}
	e.ftp.Binary, e.ftp.Pool.Most = true, maxIdleFTP
	e.opens = func(scheme string) bool { return pol.opensFor(c, scheme) }
	if dir := c.String("root"); dir != "" {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, root.Close)
		e.more = func(locus.Dial) access.Table { return access.Table{"file": file.System{Root: root}} }
	}
	client.Cache, err = s.cache(c, pol.name)
	return client, err
}

// cache returns the cache that the flags ask for; nil for --no-cache.
func (s *serving) cache(c *cli.Command, policy string) (*cache.Cache, error) {
	size, err := parseSize("cache-size", c.String("cache-size"))
	if err != nil {
		return nil, err
	}
	dir := c.String("cache-dir")
	if c.Bool("no-cache") {
		if dir != "" {
			return nil, misuse("--cache-dir and --no-cache exclude each other")
		}
		return nil, nil
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
	kept := &cache.Cache{Folder: folder}
	s.frontend.counts.watch(kept)
	return kept, nil
}

// cacheFolder returns the folder of the cache. Each policy has its own, so that clients
// of one do not get what another opened.
func cacheFolder(policy string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &hinted{err, "--cache-dir names a folder, --no-cache needs none"}
	}
	name := "gateway"
	if policy != "" {
		name += "-" + policy
	}
	return strings.Join([]string{dir, "locus", name}, string(os.PathSeparator)), nil
}
