package browsertest

import (
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"locus/gateway"
)

// The script and the style of the documentation work in the gateway, but have another origin than the gateway's pages.
//
// attack: A script in the folder of the documentation reads the gateway's pages | the documentation is in a sandbox
// without the gateway's origin, so other sites may load it
func TestBrowserDocumentation(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&gateway.Gateway{Documentation: fstest.MapFS{
		"index.html": {Data: []byte(`<!doctype html><title>Guide</title><link rel="stylesheet" href="./site.css"><script src="./search.js" defer></script><p>Guide`)},
		"search.js":  {Data: []byte(`document.title = "Searched";`)},
		"site.css":   {Data: []byte(`p { color: rgb(1, 2, 3); }`)},
	}})
	t.Cleanup(server.Close)
	b := newBrowser(t)
	b.do(chromedp.Navigate(server.URL + "/-/help"))
	if status, _ := b.follow(chromedp.Click(`a[href="/-/help/index.html"]`)); status != 200 {
		t.Fatalf("the documentation = %d, want 200", status)
	}
	b.until("the script runs", `document.title == "Searched"`)
	if got := value[string](b, `getComputedStyle(document.querySelector("p")).color`); got != "rgb(1, 2, 3)" {
		t.Errorf("the style gives %q, want rgb(1, 2, 3)", got)
	}
	if got := value[string](b, `self.origin`); got != "null" {
		t.Errorf("the script has the origin %q, want null", got)
	}
	if complaints := b.complaints(); len(complaints) > 0 {
		t.Errorf("the browser complains: %q", complaints)
	}
}
