package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// archivedPages are the pages of offlineSite that are recorded.
var archivedPages = []string{"", "sub/", "cyrillic", "page?id=2&n=1"}

// recordSite makes a browser visit offlineSite through a gateway that records. It returns the
// archive, the URL of the site, and the content that the browser showed for each page.
func recordSite(t *testing.T) (file, site string, live map[string]string) {
	t.Helper()
	server := startOfflineSite(t)
	file = filepath.Join(t.TempDir(), "site.warc.gz")
	at := startServe(t, "--warc", file, "--allow-port", portOf(server.Addr))
	b := newBrowserAllThrough(t, at)
	site = "http://" + server.Addr + "/"
	live = make(map[string]string)
	for _, page := range archivedPages {
		live[page] = b.shown(site + page)
	}
	if !strings.Contains(live[""], "script of another host") || !strings.Contains(live[""], `"rgb(1, 2, 3)","17px",true,1]`) {
		t.Fatalf("through the proxy the page shows %s", live[""])
	}
	return file, site, live
}

func portOf(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// The gateway records the requests of a browser. A browser that uses a gateway of the archive shows
// the same scripts, style sheets and frames, and plays the same sound.
func TestBrowserArchive(t *testing.T) {
	t.Parallel()
	file, site, live := recordSite(t)
	copied := filepath.Join(t.TempDir(), "copy.warc.gz") // the recording has not ended yet
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		t.Fatal(err)
	}
	at := startServe(t, "--from-warc", copied)
	b := newBrowserAllThrough(t, at)
	log := b.logRequests()
	for _, page := range archivedPages {
		if got := b.shown(site + page); got != live[page] {
			t.Errorf("%q shows\n %s, live\n %s", page, got, live[page])
		}
		if _, failed := log.take(); len(failed) > 0 {
			t.Errorf("%q: requests that fail: %q", page, failed)
		}
	}
	if status, text := b.follow(chromedp.Navigate(site + "unheard")); status != 404 || !strings.Contains(text, "not in the archive") {
		t.Errorf("%sunheard, which was not recorded = %d, %.200s", site, status, text)
	}
}
