//go:build player

package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// playerPage starts wabac.js and gives it an archive.
const playerPage = `<!DOCTYPE html><title>starting</title><body><script>
(async () => {
	await navigator.serviceWorker.register("./sw.js");
	const worker = await navigator.serviceWorker.ready;
	navigator.serviceWorker.addEventListener("message", e => {
		if (e.data.msg_type == "collAdded") document.title = "ready";
		if (e.data.msg_type == "collProgress" && e.data.error) document.title = "failed: " + e.data.error;
	});
	navigator.serviceWorker.startMessages();
	worker.active.postMessage({msg_type: "addColl", name: "a", file: {sourceUrl: location.origin + "/site.warc.gz"}});
})();
</script>`

// wabac.js, the player of ReplayWeb.page, shows recorded pages as they were. It is an npm package
// that Debian does not have:
//
//	npm install @webrecorder/wabac
//	WABAC=node_modules/@webrecorder/wabac/dist go test -tags player -run TestBrowserPlayer ./cmd/locus/internal/browsertest
func TestBrowserPlayer(t *testing.T) {
	t.Parallel()
	dist := os.Getenv("WABAC")
	if _, err := os.Stat(filepath.Join(dist, "sw.js")); err != nil {
		t.Fatalf("WABAC is not the folder of sw.js: %v", err)
	}
	file, site, live := recordSite(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, playerPage)
	})
	mux.HandleFunc("/sw.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join(dist, "sw.js")) })
	mux.HandleFunc("/site.warc.gz", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	player := httptest.NewServer(mux)
	defer player.Close()
	b := newBrowser(t)
	b.do(chromedp.Navigate(player.URL + "/"))
	b.until("the player has the archive", `document.title != "starting"`)
	if title := value[string](b, `document.title`); title != "ready" {
		t.Fatalf("the player has the title %q, want ready", title)
	}
	log := b.logRequests()
	for _, page := range archivedPages {
		frame := player.URL + "/w/a/mp_/" + site + page
		b.do(run(fmt.Sprintf(`document.body.innerHTML = '<iframe width=1100 height=700 src="%s"></iframe>'`, frame)))
		b.until("the frame is loaded", fmt.Sprintf(`frames[0].location.href == %q`, frame))
		got := b.settled("frames[0].document")
		if !isSameShown(t, got, live[page]) {
			t.Errorf("%q shows\n %s, live\n %s", page, got, live[page])
		}
		sent, failed := log.take()
		if len(failed) > 0 {
			t.Errorf("%q: requests that fail: %q", page, failed)
		}
		for _, to := range sent {
			if u, err := url.Parse(to); err != nil || u.Scheme == "http" && "http://"+u.Host != player.URL {
				t.Errorf("%q: the player asks for %s", page, to)
			}
		}
	}
}

// isSameShown reports whether a player shows the live page. The player adds a style sheet, and may
// add pictures.
func isSameShown(t *testing.T, played, live string) bool {
	t.Helper()
	read := func(text string) []any {
		var parts []any
		if err := json.Unmarshal([]byte(text), &parts); err != nil || len(parts) < 6 {
			t.Fatalf("%s: %v", text, err)
		}
		return parts
	}
	a, b := read(played), read(live)
	const loaded, pictures, sheets = 2, 3, 4
	areWhole := a[loaded] == a[pictures] && a[pictures].(float64) >= b[pictures].(float64) && a[sheets].(float64) == b[sheets].(float64)+1
	return areWhole && slices.Equal(slices.Delete(a, loaded, sheets+1), slices.Delete(b, loaded, sheets+1))
}
