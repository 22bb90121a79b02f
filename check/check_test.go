package check_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/extract/document"
	"locus/retry"
	"locus/url"
)

// A webSite is a web server that counts its requests.
type webSite struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int // by texts such as "GET /x"
}

func newSite(t *testing.T, serve http.HandlerFunc) *webSite {
	t.Helper()
	s := &webSite{asked: make(map[string]int)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.Method+" "+r.URL.Path]++
		s.mu.Unlock()
		serve(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *webSite) times(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

// pages serves HTML pages by their paths.
func pages(all map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, ok := all[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(text))
	}
}

func opener(t *testing.T) access.Engine {
	t.Helper()
	return client(new(net.Dialer).DialContext)
}

// client returns a Client for the Engine of a Checker.
func client(dial locus.Dial) *locus.Client {
	return &locus.Client{Dial: dial, NoRedirects: true, Retries: -1}
}

// run checks the jobs of q and returns the report with all findings.
func run(t *testing.T, c *check.Checker, q check.Queue) *check.Report {
	t.Helper()
	if err := c.Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	r, err := q.Report(t.Context(), check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// links checks the links of a Markdown document.
func links(t *testing.T, c *check.Checker, text string) *check.Report {
	t.Helper()
	q := report.NewQueue(nil)
	found, err := check.ReadLinks(strings.NewReader(text), document.Markdown, url.MustParse("file:///docs/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Seed(t.Context(), q, check.Source{Document: "README.md", Links: found}); err != nil {
		t.Fatal(err)
	}
	return run(t, c, q)
}

// findings returns the findings of a report.
func findings(r *check.Report) []check.Finding {
	var all []check.Finding
	for f, err := range r.Findings {
		if err != nil {
			panic(err)
		}
		all = append(all, f)
	}
	return all
}

// tell formats each finding as "status link reason", and omits the root of the site.
func tell(r *check.Report, root string) string {
	var b strings.Builder
	for _, f := range findings(r) {
		fmt.Fprintf(&b, "%v %s", f.Status, f.Link)
		if f.Explain() != "" {
			fmt.Fprintf(&b, ": %s", f.Explain())
		}
		b.WriteByte('\n')
	}
	return strings.ReplaceAll(b.String(), root, "")
}

func TestEachURLOnce(t *testing.T) {
	s := newSite(t, pages(map[string]string{"/a": "a", "/b": "b"}))
	text := strings.ReplaceAll("[1](ROOT/a) [2](ROOT/a)\n\n[3](ROOT/gone)\n\n[4](ROOT/gone) [5](ROOT/b)", "ROOT", s.URL)
	r := links(t, &check.Checker{Engine: opener(t)}, text)
	want := "good /a\ngood /b\ndead /gone: 404 Not Found\n"
	if got := tell(r, s.URL); got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
	if n := s.times("HEAD /a"); n != 1 || s.times("GET /a") != 0 {
		t.Errorf("/a got %d requests with HEAD and %d with GET, want 1 and 0", n, s.times("GET /a"))
	}
	dead := findings(r)[2]
	if got := fmt.Sprint(dead.Places); got != "[README.md:3:5 README.md:5:5]" {
		t.Errorf("the places of the dead link are %s", got)
	}
	if dead.Code != 404 || r.Summary() != "3 links: 2 good, 1 dead" || !r.Failed() {
		t.Errorf("the code is %d, Summary() = %q, and Failed() = %v", dead.Code, r.Summary(), r.Failed())
	}
}

func TestWeb(t *testing.T) {
	var root string
	var mu sync.Mutex
	tried := map[string]int{}
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		tried[r.URL.Path]++
		n := tried[r.URL.Path]
		mu.Unlock()
		switch r.URL.Path {
		case "/nohead", "/head403":
			if r.Method == http.MethodHead {
				w.WriteHeader(map[string]int{"/nohead": 405, "/head403": 403}[r.URL.Path])
			}
		case "/closehead":
			if r.Method == http.MethodHead {
				panic(http.ErrAbortHandler)
			}
		case "/moved":
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		case "/moved2":
			http.Redirect(w, r, "/moved", http.StatusPermanentRedirect)
		case "/fornow":
			http.Redirect(w, r, "/moved", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/long":
			http.Redirect(w, r, "/long?"+r.URL.RawQuery+"x", http.StatusFound)
		case "/out":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		case "/deadend":
			http.Redirect(w, r, "/gone", http.StatusFound)
		case "/busy":
			if n < 3 {
				w.WriteHeader(503)
			}
		case "/toomany":
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		case "/gone":
			w.WriteHeader(410)
		case "/locked":
			w.WriteHeader(401)
		case "/tea":
			w.WriteHeader(418)
		case "/reset":
			panic(http.ErrAbortHandler)
		case "/slow":
			<-r.Context().Done()
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<h1 id=one>1</h1>&nbsp;<a name="t w">2</a><p id="ü">`)
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
		}
	})
	root = s.URL
	for _, test := range []struct{ path, want string }{
		{"/plain", "good /plain"},
		{"/nohead", "good /nohead"},
		{"/head403", "good /head403"},
		{"/closehead", "good /closehead"},
		{"/moved", "good /moved: moved permanently to /new"},
		{"/moved2", "good /moved2: moved permanently to /new"},
		{"/fornow", "good /fornow"},
		{"/loop", "dead /loop: redirect refused: it leads back to an earlier URL"},
		{"/long", "dead /long: redirect refused: more than 20 redirects"},
		{"/out", "unchecked /out: it redirects to file:///etc/passwd, which is not followed"},
		{"/deadend", "dead /deadend: 410 Gone"},
		{"/busy", "good /busy"},
		{"/toomany", "bot-wall /toomany: 429 Too Many Requests"},
		{"/locked", "dead /locked: 401 Unauthorized"},
		{"/tea", "good /tea"},
		{"/excluded", `excluded /excluded: excluded by "/excl"`},
		{"/slow", "dead /slow: timed out after 300ms"},
		{"/page#one", "good /page#one"},
		{"/page#t%20w", "good /page#t%20w"},
		{"/page#%C3%BC", "good /page#%C3%BC"},
		{"/page#top", "good /page#top"},
		{"/page#:~:text=12", `dead /page#:~:text=12: the page does not have the text "12"`},
		{"/page#one:~:text=1", "good /page#one:~:text=1"},
		{"/page#!/route", "good /page#!/route"},
		{"/page#two", `dead /page#two: the page has no anchor named "two"`},
		{"/page#", "good /page#"},
		{"/pdf#page=3", "good /pdf#page=3"},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			timeout := time.Minute // for requests that get an answer
			if test.path == "/slow" {
				timeout = 300 * time.Millisecond
			}
			c := &check.Checker{Engine: opener(t), Policy: check.Policy{
				Accept: []int{418}, Exclude: []string{"/excl"}, Timeout: timeout, Retries: 2, Wait: time.Millisecond,
			}}
			q := report.NewQueue(nil)
			link := check.Link{URL: root + test.path}
			if err := check.Seed(t.Context(), q, check.Source{Document: "x", Links: []check.Link{link}}); err != nil {
				t.Fatal(err)
			}
			if got := tell(run(t, c, q), root); got != test.want+"\n" {
				t.Errorf("check of %s gives %q, want %q", test.path, got, test.want)
			}
		})
	}
}

// A link that is not a URL is dead, and the report has its place.
func TestBadLink(t *testing.T) {
	r := links(t, &check.Checker{}, "\n[x](http://[::1/y)\n")
	want := "dead http://[::1/y: it is not a URL: "
	if got := tell(r, ""); !strings.HasPrefix(got, want) || fmt.Sprint(findings(r)[0].Places) != "[README.md:2:5]" {
		t.Errorf("the report is %q at %v, want %q… at README.md:2:5", got, findings(r)[0].Places, want)
	}
}

// A crawl reads the sitemap that robots.txt names.
func TestSitemap(t *testing.T) {
	var root string
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
		case "/robots.txt":
			fmt.Fprintf(w, "Sitemap: %s/map.xml\nSitemap: http://elsewhere.invalid/map.xml\n", root)
		case "/map.xml":
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, "<urlset><url><loc>%s/lonely</loc></url></urlset>", root)
		default:
			http.NotFound(w, r)
		}
	})
	root = s.URL
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse(root+"/")); err != nil {
		t.Fatal(err)
	}
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Recursive: true, Scope: []string{root + "/"}}}
	want := "good /\ndead /lonely: 404 Not Found\ngood /map.xml\n"
	if got := tell(run(t, c, q), root); got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
}

func TestTries(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	for _, test := range []struct{ retries, want int }{{0, 1 + retry.DefaultRetries}, {-1, 1}, {1, 2}} {
		c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: test.retries, Wait: time.Nanosecond}}
		r := links(t, c, fmt.Sprintf("<%s/%d>", s.URL, test.retries))
		if got := findings(r)[0].Tries; got != test.want {
			t.Errorf("with Retries %d, the link was tried %d times, want %d", test.retries, got, test.want)
		}
	}
}

func TestRecursive(t *testing.T) {
	s := newSite(t, pages(map[string]string{
		"/docs/":        `<a href=a.html>a</a> <a href="#here">h</a> <a href="/other/">o</a> <a href="mailto:x@example.org">m</a>`,
		"/docs/a.html":  `<a href="./">up</a> <a href="b.html#x">b</a> <a href="secret/s.html">s</a> <a href="gone.html">g</a> <form method=post action="/post">`,
		"/docs/b.html":  `<p id=x><a href="javascript:void(0)">j</a> <img src=pic.png srcset="pic.png 1x, pic2.png 2x"> <base href="/q/"><a href=z>z</a>`,
		"/docs/pic.png": "", "/docs/pic2.png": "", "/q/z": "", "/q/pic.png": "",
		"/other/":             `<a href="/never">n</a>`,
		"/docs/secret/s.html": `<a href="/never2">n</a>`,
		"/robots.txt":         "User-agent: *\nDisallow: /docs/secret/\n",
	}))
	q := report.NewQueue(nil)
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Recursive: true, Scope: []string{s.URL + "/docs/"}}}
	if err := check.Start(t.Context(), q, url.MustParse(s.URL+"/docs/")); err != nil {
		t.Fatal(err)
	}
	got := tell(run(t, c, q), s.URL)
	want := `good /docs/
dead /docs/#here: the page has no anchor named "here"
good /docs/a.html
good /docs/b.html#x
dead /docs/gone.html: 404 Not Found
good /docs/pic.png
good /docs/pic2.png
unchecked /docs/secret/s.html: robots.txt disallows it (line 2)
good /other/
good /q/z
good mailto:x@example.org
`
	if got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
	for what, want := range map[string]int{"GET /docs/": 1, "HEAD /docs/": 0, "GET /docs/b.html": 1, "HEAD /other/": 1, "GET /other/": 0, "GET /docs/secret/s.html": 0, "GET /robots.txt": 1} {
		if n := s.times(what); n != want {
			t.Errorf("%s was requested %d times, want %d", what, n, want)
		}
	}
}

func empty(req *access.Request) (*access.Resource, error) {
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// many returns a document with n links to each host.
func many(n int, hosts ...string) string {
	var text strings.Builder
	for i := range n {
		for _, h := range hosts {
			fmt.Fprintf(&text, "<ftp://%s/%d>\n", h, i)
		}
	}
	return text.String()
}

func TestPolite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors()
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			defer v.enter(req.URL)()
			time.Sleep(time.Second)
			return empty(req)
		})
		links(t, &check.Checker{Engine: o, Policy: check.Policy{PerServer: 3}}, many(30, "a", "b", "c"))
		if v.most["a"] != 3 || v.most["b"] != 3 || v.most["c"] != 3 {
			t.Errorf("at most %v requests ran at the same time, want 3 at each host", v.most)
		}
		if took := time.Since(v.start); took != 10*time.Second {
			t.Errorf("3 × 30 URLs of a second each took %v, want 10s", took)
		}
	})
}

// A redirect takes a turn at the new server, and ends the turn at the first server. The time in which it waits for the
// turn does not count for the timeout.
func TestRedirectsArePolite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors()
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			defer v.enter(req.URL)()
			time.Sleep(time.Second)
			if host, _ := req.URL.Host(); host == "z" {
				return empty(req)
			}
			return nil, &access.Moved{To: url.MustParse("ftp://z" + req.URL.Path())}
		})
		c := &check.Checker{Engine: o, Policy: check.Policy{PerServer: 2, Timeout: 3 * time.Second, Retries: -1}}
		r := links(t, c, many(10, "a", "b", "c"))
		if v.most["z"] != 2 || v.most["a"] != 2 || r.Failed() {
			t.Errorf("at most %v requests ran at the same time, want 2 at each host; %s", v.most, r.Summary())
		}
		if took := time.Since(v.start); took < 15*time.Second || took > 20*time.Second {
			t.Errorf("30 URLs of a second each at z, with 2 at the same time, took %v, want 15s to 20s", took)
		}
	})
}

// A page is requested once, whatever the order of the links to it and to its fragments is.
func TestFragmentsOnce(t *testing.T) {
	s := newSite(t, pages(map[string]string{
		"/in/":  `<a href="/out1">1</a> <a href="/out2#x">2</a> <a href="/out3">3</a> <a href=a>a</a>`,
		"/in/a": `<a href="/out1#x">1</a> <a href="/out2">2</a> <a href="/out3#y">3</a>`,
		"/out1": `<p id=x>`, "/out2": `<p id=x>`, "/out3": `<p>`,
	}))
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse(s.URL+"/in/")); err != nil {
		t.Fatal(err)
	}
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Recursive: true, Scope: []string{s.URL + "/in/"}}}
	want := "good /in/\ngood /in/a\ngood /out1\ngood /out1#x\ngood /out2\ngood /out2#x\ngood /out3\ndead /out3#y: the page has no anchor named \"y\"\n"
	if got := tell(run(t, c, q), s.URL); got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
	for _, page := range []string{"/out1", "/out2", "/out3"} {
		if gets, heads := s.times("GET "+page), s.times("HEAD "+page); gets != 1 || heads != 0 {
			t.Errorf("%s got %d requests with GET and %d with HEAD, want 1 and 0", page, gets, heads)
		}
	}
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) { return empty(req) })
		start := time.Now()
		links(t, &check.Checker{Engine: o, Policy: check.Policy{Rate: 2}}, many(21, "a", "b"))
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("21 accesses of each host at 2 a second took %v, want 10s", took)
		}
	})
}

// If a server asks for a pause, it gets no request of any task until the pause is over.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors()
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			defer v.enter(req.URL)()
			if len(v.at["a"]) == 1 {
				return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 421}, Err: access.ErrTemporary, RetryAfter: 30 * time.Second}
			}
			return empty(req)
		})
		r := links(t, &check.Checker{Engine: o, Policy: check.Policy{PerServer: 1}}, many(2, "a"))
		if want := seconds(0, 30, 30); !slices.Equal(v.at["a"], want) || r.Failed() {
			t.Errorf("the requests began after %v, want %v; %s", v.at["a"], want, r.Summary())
		}
	})
}

func TestCancelled(t *testing.T) {
	asked := make(chan struct{})
	o := access.GetFunc(func(ctx context.Context, _ *access.Request) (*access.Resource, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	q := report.NewQueue(nil)
	_ = check.Seed(ctx, q, check.Source{Links: []check.Link{{URL: "ftp://h/"}}})
	go func() {
		<-asked
		cancel()
	}()
	if err := (&check.Checker{Engine: o}).Run(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("Run with a context that was canceled = %v", err)
	}
	r, err := q.Report(t.Context(), check.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tell(r, ""), "unchecked ftp://h/: it was not checked\n"; got != want {
		t.Errorf("after the run was canceled, the report is %q, want %q", got, want)
	}
}
