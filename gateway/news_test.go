package gateway_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/url"
)

// newsreader opens news URLs with a server, and asks for a server for others.
func newsreader(_ context.Context, req *access.Request) (*access.Resource, error) {
	if _, has := req.URL.Host(); !has {
		return nil, engine.Fail("open", req.URL, access.WithRemedy(access.ErrTemporary, access.NeedNewsServer))
	}
	return content("text/plain", "an article")(req)
}

// serveHere returns a function that sends requests to g with a recorder, as the function of serve does with a server. It
// can be used where time is simulated.
func serveHere(g *gateway.Gateway) func(method, path string, fields ...string) (*http.Response, string, error) {
	return func(method, path string, fields ...string) (*http.Response, string, error) {
		w := record(g, method, path, strings.Join(fields, "\n"), "")
		return w.Result(), w.Body.String(), nil
	}
}

// ticketIn returns the ticket in a form of a page.
func ticketIn(t *testing.T, body string) string {
	t.Helper()
	_, after, _ := strings.Cut(body, `name="ticket" value="`)
	ticket, _, ok := strings.Cut(after, `"`)
	if !ok {
		t.Fatalf("no form has a ticket:\n%s", body)
	}
	return ticket
}

// The page of a news URL without a server says how to name one, and has a form for this session. Its
// links do not lead to the same error.
func TestNewsWithoutServer(t *testing.T) {
	synctest.Test(t, testNewsWithoutServer)
}

func testNewsWithoutServer(t *testing.T) {
	get := serveHere(&gateway.Gateway{Engine: access.GetFunc(newsreader)})
	_, body, _ := get("GET", "/news:comp.lang.c", strings.Split(typed, "\n")...)
	if !hasInOrder(body, "<h1>This gateway has no news server for “comp.lang.c”.</h1>", "--news-server", "NNTPSERVER", "news://news.example.org/comp.lang.c",
		`action="/-/newsserver"`, `name="url" value="news:comp.lang.c"`, `name="server"`) {
		t.Errorf("the page does not say how to name a server:\n%s", body)
	}
	for _, link := range []string{`href="/news:`, "Go up to", "Try again"} {
		if strings.Contains(body, link) {
			t.Errorf("the page has %q, which leads to the same error:\n%s", link, body)
		}
	}
	ticket := ticketIn(t, body)
	time.Sleep(time.Second) // younger forms do not count
	here := strings.Split(clickedHere, "\n")
	resp, _, _ := get("GET", "/-/newsserver?url=news:comp.lang.c&server=%20news.example.org:1190&ticket="+ticket, here...)
	if got, want := resp.Header.Get("Location"), "/news://news.example.org:1190/comp.lang.c"; got != want {
		t.Fatalf("the form leads to %q, want %q", got, want)
	}
	var cookie string
	for _, c := range resp.Cookies() {
		if c.Name == "locus-news" {
			cookie = c.Name + "=" + c.Value
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 0 || !c.Expires.IsZero() {
				t.Errorf("the cookie is %v, want one for the session that scripts cannot read", c)
			}
		}
	}
	for _, test := range []struct{ path, want string }{
		{"/news:alt.test", "/news://news.example.org:1190/alt.test"},
		{"/news:1@h.example", "/news://news.example.org:1190/1@h.example"},
		{"/news:*", "/news://news.example.org:1190/*"},
		{"/news://other.example/alt.test", ""},
	} {
		resp, _, _ := get("GET", test.path, append(here, "Cookie: "+cookie)...)
		if got := resp.Header.Get("Location"); got != test.want {
			t.Errorf("with the cookie %q, GET %s leads to %q, want %q", cookie, test.path, got, test.want)
		}
	}
}

// Only the gateway's own form sets the server of the session. A server at a private address is
// opened as any URL is.
func TestAttackNewsServer(t *testing.T) {
	// attack: A page names a news server for the session of the user | only the gateway's form sets the cookie,
	// by its ticket; a redirect to a private news server asks
	synctest.Test(t, testAttackNewsServer)
}

func testAttackNewsServer(t *testing.T) {
	get := serveHere(&gateway.Gateway{Engine: access.GetFunc(newsreader), Harmless: nil})
	_, front, _ := get("GET", "/")
	ticket := ticketIn(t, front)
	time.Sleep(time.Second) // younger forms do not count
	for _, test := range []struct {
		name, query, fields string
		sets                bool
	}{
		{"the form", "server=news.example.org&ticket=" + ticket, clickedHere, true},
		{"a link in content", "server=news.example.org", clickedHere, false},
		{"a link elsewhere", "server=news.example.org", clickedOff, false},
		{"a link elsewhere with the ticket", "server=news.example.org&ticket=" + ticket, clickedOff, false},
		{"a false ticket", "server=news.example.org&ticket=AAAA", clickedHere, false},
		{"a server with a path", "server=news.example.org/x&ticket=" + ticket, clickedHere, false},
		{"a server with a user", "server=u:p@news.example.org&ticket=" + ticket, clickedHere, false},
		{"a server with a line end", "server=news.example.org%0d%0aSet-Cookie:a=b&ticket=" + ticket, clickedHere, false},
		{"a server with a byte that cookies drop", "server=news%3B.example.org&ticket=" + ticket, clickedHere, false},
		{"no server", "server=&ticket=" + ticket, clickedHere, false},
	} {
		resp, _, err := get("GET", "/-/newsserver?url=news:comp.lang.c&"+test.query, strings.Split(test.fields, "\n")...)
		if sets := strings.Contains(strings.Join(resp.Header.Values("Set-Cookie"), " "), "locus-news"); err != nil || sets != test.sets {
			t.Errorf("%s: it sets the server: %v, want %v (%d, %v)", test.name, sets, test.sets, resp.StatusCode, err)
		}
	}
	resp, _, _ := get("GET", "/news:comp.lang.c", append(strings.Split(clickedHere, "\n"), "Cookie: locus-news=127.0.0.1")...)
	if got := resp.Header.Get("Location"); got != "/news://127.0.0.1/comp.lang.c" || len(resp.Cookies()) > 0 {
		t.Errorf("a link leads to %q with the cookies %v, want a redirect without a grant", got, resp.Cookies())
	}
	_, body, _ := get("GET", "/news://127.0.0.1/comp.lang.c", strings.Split(clickedHere, "\n")...)
	if !strings.Contains(body, "/-/confirmed?ticket=") {
		t.Errorf("a news server on this machine is opened without a question:\n%s", body)
	}
}

// Cookies are shared by all ports of a host, and by the subdomains of a domain, so another server can set the
// cookie. Such a cookie names a news server, but does not make the gateway trust a private one.
func TestAttackNewsCookie(t *testing.T) {
	// attack: A server at another port or subdomain of the gateway's host sets the cookie of the news server | only
	// a cookie with the gateway's ticket is trusted; a private server of another cookie asks
	synctest.Test(t, testAttackNewsCookie)
}

func testAttackNewsCookie(t *testing.T) {
	get := serveHere(&gateway.Gateway{Engine: access.GetFunc(newsreader), Harmless: func(url.URL) bool { return false }})
	_, front, _ := get("GET", "/")
	ticket := ticketIn(t, front)
	time.Sleep(time.Second) // younger forms do not count
	here := strings.Split(clickedHere, "\n")
	cookieOf := func(resp *http.Response, name string) string {
		for _, c := range resp.Cookies() {
			if c.Name == name {
				return name + "=" + c.Value
			}
		}
		return ""
	}
	set, _, err := get("GET", "/-/newsserver?url=news:comp.lang.c&server=127.0.0.1&ticket="+ticket, here...)
	if err != nil {
		t.Fatal(err)
	}
	own := cookieOf(set, "locus-news")
	for _, test := range []struct {
		name, cookie string
		trusted      bool
	}{
		{"the gateway's own", own, true},
		{"a server alone", "locus-news=127.0.0.1", false},
		{"another server", strings.Replace(own, "127.0.0.1", "127.0.0.2", 1), false},
		{"a false ticket", "locus-news=AAAA@127.0.0.1", false},
		{"a ticket for a URL", "locus-news=" + ticket + "@127.0.0.1", false},
	} {
		typed, _, err := get("GET", "/-/open?url=news:comp.lang.c&ticket="+ticket, here...)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		grant := cookieOf(typed, "locus-grant")
		resp, _, err := get("GET", "/news:comp.lang.c", append(here, "Cookie: "+grant+"; "+test.cookie)...)
		server := test.cookie[strings.LastIndexAny(test.cookie, "=@")+1:]
		if got, want := resp.Header.Get("Location"), "/news://"+server+"/comp.lang.c"; err != nil || got != want {
			t.Errorf("%s: it leads to %q, %v, want %q", test.name, got, err, want)
		}
		if trusted := cookieOf(resp, "locus-grant") != ""; trusted != test.trusted {
			t.Errorf("%s: the server is trusted: %t, want %t", test.name, trusted, test.trusted)
		}
	}
}

// If the server cannot be reached, the page does not link to the pages above, which fail, too.
func TestErrorsOfServer(t *testing.T) {
	for _, test := range []struct {
		err error
		up  bool
	}{
		{access.ErrTemporary, true},
		{&net.DNSError{Name: "h", IsNotFound: true}, false},
		{&net.OpError{Op: "dial", Err: access.ErrTemporary}, false},
		{access.ErrNotPublic, false},
	} {
		get := serve(t, &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return nil, engine.Fail("open", req.URL, test.err)
		})})
		_, body, _ := get("GET", "/ftp://h.example/pub/x")
		_, main, _ := strings.Cut(body, "</header>")
		if up := strings.Contains(main, `href="/ftp://h.example/pub/"`); up != test.up {
			t.Errorf("%v: the page links to the folder above: %v, want %v\n%s", test.err, up, test.up, main)
		}
	}
}
