package check_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/demo"
	"locus/extract/document"
	"locus/url"
)

// names is a Resolver.
type names map[string]string // "mx", "host", "null" or "broken"; other names do not exist

func (n names) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	switch n[name] {
	case "mx":
		return []*net.MX{{Host: "mail." + name, Pref: 10}}, nil
	case "null":
		return []*net.MX{{Host: ".", Pref: 0}}, nil
	case "broken":
		return nil, &net.DNSError{Err: "server misbehaving", Name: name}
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (n names) LookupHost(_ context.Context, name string) ([]string, error) {
	if n[name] == "host" {
		return []string{"192.0.2.1"}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// one checks one link, and returns its status, its URL and its reason.
func one(t *testing.T, c *check.Checker, link string) string {
	t.Helper()
	q := report.NewQueue(nil)
	if err := check.Seed(t.Context(), q, check.Source{Document: "x", Links: []check.Link{{URL: link}}}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(tell(run(t, c, q), ""), "\n")
}

func TestMail(t *testing.T) {
	c := &check.Checker{Resolver: names{"mx.test": "mx", "a.test": "host", "no.test": "null", "bad.test": "broken"}, Policy: check.Policy{Retries: -1}}
	for _, test := range []struct{ link, want string }{
		{"mailto:x@mx.test", "good mailto:x@mx.test"},
		{"mailto:x@a.test?subject=y", "good mailto:x@a.test?subject=y"},
		{"mailto:%22a,b@c%22@mx.test", "good mailto:%22a,b@c%22@mx.test"},
		{"mailto:x@mx.test,y@gone.test", "dead mailto:x@mx.test,y@gone.test: gone.test has neither a mail exchanger nor an address"},
		{"mailserver:x@mx.test/Hello/subscribe", "good mailserver:x@mx.test/Hello/subscribe"},
		{"mailserver:x@gone.test", "dead mailserver:x@gone.test: gone.test has neither a mail exchanger nor an address"},
		{"mailto:x@no.test", "dead mailto:x@no.test: no.test accepts no mail"},
		{"mailto:x@bad.test", "dead mailto:x@bad.test: lookup bad.test: server misbehaving"},
	} {
		if got := one(t, c, test.link); got != test.want {
			t.Errorf("check of %s gives %q, want %q", test.link, got, test.want)
		}
	}
	if got := one(t, &check.Checker{}, "mailto:x@gone.test"); got != "good mailto:x@gone.test" {
		t.Errorf("without a Resolver, check gives %q", got)
	}
	if got := one(t, c, "mailto:x"); !strings.HasPrefix(got, "dead mailto:x: it is not a URL: ") {
		t.Errorf("check of an address without a domain gives %q", got)
	}
}

// An address of a scheme that the program has added cannot be checked.
func TestAddedAddress(t *testing.T) {
	c := &check.Checker{Schemes: access.Schemes{"matrix": {Address: true}, "telnet": {Address: true}, "mailto": {Address: true}}}
	for link, want := range map[string]string{
		"matrix:u/a:h.test": "unchecked matrix:u/a:h.test: locus cannot check addresses of this scheme",
		"telnet://h.test/":  "unchecked telnet://h.test/: locus cannot check addresses of this scheme",
		"mailto:x@h.test":   "good mailto:x@h.test",
	} {
		if got := one(t, c, link); got != want {
			t.Errorf("check of %s gives %q, want %q", link, got, want)
		}
	}
}

// Every scheme is checked over its own protocol.
func TestSchemes(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := &check.Checker{Engine: client(new(net.Dialer).DialContext), Policy: check.Policy{Retries: -1}}
	for _, s := range d.Services() {
		root := strings.TrimSuffix(s.URL, "/") + "/"
		if s.Scheme == "rlogin" {
			root = strings.Replace(root, "//", "//guest@", 1)
		}
		if got := one(t, c, root); got != "good "+root {
			t.Errorf("check of %s gives %q", s.Scheme, got)
		}
	}
	if got := one(t, c, "rlogin://h.invalid/"); got != "unchecked rlogin://h.invalid/: no user name" {
		t.Errorf("check of rlogin without a user gives %q", got)
	}
	if got := one(t, c, "unheard:x"); got != "unchecked unheard:x: locus cannot open this scheme" {
		t.Errorf("check of an unknown scheme gives %q", got)
	}
	if got := one(t, &check.Checker{}, "ftp://h/"); got != "unchecked ftp://h/: locus cannot open this scheme" {
		t.Errorf("without an Engine, check gives %q", got)
	}
}

// A menu is dead if all of its entries are errors.
func TestMenus(t *testing.T) {
	menu := func(kinds ...access.Kind) access.Engine {
		return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			l := &entries{}
			for _, k := range kinds {
				l.all = append(l.all, access.Entry{Title: "x", Kind: k})
			}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
		})
	}
	for _, test := range []struct {
		kinds []access.Kind
		want  string
	}{
		{nil, "good gopher://h/1"},
		{[]access.Kind{access.Failure}, "dead gopher://h/1: the listing has only errors of the server: 1"},
		{[]access.Kind{access.Info, access.Failure, access.Failure}, "dead gopher://h/1: the listing has only errors of the server: 2"},
		{[]access.Kind{access.Failure, access.Object}, "good gopher://h/1"},
	} {
		if got := one(t, &check.Checker{Engine: menu(test.kinds...)}, "gopher://h/1"); got != test.want {
			t.Errorf("check of a menu of %v gives %q, want %q", test.kinds, got, test.want)
		}
	}
}

// entries is a Lister of some entries.
type entries struct{ all []access.Entry }

func (e *entries) Read([]byte) (int, error) { return 0, errors.New("it is read as a listing") }
func (e *entries) Close() error             { return nil }

func (e *entries) Next() (access.Entry, error) {
	if len(e.all) == 0 {
		return access.Entry{}, io.EOF
	}
	first := e.all[0]
	e.all = e.all[1:]
	return first, nil
}

func TestFiles(t *testing.T) {
	c := &check.Checker{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		switch req.URL.Path() {
		case "/there":
			return empty(req)
		case "/locked":
			return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrPermission}
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
	})}
	for link, want := range map[string]string{
		"file:///there":  "good file:///there",
		"file:///gone":   "dead file:///gone: no such file or folder",
		"file:///locked": "dead file:///locked: permission denied",
		"ftp://h/locked": "unchecked ftp://h/locked: permission denied", // this machine refused, so the server was not asked
	} {
		if got := one(t, c, link); got != want {
			t.Errorf("check of %s gives %q, want %q", link, got, want)
		}
	}
}

// Links that a browser handles itself, or that call a telephone, are not links to check.
func TestSilentSchemes(t *testing.T) {
	text := "<a href=tel:+15550100>c</a> <a href=TEL:1>c</a> <a href='sms:+15550100?body=x'>s</a> <a href=callto:x>c</a> <a href=sip:x@h.example>c</a> <a href=facetime:x>c</a> <a href=fax:1>f</a> <a href='javascript:void 0'>j</a> <a href=data:,x>d</a> <a href=telex:1>unknown</a>"
	found, err := check.ReadLinks(strings.NewReader(text), document.HTML, url.MustParse("http://h/"))
	if err != nil || len(found) != 1 || found[0].URL != "telex:1" {
		t.Errorf("the links are %v, %v, want telex:1 alone", found, err)
	}
}
