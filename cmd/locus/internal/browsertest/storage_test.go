package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// Content that the gateway shows has the gateway's origin, but runs no script. So it can neither read nor
// change the recent places and the bookmarks, and it is not among the recent places itself.
func TestBrowserContainsStorage(t *testing.T) {
	// attack: HTML, SVG or a popup of a server reads or changes the user's bookmarks and recent places | content runs
	// no script; its pages are not remembered
	t.Parallel()
	var stolen atomic.Int64
	const steal = `document.title='run';new Image().src='/stolen?'+encodeURIComponent(JSON.stringify(localStorage));localStorage.clear();localStorage.setItem('locus.bookmarks','[]')`
	pages := map[string]string{
		"/page":   `<title>T</title><script>` + steal + `</script><body onload="` + steal + `"><img src=x onerror="` + steal + `"><iframe srcdoc="<script>` + steal + `</script>"></iframe><object data="/svg"></object><embed src="/svg"><svg onload="` + steal + `"></svg>`,
		"/click":  `<title>T</title><a id=a href="javascript:` + steal + `">a</a><a id=b target=_blank href="/page">b</a><a id=c target=_blank rel=opener href="javascript:` + steal + `">c</a><form action="javascript:` + steal + `"><button id=d>d</button></form>`,
		"/meta":   `<title>T</title><meta http-equiv=refresh content="0;url=javascript:` + steal + `"><base href="javascript:">`,
		"/worker": `<title>T</title><link rel=modulepreload href="/script.js"><script src="/script.js"></script><script type=module src="/script.js"></script>`,
		"/svg":    `<svg xmlns="http://www.w3.org/2000/svg"><script>` + steal + `</script></svg>`,
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch text, ok := pages[r.URL.Path]; {
		case r.URL.Path == "/stolen":
			stolen.Add(1)
		case r.URL.Path == "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, steal)
		case !ok:
			http.NotFound(w, r)
		case r.URL.Path == "/svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, text)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, text)
		}
	}))
	t.Cleanup(site.Close)
	at := startServe(t, "--allow-port", portOf(site.URL)) + "/"
	b := newBrowser(t)
	b.follow(chromedp.Navigate(at))
	const kept = `[{"url":"ftp://kept.example/","title":"Kept"}]`
	b.do(run(`localStorage.setItem("locus.bookmarks", ` + fmt.Sprintf("%q", kept) + `)`))
	for _, path := range []string{"/page", "/click", "/meta", "/worker", "/svg"} {
		b.answer(at + site.URL + path)
		if title := value[string](b, `document.title`); title == "run" {
			t.Errorf("%s: a script has run", path)
		}
		if path != "/click" {
			continue
		}
		for _, id := range []string{"a", "d", "c", "b"} {
			b.do(run(`document.getElementById("` + id + `").click()`)) // the policy applies to clicks of scripts, too
		}
	}
	b.follow(chromedp.Navigate(at))
	if got := value[string](b, `localStorage.getItem("locus.bookmarks")`); got != kept {
		t.Errorf("the bookmarks are %s, want %s", got, kept)
	}
	recent := value[string](b, `localStorage.getItem("locus.recent") || ""`)
	for _, path := range []string{"/page", "/click", "/meta", "/worker"} { // the picture has a page of the gateway around it
		if strings.Contains(recent, path) {
			t.Errorf("the content %s is among the recent places: %s", path, recent)
		}
	}
	if n := stolen.Load(); n > 0 {
		t.Errorf("content has sent %d requests with what it read", n)
	}
}

// The front page shows public places, bookmarks and recent places. The gateway asks about a place on this
// machine as about any link. A shared gateway remembers nothing.
func TestBrowserStartPage(t *testing.T) {
	t.Parallel()
	at := startServe(t) + "/"
	b := newBrowser(t)
	_, text := b.follow(chromedp.Navigate(at))
	for _, want := range []string{"Places to visit", "Gopher", "Library catalogues", "Tools"} {
		if !strings.Contains(text, want) {
			t.Errorf("the front page lacks %q: %.500q", want, text)
		}
	}
	if strings.Contains(text, "Recent places") {
		t.Error("a new user has recent places")
	}
	b.do(run(`localStorage.setItem("locus.recent", JSON.stringify([{url: "gopher://127.0.0.1:1/", title: "<b>Here"}, {url: "javascript:document.title='run'", title: "Script"}]))`))
	_, text = b.follow(chromedp.Navigate(at))
	if !strings.Contains(text, "Recent places") || !strings.Contains(text, "<b>Here") {
		t.Errorf("the recent places are not shown: %.500q", text)
	}
	status, text := b.follow(chromedp.Click("#recent a"))
	if status != 403 || !strings.Contains(text, question) {
		t.Errorf("a recent place on this machine = %d, want the question: %.300q", status, text)
	}
	b.follow(chromedp.Navigate(at))
	if _, text = b.follow(run(`document.querySelectorAll("#recent a")[1].click()`)); strings.Contains(text, "Places to visit") || value[string](b, `document.title`) == "run" {
		t.Errorf("a script among the recent places leads to %.300q", text)
	}
	b.complaints()

	shared := startServe(t, "--policy", "public") + "/"
	b.follow(chromedp.Navigate(shared))
	b.follow(chromedp.Navigate(shared + "gopher://no-such-host.invalid/"))
	if n := value[int](b, `localStorage.length`); n != 0 {
		t.Errorf("a shared gateway stores %d items", n)
	}
	if value[bool](b, `!!document.querySelector("#recent, button.bookmark")`) {
		t.Error("a shared gateway shows bookmarks or recent places")
	}
}
