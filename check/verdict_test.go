package check_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/internal/faulty"
	"locus/url"
)

// The status of a response decides. HEAD is followed by GET if the status of GET may differ.
func TestStatuses(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		var head, get int
		if n, _ := fmt.Sscanf(r.URL.Path, "/%d/%d", &head, &get); n != 2 {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodHead {
			w.WriteHeader(head)
			return
		}
		w.WriteHeader(get)
	})
	for _, test := range []struct {
		path        string // the statuses for HEAD and for GET
		want        string
		heads, gets int
	}{
		{"/200/500", "good", 1, 0},
		{"/201/500", "good", 1, 0},
		{"/204/500", "good", 1, 0},
		{"/206/500", "good", 1, 0},
		{"/299/500", "good", 1, 0},
		{"/405/204", "good", 1, 1},
		{"/400/200", "good", 1, 1},
		{"/403/200", "good", 1, 1},
		{"/404/200", "good", 1, 1},
		{"/405/200", "good", 1, 1},
		{"/405/404", "dead: 404 Not Found", 1, 2}, // the engine also sends GET after 405
		{"/501/200", "good", 1, 1},
		{"/500/500", "dead: 500 Internal Server Error", 1, 1},
		{"/503/200", "good", 1, 1},
		{"/999/999", "bot-wall: 999 status code 999, by the bot wall of LinkedIn", 1, 1},
		{"/401/200", "good", 1, 1},
		{"/401/401", "dead: 401 Unauthorized", 1, 1},
		{"/407/200", "dead: 407 Proxy Authentication Required", 1, 0},
		{"/410/200", "dead: 410 Gone", 1, 0},
		{"/418/500", "good", 1, 1},
		{"/429/200", "good", 1, 1},
		{"/451/451", "dead: 451 Unavailable For Legal Reasons", 1, 1},
		{"/300/200", "good", 1, 0},
		{"/302/200", "dead: 302 Found: the server broke the protocol: a redirect without a Location", 1, 0},
		{"/304/200", "good", 1, 0},
	} {
		c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1}}
		if test.path == "/418/500" {
			c.Accept, test.gets = []int{418, 500}, 1
		}
		status, reason, _ := strings.Cut(test.want, ":")
		want := status + " " + test.path
		if reason != "" {
			want += ":" + reason
		}
		got := strings.ReplaceAll(one(t, c, s.URL+test.path), s.URL, "")
		if heads, gets := s.times("HEAD "+test.path), s.times("GET "+test.path); got != want || heads != test.heads || gets != test.gets {
			t.Errorf("check of %s gives %q after %d requests with HEAD and %d with GET, want %q after %d and %d", test.path, got, heads, gets, want, test.heads, test.gets)
		}
	}
}

// A status in Accept is good without a retry and without GET.
func TestAccepted(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Accept: []int{503}, Wait: time.Nanosecond}}
	r := links(t, c, "<"+s.URL+"/>")
	if f := findings(r)[0]; f.Status != check.Good || f.Code != 503 || f.Tries != 1 || f.Reason != "" {
		t.Errorf("a status in Accept gives the result %+v", f.Result)
	}
}

// The reason for a failure says how to remedy it.
func TestFailures(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	closed := faulty.Closed(t)
	var d net.Dialer
	o := client(func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, _ := net.SplitHostPort(address); net.ParseIP(host) == nil {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return d.DialContext(ctx, network, address)
	})
	for _, test := range []struct {
		link, want string
	}{
		{secure.URL + "/", "dead: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"http://" + closed + "/", "dead: connection refused"},
		{"https://" + closed + "/", "dead: connection refused"},
		{"ftp://" + closed + "/", "dead: connection refused"},
		{"gopher://" + closed + "/", "dead: connection refused"},
		{"nntp://" + closed + "/group", "dead: connection refused"},
		{"http://absent.invalid/", "dead: no such host"},
		{"news:comp.infosystems.www", "unchecked: no news server is configured"},
		{"tel:+1-201-555-0111", "unchecked: locus cannot open this scheme"},
		{"sip:a@h.invalid", "unchecked: locus cannot open this scheme"},
		{"urn:isbn:0451450523", "unchecked: locus cannot open this scheme"},
		{"unheard://h.invalid/x", "unchecked: locus cannot open this scheme"},
		{"z39.50://h.invalid/x", "unchecked: locus cannot open this scheme"},
		{"http:///x", "dead: offset 7: found '/', want a host (RFC 1738 §3.3)"},
		{"http://127.0.0.1:99999/", "dead: offset 17: found '9', want a port from 1 to 65535 (RFC 1738 §3.3)"},
	} {
		status, reason, _ := strings.Cut(test.want, ":")
		want := status + " " + test.link + ":" + reason
		if got := one(t, &check.Checker{Engine: o, Policy: check.Policy{Retries: -1}}, test.link); got != want {
			t.Errorf("check gives %q, want %q", got, want)
		}
	}
}

// A host name is looked up in its ASCII form.
func TestHostNames(t *testing.T) {
	var dialled []string
	o := client(func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, errors.New("the network is down")
	})
	r := links(t, &check.Checker{Engine: o, Policy: check.Policy{Retries: -1}}, "[a](http://bücher.invalid/)")
	if want := []string{"xn--bcher-kva.invalid:80"}; !slices.Equal(dialled, want) || !r.Failed() {
		t.Errorf("the dialed address is %q, want %q; %s", dialled, want, r.Summary())
	}
}

// Redirects are reported with their kinds. Moved is the target of the last permanent redirect before a temporary one.
func TestRedirects(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		answer := func(code int, to string) {
			w.Header().Set("Location", to)
			w.WriteHeader(code)
		}
		switch r.URL.Path {
		case "/301":
			answer(301, "/302")
		case "/302":
			answer(302, "/308")
		case "/308":
			answer(308, "/end")
		case "/307":
			answer(307, "/end")
		case "/303":
			answer(303, "/end")
		case "/name":
			answer(301, "/end#two")
		case "/circle1":
			answer(302, "/circle2#a")
		case "/circle2":
			answer(302, "/circle1#b")
		case "/long":
			answer(302, "/"+long)
		case "/gone":
			answer(301, "/nothing")
		case "/mail":
			answer(302, "mailto:x@h.invalid")
		case "/login":
			answer(301, "http://u:secret@"+r.Host+"/end")
		case "/cookie":
			if _, err := r.Cookie("seen"); err != nil {
				w.Header().Set("Set-Cookie", "seen=1")
				answer(302, "/cookie")
			}
		case "/headonly":
			if r.Method == http.MethodHead {
				answer(301, "/nothing")
			}
		case "/end":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p id=one>")
		default:
			http.NotFound(w, r)
		}
	})
	host := strings.TrimPrefix(s.URL, "http://")
	for _, test := range []struct {
		path, want string
		hops       string
	}{
		{"/301", "good /301: moved permanently to /302", "[{/302 true} {/308 false} {/end true}]"},
		{"/302", "good /302", "[{/308 false} {/end true}]"},
		{"/303", "good /303", "[{/end false}]"},
		{"/307", "good /307", "[{/end false}]"},
		{"/308", "good /308: moved permanently to /end", "[{/end true}]"},
		{"/308#one", "good /308#one: moved permanently to /end", "[{/end true}]"},
		{"/308#two", `dead /308#two: the page has no anchor named "two"; moved permanently to /end`, "[{/end true}]"},
		{"/name#one", "good /name#one: moved permanently to /end#two", "[{/end#two true}]"},
		{"/name#three", "good /name#three: moved permanently to /end#two", "[{/end#two true}]"}, // the fragment of the redirect counts
		{"/circle1", "dead /circle1: redirect refused: it leads back to an earlier URL", "[{/circle2#a false} {/circle1#b false}]"},
		{"/long", "unchecked /long: it redirects to a URL of more than 64 KiB", "[]"},
		{"/gone", "dead /gone: 404 Not Found; moved permanently to /nothing", "[{/nothing true}]"},
		{"/mail", "unchecked /mail: it redirects to mailto:x@h.invalid, which is not followed", "[{mailto:x@h.invalid false}]"},
		{"/login", "good /login: moved permanently to http://u:xxxxx@HOST/end", "[{http://u:secret@HOST/end true}]"},
		{"/cookie", "good /cookie", "[{/cookie false}]"}, // the server gets its cookie back
		{"/headonly", "good /headonly", "[]"},
	} {
		t.Run(test.path, func(t *testing.T) {
			q := report.NewQueue(nil)
			if err := check.Seed(t.Context(), q, check.Source{Document: "x", Links: []check.Link{{URL: s.URL + test.path}}}); err != nil {
				t.Fatal(err)
			}
			r := run(t, &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1}}, q)
			plain := strings.NewReplacer(s.URL, "", host, "HOST")
			if got := plain.Replace(tell(r, "")); got != test.want+"\n" {
				t.Errorf("check gives %q, want %q", got, test.want)
			}
			if got := plain.Replace(fmt.Sprint(findings(r)[0].Hops)); got != test.hops {
				t.Errorf("redirects are %s, want %s", got, test.hops)
			}
		})
	}
}

// A crawl reads only the pages that robots.txt allows.
func TestRobots(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(w http.ResponseWriter, n int)
		ignore bool
		tries  int
		want   string
		asked  int
		not    int // the number of pages that were not crawled
	}{
		{"there", func(w http.ResponseWriter, _ int) { fmt.Fprint(w, "User-agent: *\nDisallow: /b\n") }, false, 2, "good /\ngood /a\nunchecked /b: robots.txt disallows it (line 2)\n", 1, 0},
		{"not for this one", func(w http.ResponseWriter, _ int) { fmt.Fprint(w, "User-agent: other\nDisallow: /b\n") }, false, 2, "good /\ngood /a\ngood /b\ngood /c\n", 1, 0},
		{"none", func(w http.ResponseWriter, _ int) { w.WriteHeader(404) }, false, 2, "good /\ngood /a\ngood /b\ngood /c\n", 1, 0},
		{"passing", func(w http.ResponseWriter, n int) {
			if n < 3 {
				w.WriteHeader(503)
				return
			}
			fmt.Fprint(w, "User-agent: locus\nDisallow: /a\n")
		}, false, 2, "good /\nunchecked /a: robots.txt disallows it (line 2)\ngood /b\ngood /c\n", 3, 0},
		{"failing", func(w http.ResponseWriter, _ int) { w.WriteHeader(503) }, false, 2, "good /\nunchecked /a: robots.txt cannot be fetched: 503 Service Unavailable\nunchecked /b: robots.txt cannot be fetched: 503 Service Unavailable\n", 3, 2},
		{"failing for good", func(w http.ResponseWriter, _ int) { w.WriteHeader(500) }, false, 2, "good /\nunchecked /a: robots.txt cannot be fetched: 500 Internal Server Error\nunchecked /b: robots.txt cannot be fetched: 500 Internal Server Error\n", 1, 2},
		{"tried once", func(w http.ResponseWriter, _ int) { w.WriteHeader(503) }, false, -1, "good /\nunchecked /a: robots.txt cannot be fetched: 503 Service Unavailable\nunchecked /b: robots.txt cannot be fetched: 503 Service Unavailable\n", 1, 2},
		{"ignored", func(w http.ResponseWriter, _ int) { w.WriteHeader(503) }, true, -1, "good /\ngood /a\ngood /b\ngood /c\n", 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var mu sync.Mutex
			asked := 0
			site := pages(map[string]string{"/": "<a href=/a>a</a><a href=/b>b</a>", "/a": "a", "/b": "<a href=/c>c</a>", "/c": ""})
			s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/robots.txt" {
					site(w, r)
					return
				}
				mu.Lock()
				asked++
				n := asked
				mu.Unlock()
				test.answer(w, n)
			})
			q := report.NewQueue(nil)
			if err := check.Start(t.Context(), q, url.MustParse(s.URL+"/")); err != nil {
				t.Fatal(err)
			}
			c := &check.Checker{Engine: opener(t), Policy: check.Policy{
				Recursive: true, Scope: []string{s.URL + "/"}, IgnoreRobots: test.ignore, Retries: test.tries, Wait: time.Nanosecond,
			}}
			r := run(t, c, q)
			if got := tell(r, s.URL); got != test.want {
				t.Errorf("the report is\n%swant\n%s", got, test.want)
			}
			if asked != test.asked || r.NotCrawled != test.not || r.Failed() {
				t.Errorf("robots.txt was requested %d times, and %d pages were not crawled, want %d and %d; Failed() = %v", asked, r.NotCrawled, test.asked, test.not, r.Failed())
			}
			if n := s.times("GET /b"); (n == 1) != strings.Contains(test.want, "good /c") {
				t.Errorf("/b was requested %d times", n)
			}
		})
	}
}

// robots.txt is requested only for a crawl.
func TestNoRobots(t *testing.T) {
	s := newSite(t, pages(map[string]string{"/": "<a href=/a>a</a>", "/a": ""}))
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse(s.URL+"/")); err != nil {
		t.Fatal(err)
	}
	if got := tell(run(t, &check.Checker{Engine: opener(t)}, q), s.URL); got != "good /\ngood /a\n" || s.times("GET /robots.txt") != 0 {
		t.Errorf("the report is %q, and robots.txt was requested %d times, want 0", got, s.times("GET /robots.txt"))
	}
}

// Excluded URLs of every scheme are not requested. Include and Exclude match URLs without their fragments.
func TestScope(t *testing.T) {
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) { return empty(req) })
	for _, test := range []struct {
		include, exclude []string
		link, bad, want  string
	}{
		{nil, []string{"^ftp:"}, "ftp://h/a", "", `excluded ftp://h/a: excluded by "^ftp:"`},
		{nil, []string{"x", "^ftp:"}, "ftp://h/a", "", `excluded ftp://h/a: excluded by "^ftp:"`},
		{nil, []string{"b$"}, "ftp://h/a#b", "", "good ftp://h/a#b"},
		{[]string{"/a"}, nil, "ftp://h/a", "", "good ftp://h/a"},
		{[]string{"x", "/a"}, nil, "ftp://h/a", "", "good ftp://h/a"},
		{[]string{"/b"}, nil, "ftp://h/a", "", "excluded ftp://h/a: not included"},
		{[]string{"/a"}, []string{"h"}, "ftp://h/a", "", `excluded ftp://h/a: excluded by "h"`},
		{nil, []string{`\$\{`}, "http://${HOST}/", "it is not a URL", `excluded http://${HOST}/: excluded by "\\$\\{"`},
		{nil, []string{"x"}, "http://${HOST}/", "it is not a URL", "dead http://${HOST}/: it is not a URL"},
	} {
		q := report.NewQueue(nil)
		if err := check.Seed(t.Context(), q, check.Source{Document: "d", Links: []check.Link{{URL: test.link, Bad: test.bad}}}); err != nil {
			t.Fatalf("Seed with %q: %v", test.link, err)
		}
		r := run(t, &check.Checker{Engine: o, Policy: check.Policy{Include: test.include, Exclude: test.exclude}}, q)
		if got := tell(r, ""); got != test.want+"\n" {
			t.Errorf("with Include %q and Exclude %q, check gives %q, want %q", test.include, test.exclude, got, test.want)
		}
		if n := findings(r)[0].Tries; (n == 0) != !strings.HasPrefix(test.want, "good") {
			t.Errorf("%s was requested %d times", test.link, n)
		}
	}
	for _, p := range []check.Policy{{Include: []string{"("}}, {Exclude: []string{"("}}} {
		if err := p.Check(); err == nil || (&check.Checker{Policy: p}).Run(t.Context(), report.NewQueue(nil)) == nil {
			t.Errorf("Check of %+v = %v", p, err)
		}
	}
}

// The result of an earlier run is used unless the job needs more, such as the anchors of the page.
func TestKnown(t *testing.T) {
	s := newSite(t, pages(map[string]string{"/": "<a href=/a>a</a>", "/a": "<p id=x>", "/b": "<p id=x>", "/c": "<p id=x>"}))
	known := map[string]check.Result{
		s.URL + "/":  {URL: s.URL + "/", Status: check.Good},
		s.URL + "/a": {URL: s.URL + "/a", Status: check.Good, Code: 299, Tries: 7},
		s.URL + "/b": {URL: s.URL + "/b", Status: check.Good, Anchors: []uint64{check.AnchorOf("y")}},
		s.URL + "/c": {URL: s.URL + "/c", Status: check.Good},
	}
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse(s.URL+"/")); err != nil {
		t.Fatal(err)
	}
	more := check.Source{Document: "x", Links: []check.Link{{URL: s.URL + "/b#y"}, {URL: s.URL + "/c#x"}}}
	if err := check.Seed(t.Context(), q, more); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	told := 0
	r := run(t, &check.Checker{
		Engine: opener(t), Known: func(u string) (check.Result, bool) { r, ok := known[u]; return r, ok },
		Notify: func(check.Result) { mu.Lock(); told++; mu.Unlock() },
	}, q)
	var got strings.Builder
	for _, f := range findings(r) {
		fmt.Fprintln(&got, f.Status, strings.TrimPrefix(f.Link, s.URL), f.Known, f.Tries)
	}
	if want := "good / false 1\ngood /a true 7\ngood /b#y true 0\ngood /c#x false 1\n"; got.String() != want {
		t.Errorf("the report is\n%swant\n%s", got.String(), want)
	}
	for what, want := range map[string]int{"GET /": 1, "HEAD /a": 0, "GET /a": 0, "GET /b": 0, "GET /c": 1} {
		if n := s.times(what); n != want {
			t.Errorf("%s was requested %d times, want %d", what, n, want)
		}
	}
	if told != 4 {
		t.Errorf("Notify was called with %d results, want 4", told)
	}
}

// An error of an Engine that is not a reply of a server also has a verdict.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		link string
		err  error
		want string
		code int
	}{
		{"ftp://h/", access.ErrForm, "good", 0},
		{"ftp://h/", fmt.Errorf("cannot: %w", errors.ErrUnsupported), "unchecked: cannot: unsupported operation", 0},
		{"ftp://h/", &access.Error{Reply: &access.Reply{Code: 502, Text: "No"}, Err: errors.ErrUnsupported}, "dead: 502 No", 502},
		{"ftp://h/", &access.Error{Reply: &access.Reply{Code: 530, Text: "Log in."}, Err: fs.ErrPermission}, "dead: 530 Log in", 530},
		{"ftp://h/", &access.Error{Reply: &access.Reply{Code: 230, Text: "Odd"}, Err: access.ErrProtocol}, "dead: 230 Odd: the server broke the protocol", 230},
		{"ftp://h/", &access.Error{Op: "open", Err: &access.Error{Op: "read", Err: errors.New("inner")}}, "dead: inner", 0},
		{"file:///x", fs.ErrPermission, "dead: permission denied", 0},
		{"http://h/", access.ErrNoDial, "unchecked: no dialler was given", 0},
	} {
		asked := 0
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			asked++
			if e, ok := test.err.(*access.Error); ok {
				e.URL = req.URL
			}
			return nil, test.err
		})
		status, reason, _ := strings.Cut(test.want, ":")
		want := status + " " + test.link
		if reason != "" {
			want += ":" + reason
		}
		r := links(t, &check.Checker{Engine: o, Policy: check.Policy{Retries: -1}}, "<"+test.link+">")
		if got := strings.TrimSpace(tell(r, "")); got != want || findings(r)[0].Code != test.code {
			t.Errorf("the error %v gives %q with code %d, want %q with %d", test.err, got, findings(r)[0].Code, want, test.code)
		}
		if asked > 2 {
			t.Errorf("for the error %v, the engine got %d requests", test.err, asked)
		}
	}
}

// A reason has a class. A good result has the code of the reply.
func TestClasses(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hangs":
			<-r.Context().Done()
		case "/breaks":
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.Close()
		case "/babbles":
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, "what?\r\n\r\n")
			_ = conn.Close()
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/good":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNonAuthoritativeInfo)
		default:
			http.NotFound(w, r)
		}
	})
	var d net.Dialer
	o := client(func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, _ := net.SplitHostPort(address); net.ParseIP(host) == nil {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return d.DialContext(ctx, network, address)
	})
	for _, test := range []struct {
		link string
		want check.Class
		code int
	}{
		{s.URL + "/good", check.ClassNone, 203},
		{s.URL + "/none", check.ClassStatus, 404},
		{s.URL + "/hangs", check.ClassTimeout, 0},
		{s.URL + "/breaks", check.ClassConnection, 0},
		{s.URL + "/babbles", check.ClassProtocol, 0},
		{s.URL + "/circle", check.ClassRedirect, 0},
		{s.URL + "/away", check.ClassRedirect, 0},
		{s.URL + "/good#x", check.ClassAnchor, 203},
		{secure.URL + "/", check.ClassTLS, 0},
		{"http://" + faulty.Closed(t) + "/", check.ClassConnection, 0},
		{"http://absent.invalid/", check.ClassDNS, 0},
		{"mailto:x@gone.test", check.ClassDNS, 0},
		{"http://127.0.0.1:99999/", check.ClassSyntax, 0},
		{"http://h:25/", check.ClassPolicy, 0},
		{"http://excluded/", check.ClassPolicy, 0},
		{"unheard://h/", check.ClassScheme, 0},
		{"news:comp.lang.c", check.ClassScheme, 0},
	} {
		q := report.NewQueue(nil)
		if err := check.Seed(t.Context(), q, check.Source{Document: "x", Links: []check.Link{{URL: test.link}}}); err != nil {
			t.Fatalf("Seed with %q: %v", test.link, err)
		}
		c := &check.Checker{Engine: o, Resolver: names{}, Policy: check.Policy{Retries: -1, Timeout: time.Second, Exclude: []string{"excluded"}}}
		f := findings(run(t, c, q))[0]
		if f.Class != test.want || f.Code != test.code || (f.Class == check.ClassNone) != (f.Status == check.Good) {
			t.Errorf("%s is %v with class %q and code %d, want %q and %d: %s", test.link, f.Status, f.Class, f.Code, test.want, test.code, f.Reason)
		}
	}
}
