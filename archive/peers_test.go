package archive_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"locus/internal/peers"
)

// An archive that wget has written is opened.
func TestWgetArchive(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/page", http.StatusFound)
			return
		}
		fmt.Fprint(w, "a page")
	})
	dir := t.TempDir()
	for _, name := range []string{filepath.Dir(dir), dir} { // because wget runs under another account
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	if _, err := peers.Wget(t, nil, "--warc-file="+filepath.Join(dir, "w"), "--warc-tempdir="+dir, s.URL+"/moved"); err != nil {
		t.Fatal(err)
	}
	root := folderAt(t, dir)
	a := open(t, root, "w.warc.gz")
	if body, _, err := get(t, a, s.URL+"/page"); body != "a page" || err != nil {
		t.Errorf("/page: %q, %v", body, err)
	}
	if got, want := outcome(t, a, s.URL+"/moved"), "moved to "+s.URL+"/page, permanent false"; got != want {
		t.Errorf("/moved: %s, want %s", got, want)
	}
}
