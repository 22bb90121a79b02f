package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// A cached page does not run a script after the server has answered 304, because a browser replaces
// the header fields of the cached page, such as the policy, by the fields of the 304.
func TestBrowserContainsAgain(t *testing.T) {
	// attack: The browser stores content, and is later told that it is unchanged | the 304 has no
	// policy, so the stored policy stays
	t.Parallel()
	var ran, unchanged atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", `"1"`)
		self := "/http://" + r.Host
		switch {
		case r.URL.Path == "/ran":
			ran.Store(true)
		case r.Header.Get("If-None-Match") != "":
			unchanged.Store(true)
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Path == "/run.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, "document.title = 'run'; new Image().src = '%s/ran'", self)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!DOCTYPE html><title>still</title><link rel=icon href='data:,'><script src='%s/run.js'></script><p>a page, <a id=again href='evil'>again</a>", self)
		}
	}))
	defer server.Close()
	at, _ := startDemo(t)
	b := newBrowser(t)
	b.answer(at + server.URL + "/evil") // the server does not belong to the demo, so the gateway asks
	for range 3 {
		b.follow(chromedp.Click(chromedp.ID("again"))) // a link to the same server opens without a question
		if title := value[string](b, "document.title"); title != "still" {
			t.Errorf("/evil, opened again, has the title %q", title)
		}
	}
	if ran.Load() || !unchanged.Load() {
		t.Errorf("a script has run: %v; the server has said that the page is unchanged: %v", ran.Load(), unchanged.Load())
	}
}
