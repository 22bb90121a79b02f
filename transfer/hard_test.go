package transfer

import (
	"context"
	"fmt"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/internal/weburl/hard"
	"locus/url"
)

// A mirror of a web site requests each page with the target that a browser sends, and keeps each page.
// A copy for reading without a network links to all of them.
func TestMirrorHardReferences(t *testing.T) {
	var page strings.Builder
	page.WriteString("<!doctype html>")
	want := []string{"/", "/robots.txt"}
	for i, ref := range hard.References() {
		fmt.Fprintf(&page, "<a href=\"/%d/%s\">x</a>", i, html.EscapeString(ref.Text))
		want = append(want, fmt.Sprintf("/%d%s", i, strings.ReplaceAll(ref.Target, "%c3", "%C3"))) // because URLs are normalized
	}
	for _, convert := range []bool{false, true} {
		var mu sync.Mutex
		var asked []string
		engine := engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			target := req.URL.PathAndQuery()
			mu.Lock()
			asked = append(asked, target)
			mu.Unlock()
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: io.NopCloser(strings.NewReader(target))}
			switch target {
			case "/":
				r.Type, r.Body = "text/html; charset=utf-8", io.NopCloser(strings.NewReader(page.String()))
			case "/robots.txt":
				r.Body = io.NopCloser(strings.NewReader(""))
			}
			return r, nil
		})
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		report, err := Mirror(t.Context(), engine, url.MustParse("http://h.example/"), root, MirrorOptions{Convert: convert})
		if err != nil {
			t.Fatalf("Mirror with Convert %t = %v", convert, err)
		}
		slices.Sort(asked)
		slices.Sort(want)
		if !slices.Equal(slices.Compact(asked), want) {
			t.Errorf("Mirror with Convert %t requests %q, want %q", convert, asked, want)
		}
		files := 0
		err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				files++
			}
			return err
		})
		if n := len(hard.References()) + 1; err != nil || files < n || report.Files != n {
			t.Errorf("Mirror with Convert %t keeps %d files, %v, and reports %+v, want %d of the site", convert, files, err, report, n)
		}
	}
}
