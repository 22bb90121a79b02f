package locus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/compare"
	"locus/guard"
	"locus/proto/mail"
	"locus/proto/sftp"
	"locus/url"
)

// names is a Resolver. It reads numbers as C libraries do: 2130706433 and 127.1
// are 127.0.0.1.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for _, addr := range n[strings.ToLower(host)] {
		addrs = append(addrs, netip.MustParseAddr(addr))
	}
	if addrs == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

var someNames = names{
	"public.example": {"93.184.216.34"},
	"inside.example": {"10.0.0.1"},
	"both.example":   {"93.184.216.34", "10.0.0.1"},
	"mapped.example": {"::ffff:127.0.0.1"},
	"news.example":   {"192.168.0.119"},
	"localhost":      {"127.0.0.1", "::1"},
	"2130706433":     {"127.0.0.1"},
	"0x7f.1":         {"127.0.0.1"},
	"127.1":          {"127.0.0.1"},
	"017700000001":   {"127.0.0.1"},
	"0":              {"0.0.0.0"},
}

// A dialLog records the addresses that are dialled.
type dialLog struct {
	dial Dial // nil: every dial fails

	mu      sync.Mutex
	dialled []string
}

func (l *dialLog) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	l.dialled = append(l.dialled, address)
	l.mu.Unlock()
	if l.dial == nil {
		return nil, errors.New("nobody answers")
	}
	return l.dial(ctx, network, address)
}

// since returns the addresses since the last call.
func (l *dialLog) since() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	dialled := l.dialled
	l.dialled = nil
	return dialled
}

// anyMail finds every message.
type anyMail struct{}

func (anyMail) Find(context.Context, mail.Query) (*mail.Message, error) {
	return nil, errors.New("the mail of this machine was asked")
}

// strangers returns the URLs that a Public client refuses, as a gateway with the
// policy public does.
func strangers(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/strangers.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(commentLine.ReplaceAllString(string(text), ""))
}

var commentLine = regexp.MustCompile(`(?m)^#.*$`)

// URLs of strangers reach only the public network, directly and by a redirect.
func TestClientPublic(t *testing.T) {
	town := newTown(t, signpost)
	log := &dialLog{dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "93.184.216.34:80" {
			return nil, errors.New("nobody answers")
		}
		return town.dial(ctx, network, "a.example:80")
	}}
	c := &Client{Dial: log.Dial, Public: true, Resolver: someNames, Mail: []mail.Source{anyMail{}}, NewsServer: "news.example"}
	t.Cleanup(func() { c.Close() })
	refused := func(err error) bool {
		_, address := errors.AsType[*guard.AddressError](err)
		_, port := errors.AsType[*guard.PortError](err)
		_, differ := errors.AsType[*compare.Disagreement](err)
		return address || port || differ || errors.Is(err, access.ErrNoScheme) || errors.Is(err, access.ErrRedirect)
	}
	for _, u := range strangers(t) {
		for _, op := range access.Ops() {
			_, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse(u)})
			if dialled := log.since(); op == access.Get && !refused(err) || len(dialled) > 0 {
				t.Errorf("%v %q = %v after dialling %q, want it refused", op, u, err, dialled)
			}
		}
		_, err := c.Open(t.Context(), "http://public.example"+pointing(302, u))
		if dialled := log.since(); !refused(err) || slices.ContainsFunc(dialled, func(at string) bool { return at != "93.184.216.34:80" }) {
			t.Errorf("a redirect to %q = %v after dialling %q, want it refused", u, err, dialled)
		}
	}
	r, err := c.Open(t.Context(), "http://public.example/x")
	if err != nil {
		t.Fatalf("Open of a public address = %v, want a resource", err)
	}
	r.Body.Close()
}

// A Public client opens sftp URLs only if Engines has an engine for them. It dials only public addresses for them, and
// follows no redirect to them.
func TestClientPublicSFTP(t *testing.T) {
	town := newTown(t, signpost)
	log := &dialLog{dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "93.184.216.34:80" {
			return nil, errors.New("nobody answers")
		}
		return town.dial(ctx, network, "a.example:80")
	}}
	c := &Client{Dial: log.Dial, Public: true, Resolver: someNames, Engines: func(dial Dial) map[string]Scheme {
		return access.Table{"sftp": sftp.Client{Dial: dial}}.Schemes()
	}}
	t.Cleanup(func() { c.Close() })
	for _, test := range []struct{ url, dials string }{
		{"sftp://ada@public.example/x", "93.184.216.34:22"},
		{"sftp://ada@inside.example/x", ""},
		{"sftp://ada@127.0.0.1/x", ""},
		{"http://public.example" + pointing(302, "sftp://ada@public.example/x"), "93.184.216.34:80"},
	} {
		_, err := c.Open(t.Context(), test.url)
		if dialled := strings.Join(log.since(), " "); err == nil || dialled != test.dials {
			t.Errorf("Open(%q) = %v after dialling %q, want an error after dialling %q", test.url, err, dialled, test.dials)
		}
	}
}

// Names are looked up once, so the Client dials the address that it has checked.
func TestClientPublicDialsAddresses(t *testing.T) {
	log := new(dialLog)
	c := &Client{Dial: log.Dial, Public: true, Resolver: someNames}
	for _, scheme := range c.Schemes() {
		_, _ = c.Open(t.Context(), scheme+"://public.example/x")
		for _, at := range log.since() {
			if !strings.HasPrefix(at, "93.184.216.34:") {
				t.Errorf("Open of %s dials %q, want the address that was checked", scheme, at)
			}
		}
	}
	if _, err := c.DialContext(t.Context(), "tcp", "localhost:80"); err == nil || log.since() != nil {
		t.Errorf("DialContext to this machine = %v, want it refused", err)
	}
}

// Public excludes Proxy, because a proxy looks up names by itself, and Root, because files
// are not public.
func TestClientPublicExcludes(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	log := new(dialLog)
	for name, c := range map[string]*Client{
		"a proxy":  {Dial: log.Dial, Public: true, Proxy: func(url.URL) (url.URL, bool) { return url.URL{}, false }},
		"a folder": {Dial: log.Dial, Public: true, Root: root},
	} {
		for _, op := range access.Ops() {
			_, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("http://93.184.216.34/")})
			if err == nil || log.since() != nil {
				t.Errorf("%v by a public client with %s = %v, want an error", op, name, err)
			}
		}
		if resp, err := c.HTTP().Get("http://93.184.216.34/"); err == nil {
			resp.Body.Close()
			t.Errorf("GET by a public client with %s gives no error", name)
		}
		c.CloseIdleConnections()
	}
}

// PublicOnly refuses files and received mail, because they belong to this machine.
func TestClientPublicOnlyIsNotLocal(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.WriteFile("x", []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Client{Root: root, AFS: dir, Mail: []mail.Source{anyMail{}}}
	t.Cleanup(func() { c.Close() })
	for _, u := range []string{"file:///x", "afs:/x", "mid:a@b", "cid:a@b"} {
		for _, op := range []access.Op{access.Get, access.Stat, access.Delete} {
			_, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse(u), PublicOnly: true})
			if !errors.Is(err, access.ErrNotPublic) {
				t.Errorf("%v %q, only if public = %v, want %v", op, u, err, access.ErrNotPublic)
			}
		}
	}
	if text, err := root.ReadFile("x"); string(text) != "secret" || err != nil {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// A Client checks the port of a redirect, too. guard.Ports alone checks it only inside
// Follow.
func TestClientPortOfRedirect(t *testing.T) {
	for _, test := range []struct {
		name    string
		client  func(*town) access.Engine
		refused bool
	}{
		{"a Client", func(town *town) access.Engine { return town.client }, true},
		{"Ports inside Follow", func(town *town) access.Engine {
			return access.Follow{Engine: guard.Ports{Engine: town.table}}
		}, true},
		{"Ports around Follow", func(town *town) access.Engine {
			return guard.Ports{Engine: access.Follow{Engine: town.table}}
		}, false},
		{"a Client that allows the port", func(town *town) access.Engine {
			return &Client{Dial: town.dial, AllowPorts: []uint16{25}}
		}, false},
	} {
		town := newTown(t, signpost)
		town.places["b.example:25"] = town.places["b.example:80"]
		req := &access.Request{URL: url.MustParse("http://a.example" + pointing(302, "http://b.example:25/x"))}
		r, err := test.client(town).Do(t.Context(), req)
		if err == nil {
			r.Body.Close()
		}
		asked, _, _ := town.heard()
		_, refused := errors.AsType[*guard.PortError](err)
		if refused != test.refused || (len(asked) == 1) != test.refused {
			t.Errorf("%s: a redirect to port 25 = %v after %q, want it refused: %v", test.name, err, asked, test.refused)
		}
	}
}

func ExampleClient_DialContext() {
	c := &Client{Dial: new(net.Dialer).DialContext, Public: true}
	_, err := c.DialContext(context.Background(), "tcp", "169.254.169.254:80")
	fmt.Println(err)
	// Output: host "169.254.169.254" is not public (link-local)
}
