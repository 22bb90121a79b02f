package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkMirrorSite copies a site of 2000 pages, which link to each other, with the command and wget in turns. The
// server is in this process. The copies are deleted only at the end: see BenchmarkTransfer.
func BenchmarkMirrorSite(b *testing.B) {
	const pages = 2000
	exe, root, kept := command(b), b.TempDir(), b.TempDir()
	text := strings.Repeat("lorem ipsum dolor sit amet ", 15)
	for i := range pages {
		var page strings.Builder
		for k := range 10 {
			fmt.Fprintf(&page, "<p>%s<a href=%d.html>%d</a></p>\n", text, (10*i+k+1)%pages, k)
		}
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%d.html", i)), []byte(page.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(root)))
	defer server.Close()
	start := server.URL + "/0.html"
	contest(b, "pages/s", pages, []program{
		{name: "locus", args: []string{exe, "mirror", start, "DIR"}},
		{name: "one job", args: []string{exe, "mirror", "--jobs", "1", start, "DIR"}},
		{name: "wget", args: []string{"wget", "-q", "-r", "-l", "inf", "-np", "-P", "DIR", start}},
	}, kept, func(dir string, _ float64) error {
		n := 0
		err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
			if filepath.Ext(name) == ".html" {
				n++
			}
			return err
		})
		if err == nil && n != pages {
			err = fmt.Errorf("%d pages in %s, want %d", n, dir, pages)
		}
		return err
	})
}
