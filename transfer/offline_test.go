package transfer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"locus/url"
)

// A webSite is a web server for tests: its pages by path, with their query. A page that
// begins with "->" redirects. It counts the requests for bodies.
type webSite struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	types map[string]string // by path; otherwise by extension
	asked map[string]int
	since time.Time
}

func newWebSite(t *testing.T, pages, types map[string]string) *webSite {
	t.Helper()
	s := &webSite{pages: pages, types: types, asked: map[string]int{}, since: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *webSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.pages[r.RequestURI]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if to, moved := strings.CutPrefix(text, "->"); moved {
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return
	}
	kind := s.types[r.RequestURI]
	for ext, is := range map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css", ".png": "image/png", ".js": "text/javascript", "/": "text/html; charset=utf-8", ".woff2": "font/woff2",
	} {
		if kind == "" && strings.HasSuffix(r.URL.Path, ext) {
			kind = is
		}
	}
	w.Header().Set("Content-Type", kind)
	if r.Method == http.MethodGet {
		s.asked[r.RequestURI]++
	}
	http.ServeContent(w, r, "", s.since, strings.NewReader(text))
}

// requests returns which bodies were fetched since the last call.
func (s *webSite) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for uri, n := range s.asked {
		for range n {
			all = append(all, uri)
		}
	}
	clear(s.asked)
	slices.Sort(all)
	return slices.DeleteFunc(all, func(uri string) bool { return uri == "/robots.txt" })
}

const head = `<meta charset=utf-8>`

// Everything that pages need is here, under names that work, and the links lead to it.
func TestMirrorOffline(t *testing.T) {
	cdn := newWebSite(t, map[string]string{
		"/font.css?family=A&v=2": `@font-face{font-family:A;src:url(/f/a.woff2)}`,
		"/f/a.woff2":             "font",
	}, map[string]string{"/font.css?family=A&v=2": "text/css"})
	other := strings.Replace(cdn.URL, "127.0.0.1", "localhost", 1)
	site := newWebSite(t, map[string]string{
		"/d/": head + `<link rel=stylesheet href="/static/style.css?v=3"><link rel=stylesheet href="` + other + `/font.css?family=A&amp;v=2">` +
			`<a href=a>a</a><a href="b.html#x">b</a><a href="list?page=2&amp;n=1">2</a><a href=moved>m</a><a href=/outside.html>o</a><a href="mailto:x@h">m</a><a href="#top">t</a>` +
			`<img src=gone.png><img srcset="i.png 1x, j.png 2x"><script src=s.js></script><form action=find></form>`,
		"/d/a":                  head + `<a href="./">up</a><a href=b.html>b</a><iframe src=/frame.html></iframe>`,
		"/d/b.html":             head + `<base href="/d/e/"><a href="../a">a</a><a href="#x">x</a>`,
		"/d/list?page=2&n=1":    head + `<a href="?page=2&amp;n=1">self</a>`,
		"/d/moved":              "->/d/b.html",
		"/frame.html":           head + `<img src=deep.png><a href=elsewhere.html>not followed</a>`,
		"/deep.png":             "png",
		"/elsewhere.html":       "no",
		"/outside.html":         "no",
		"/static/style.css?v=3": `@import "more.css"; body{background:url('../bg.png')}`,
		"/static/more.css":      `i{background:url(http://` + "" + `nowhere.invalid/x.png)}`,
		"/bg.png":               "png", "/d/i.png": "i", "/d/j.png": "j", "/d/s.js": "js",
	}, map[string]string{"/d/a": "text/html; charset=utf-8", "/d/list?page=2&n=1": "text/html"})
	root, name := folder(t)
	log := &eventLog{}
	opts := MirrorOptions{TreeOptions: TreeOptions{Event: log.add, Retry: hasty}, Parts: true, Convert: true, OtherHosts: []string{"localhost"}}
	report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/d/"), root, opts)
	if err != nil || report.Failed > 0 || report.Missing != 2 || report.MissingElsewhere != 1 || report.Converted != 8 {
		t.Fatalf("Mirror = %+v, %v, want 8 converted, 2 missing, 1 of them elsewhere; %v", report, err, log.of(Failed))
	}
	port := site.URL[strings.LastIndex(site.URL, ":")+1:]
	own := "_outside/http_127.0.0.1_" + port + "/"
	there := "_outside/http_localhost_" + other[strings.LastIndex(other, ":")+1:] + "/"
	link := func(s string) string { return strings.NewReplacer("%@", "%25%40", "=", "%3D", "&", "%26").Replace(s) }
	style, font := own+"static/style.css%@v=3.css", there+"font.css%@family=A&v=2.css"
	want := map[string]string{
		"index.html": head + `<link rel=stylesheet href="` + link(style) + `"><link rel=stylesheet href="` + link(font) + `">` +
			`<a href=a.html>a</a><a href="b.html#x">b</a><a href="list%25%40page%3D2%26n%3D1.html">2</a><a href=b.html>m</a><a href=` + site.URL + `/outside.html>o</a><a href="mailto:x@h">m</a><a href="#top">t</a>` +
			`<img src=` + site.URL + `/d/gone.png><img srcset="i.png 1x, j.png 2x"><script src=s.js></script><form action=` + site.URL + `/d/find></form>`,
		"a.html":                head + `<a href="index.html">up</a><a href=b.html>b</a><iframe src=` + own + `frame.html></iframe>`,
		"b.html":                head + `<base href="."><a href="a.html">a</a><a href="` + site.URL + `/d/e/#x">x</a>`,
		"list%@page=2&n=1.html": head + `<a href="list%25%40page%3D2%26n%3D1.html">self</a>`,
		"i.png":                 "i", "j.png": "j", "s.js": "js",
		own + "frame.html": head + `<img src=deep.png><a href=` + site.URL + `/elsewhere.html>not followed</a>`,
		own + "deep.png":   "png", own + "bg.png": "png",
		style:                   `@import "more.css"; body{background:url('../bg.png')}`,
		own + "static/more.css": `i{background:url(http://nowhere.invalid/x.png)}`,
		font:                    `@font-face{font-family:A;src:url(f/a.woff2)}`,
		there + "f/a.woff2":     "font",
	}
	got := contents(t, name)
	for file, text := range got {
		if !strings.HasPrefix(file, stateDir) && !strings.HasSuffix(file, "/") && text != want[file] {
			t.Errorf("%s:\n %s, want\n %s", file, text, want[file])
		}
	}
	for file := range want {
		if _, ok := got[file]; !ok {
			t.Errorf("%s is missing", file)
		}
	}
	var missing []string
	for _, e := range log.of(Missing) {
		missing = append(missing, fmt.Sprint(e.URL, " for ", e.Name, ": ", e.Err))
	}
	slices.Sort(missing)
	if want := []string{
		site.URL + "/d/gone.png for index.html: the link is broken",
		"http://nowhere.invalid/x.png for " + own + "static/more.css: it is on another host",
	}; !slices.Equal(missing, slices.Sorted(slices.Values(want))) {
		t.Errorf("missing: %q, want %q", missing, want)
	}

	_, _ = site.requests(), cdn.requests()
	before := contents(t, name)
	report, err = Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/d/"), root, opts)
	if err != nil || report.Files > 0 || report.Converted > 0 || report.Failed > 0 || report.Missing != 2 {
		t.Errorf("the second run: %+v, %v", report, err)
	}
	if asked := append(site.requests(), cdn.requests()...); len(asked) > 0 {
		t.Errorf("the second run fetched %q", asked)
	}
	compareTrees(t, contents(t, name), before)

	site.mu.Lock()
	site.since = site.since.Add(time.Hour)
	site.pages["/d/b.html"] = head + `<a href=a>new</a>`
	site.pages["/d/gone.png"] = "back"
	site.mu.Unlock()
	report, err = Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/d/"), root, opts)
	if err != nil || report.Failed > 0 || report.Missing != 1 || report.Converted != 2 {
		t.Errorf("after a change: %+v, %v, want 2 converted", report, err)
	}
	got = contents(t, name)
	if got["b.html"] != head+`<a href=a.html>new</a>` || !strings.Contains(got["index.html"], "<img src=gone.png>") {
		t.Errorf("after a change: %s, %s", got["b.html"], got["index.html"])
	}
}

// Other hosts are not asked unless a pattern names them, and a pattern with "*" reaches no
// address of this network.
func TestMirrorOfflineOtherHosts(t *testing.T) {
	cdn := newWebSite(t, map[string]string{"/x.png": "x"}, nil)
	other := strings.Replace(cdn.URL, "127.0.0.1", "localhost", 1)
	site := newWebSite(t, map[string]string{"/": head + "<img src=" + other + "/x.png><img src=/r.png><img src=file:///etc/passwd>", "/r.png": "->" + other + "/x.png"}, nil)
	for _, test := range []struct {
		hosts     []string
		fetched   bool
		missing   int
		elsewhere int // of those
	}{
		{nil, false, 2, 2},
		{[]string{"*"}, false, 2, 0}, // no public address
		{[]string{"*.example"}, false, 2, 2},
		{[]string{"*", "LOCALHOST"}, true, 0, 0},
	} {
		_ = cdn.requests()
		root, name := folder(t)
		report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, Parts: true, Convert: true, OtherHosts: test.hosts})
		if err != nil || report.Missing != test.missing || report.MissingElsewhere != test.elsewhere || report.Failed > 0 {
			t.Errorf("%q: %+v, %v, want %d missing, %d of them elsewhere", test.hosts, report, err, test.missing, test.elsewhere)
		}
		has := false
		for file, text := range contents(t, name) {
			has = has || text == "x" && strings.HasSuffix(file, "/x.png")
		}
		if has != test.fetched {
			t.Errorf("%q: fetched is %v, want %v", test.hosts, has, test.fetched)
		}
	}
	root, _ := folder(t)
	if _, err := Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL), root, MirrorOptions{Parts: true, OtherHosts: []string{"["}}); err == nil {
		t.Error("an invalid pattern is no error")
	}
	if _, err := Mirror(t.Context(), overNetwork(0), url.MustParse("ftp://h/"), root, MirrorOptions{Convert: true}); err == nil {
		t.Error("ftp pages are converted")
	}
}

// Names of hostile pages stay in the folder, and pages whose names clash or are too long
// are all there.
func TestMirrorOfflineNames(t *testing.T) {
	long := strings.Repeat("x", 300)
	site := newWebSite(t, map[string]string{
		"/": head + `<a href=a>1</a><a href=a.html>2</a><a href="?` + long + `">3</a><a href="%2e%2e%2fup">4</a><a href=".locus-mirror/places">5</a>` +
			`<a href=_outside/x>6</a><a href=CON>7</a><img src="..%5c..%5cw.png"><a href=c.css/d>8</a><link rel=stylesheet href=c.css>`,
		"/a": "<p>1", "/a.html": "<p>2", "/?" + long: "<p>3", "/..%2Fup": "<p>4", "/.locus-mirror/places": "<p>5", "/_outside/x": "<p>6",
		"/CON": "<p>7", "/..%5C..%5Cw.png": "w", "/c.css/d": "<p>8", "/c.css": "p{}",
	}, map[string]string{
		"/a": "text/html", "/?" + long: "text/html", "/..%2Fup": "text/html", "/.locus-mirror/places": "text/html", "/_outside/x": "text/html", "/CON": "text/html", "/c.css/d": "text/html",
	})
	outside := t.TempDir()
	name := filepath.Join(outside, "copy")
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for run := range 2 {
		report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, Parts: true, Convert: true})
		if err != nil || report.Failed > 0 || report.Missing > 0 {
			t.Fatalf("run %d: %+v, %v", run, report, err)
		}
	}
	found := map[string]bool{}
	for file, text := range contents(t, name) {
		if !strings.HasPrefix(file, stateDir) {
			found[strings.TrimPrefix(text, `<meta charset="utf-8">`)] = true
		}
	}
	for n := range 8 {
		if !found["<p>"+fmt.Sprint(n+1)] {
			t.Errorf("page %d is not there: %v", n+1, found)
		}
	}
	if beside, _ := os.ReadDir(outside); len(beside) != 1 {
		t.Errorf("beside the copy: %v", beside)
	}
}

// The bounds of a mirror also hold for converted pages, and for endless parts.
func TestMirrorOfflineBounds(t *testing.T) {
	grows := newWebSite(t, map[string]string{"/": "<base href='http://h/" + strings.Repeat("y", 1000) + "/'>" + strings.Repeat("<a href=x>", 1000)}, nil)
	root, name := folder(t)
	opts := MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, Convert: true, MaxSize: 100_000}
	report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(grows.URL+"/"), root, opts)
	if err != nil || report.Failed != 1 {
		t.Errorf("a page that grows: %+v, %v, want a failure", report, err)
	}
	if _, ok := contents(t, name)["index.html"]; ok {
		t.Error("a page that grows is written")
	}
	opts = MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, Convert: true, MaxTotal: 100_000}
	root, _ = folder(t)
	if _, err = Mirror(t.Context(), overNetwork(0), url.MustParse(grows.URL+"/"), root, opts); !errors.Is(err, ErrTooManyBytes) {
		t.Errorf("MaxTotal: %v", err)
	}
	pages := map[string]string{"/": "<link rel=stylesheet href=0.css>"}
	for n := range 40 {
		pages[fmt.Sprintf("/%d.css", n)] = fmt.Sprintf("@import '%d.css';", n+1)
	}
	endless := newWebSite(t, pages, nil)
	root, _ = folder(t)
	report, err = Mirror(t.Context(), overNetwork(0), url.MustParse(endless.URL+"/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, Parts: true, Convert: true, Level: 1})
	if err != nil || report.Files != 1+maxParts || report.Missing != 1 {
		t.Errorf("style sheets without end: %+v, %v, want %d files", report, err, 1+maxParts)
	}
}

// A dry run writes no files, and a run after an interrupted one completes the copy.
func TestMirrorOfflineResumes(t *testing.T) {
	site := newWebSite(t, map[string]string{"/": "<a href=a.html>a</a><img src=i.png>", "/a.html": "<a href=/>up</a>", "/i.png": "i"}, nil)
	root, name := folder(t)
	opts := MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, Parts: true, Convert: true}
	opts.DryRun = true
	report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/"), root, opts)
	if err != nil || report.Files != 3 || len(contents(t, name)) > 0 {
		t.Errorf("a dry run: %+v, %v, %q", report, err, contents(t, name))
	}
	opts.DryRun, opts.MaxFiles = false, 2
	if _, err = Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/"), root, opts); !errors.Is(err, ErrTooManyFiles) {
		t.Errorf("MaxFiles: %v", err)
	}
	if _, ok := contents(t, name)["index.html"]; ok {
		t.Error("a page that is not converted has its name")
	}
	_ = site.requests()
	opts.MaxFiles = 0
	report, err = Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/"), root, opts)
	if err != nil || report.Converted != 2 || report.Skipped == 0 {
		t.Errorf("the run after it: %+v, %v, fetched %q", report, err, site.requests())
	}
	if err := os.Remove(filepath.Join(name, "a.html")); err != nil {
		t.Fatal(err)
	}
	site.mu.Lock()
	delete(site.pages, "/i.png")
	site.pages["/"] = "<a href=a.html>a</a>"
	site.since = site.since.Add(time.Hour)
	site.mu.Unlock()
	opts.Delete = true
	if report, err = Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/"), root, opts); err != nil || report.Deleted != 1 {
		t.Errorf("with Delete: %+v, %v", report, err)
	}
	if got := contents(t, name); got["a.html"] != `<meta charset="utf-8"><a href=index.html>up</a>` || got["i.png"] != "" {
		t.Errorf("with Delete: %q", got)
	}
}

// wide returns a text in UTF-16, with a byte order mark.
func wide(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// Pages in UTF-16 and pictures of SVG have parts and links, too. In the copy these pages are in
// UTF-8.
func TestMirrorOfflineEncodings(t *testing.T) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` +
		`<style><![CDATA[ rect { fill: url("/d/c.png") } ]]></style><image xlink:href="/d/a.png"/><use href="#local"/><image href="/d/none.png"/><a href="/d/page.html">p</a></svg>`
	site := newWebSite(t, map[string]string{
		"/d/":          wide(`<!DOCTYPE html><link rel=stylesheet href=/d/s.css><p>é 😀 <img src="/d/a.png?x=1&amp;y"><object data=/d/i.svg></object><img src=/d/j.svg><a href=page.html>p</a>`),
		"/d/page.html": wide("<p>page")[2:],
		"/d/s.css":     wide(`p { background: url(/d/b.png) }`),
		"/d/i.svg":     svg,
		"/d/j.svg":     wide(`<?xml version="1.0" encoding="UTF-16"?><svg xmlns="http://www.w3.org/2000/svg"><image href="/d/b.png"/></svg>`),
		"/d/a.png":     "A", "/d/b.png": "B", "/d/c.png": "C", "/d/a.png?x=1&y": "Q",
	}, map[string]string{"/d/": "text/html", "/d/page.html": "text/html; charset=utf-16le", "/d/i.svg": "image/svg+xml", "/d/j.svg": "image/svg+xml"})
	root, dir := folder(t)
	for range 2 {
		var missing []string
		options := MirrorOptions{TreeOptions: TreeOptions{Event: func(e Event) {
			if e.Kind == Missing {
				missing = append(missing, e.URL.Path()+" of "+e.Name)
			}
		}}, Parts: true, Convert: true}
		report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(site.URL+"/d/"), root, options)
		if err != nil || report.Failed > 0 || fmt.Sprint(missing) != "[/d/none.png of i.svg]" {
			t.Fatalf("%+v, %v, missing %q", report, err, missing)
		}
		got := contents(t, dir)
		for name, want := range map[string]string{
			"index.html": "\ufeff" + `<!DOCTYPE html><link rel=stylesheet href=s.css><p>é 😀 <img src="a%25.png"><object data=i.svg></object><img src=j.svg><a href=page.html>p</a>`,
			"page.html":  "\ufeff<p>page",
			"s.css":      "\ufeffp { background: url(b.png) }",
			"i.svg":      strings.NewReplacer(`"/d/c.png"`, `"c.png"`, `"/d/a.png"`, `"a.png"`, `"/d/none.png"`, `"`+site.URL+`/d/none.png"`, `"/d/page.html"`, `"page.html"`).Replace(svg),
			"j.svg":      "\ufeff" + `<?xml version="1.0" encoding="UTF-8"?><svg xmlns="http://www.w3.org/2000/svg"><image href="b.png"/></svg>`,
		} {
			if got[name] != want && name != "index.html" {
				t.Errorf("%s is\n%q, want\n%q", name, got[name], want)
			}
			if name == "index.html" && (!strings.HasPrefix(got[name], want[:60]) || !strings.HasSuffix(got[name], want[len(want)-60:])) {
				t.Errorf("%s is\n%q", name, got[name])
			}
		}
	}
}
