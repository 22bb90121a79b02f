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
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader("<p>" + html.EscapeString(target)))}
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

// A page that links to one file as browsers read it and as RFC 3986 writes it is mirrored like any other, since both
// URLs have one local name.
func TestMirrorTwoSpellings(t *testing.T) {
	const page = `<!doctype html><a href="x[1].html">x</a><a href="x%5B1%5D.html">x</a><a href="100%">x</a><a href="100%25">x</a>
		<a href="?a[]=b|c">x</a><a href="?a%5B%5D=b%7Cc">x</a><a href="l[2]/">x</a>`
	for _, convert := range []bool{false, true} {
		var fetched sync.Map
		engine := engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			target := req.URL.PathAndQuery()
			if n, ok := fetched.LoadOrStore(target, 1); ok {
				fetched.Store(target, n.(int)+1)
			}
			text := "<!doctype html><p>" + html.EscapeString(req.URL.Path())
			switch target {
			case "/":
				text = page
			case "/robots.txt":
				text = ""
			case "/l[2]/":
				text = `<title>Index of /l[2]/</title><h1>Index of /l[2]/</h1><a href="?C=N;O=D">Name</a><a href="../">..</a><a href=".">.</a><a href="a.html">a.html</a>`
			}
			return &access.Resource{
				Entry: access.Entry{URL: req.URL, Type: "text/html", Size: int64(len(text))},
				Body:  io.NopCloser(strings.NewReader(text)),
			}, nil
		})
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for range 2 {
			report, err := Mirror(t.Context(), engine, url.MustParse("http://h.example/"), root, MirrorOptions{
				Convert: convert, Listings: true, TreeOptions: TreeOptions{Delete: true},
			})
			if err != nil || report.Failed > 0 || report.NotDeleted != nil || report.Deleted > 0 {
				t.Errorf("Mirror with Convert %t = %+v, %v", convert, report, err)
			}
		}
		for _, test := range [][2]string{{"/x[1].html", "/x%5B1%5D.html"}, {"/100%", "/100%25"}, {"/?a[]=b|c", "/?a%5B%5D=b%7Cc"}} {
			if _, ok := fetched.Load(test[1]); ok {
				t.Errorf("Mirror with Convert %t requests %q, and it has %q", convert, test[1], test[0])
			}
		}
		if !convert {
			continue
		}
		text, err := root.ReadFile("index.html")
		if err != nil {
			t.Fatalf("index.html with Convert %v: %v", convert, err)
		}
		for _, want := range []string{`"x%5B1%5D.html">x</a><a href="x%5B1%5D.html"`, `"100%25.html">x</a><a href="100%25.html"`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the converted page is %q, want %q in it", text, want)
			}
		}
	}
}
