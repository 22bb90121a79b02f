package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/check/report"
	"locus/cmd/locus/internal/cli"
)

// writeManual writes a site like the output of a documentation generator: pages of 50 KB, each with
// 60 links to the first pages and 60 links to anchors of other pages.
func writeManual(b *testing.B, dir string, pages int) {
	b.Helper()
	name := func(n int) string { return fmt.Sprintf("docs/section-%d/page-%d.html", n%200, n) }
	write := func(file, text string) {
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 12)
	for n := range pages {
		var page strings.Builder
		page.WriteString("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Manual</title><link rel=\"stylesheet\" href=\"/css/main.css?v=3\"></head><body class=\"theme\">\n<nav>")
		for i := range 60 {
			fmt.Fprintf(&page, "<li class=\"nav-item level-%d\"><a class=\"nav-link\" href=\"/%s\">Section %d</a></li>\n", i%3, name(i*7%pages), i)
		}
		page.WriteString("</nav>\n<main>")
		for i := range 60 {
			fmt.Fprintf(&page, "<h2 id=\"section-%d\">Section %d</h2>\n<p>%s See <a href=\"/%s#section-%d\">the other page</a> &amp; more.</p>\n<pre><code class=\"language-go\">if a &lt; b { return c }\n</code></pre>\n",
				i, i, words, name((n*13+i)%pages), i)
		}
		page.WriteString("</main></body></html>\n")
		write(name(n), page.String())
	}
	write("css/main.css", "p{}")
	write("index.html", "<a href=docs/section-0/page-0.html>x</a>")
}

// sizeOf returns the number of bytes of all pages below a folder.
func sizeOf(b *testing.B, dir string) (size int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".html" {
			return err
		}
		info, err := e.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// BenchmarkFolder checks a folder of HTML without a network. $FOLDER names another folder than the
// one of writeManual.
func BenchmarkFolder(b *testing.B) {
	dir := os.Getenv("FOLDER")
	if dir == "" {
		dir = b.TempDir()
		writeManual(b, dir, 1000)
	}
	b.SetBytes(sizeOf(b, dir))
	walk := cli.Walk{Filter: cli.Filter{Include: []string{"*.html"}}}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	b.ReportAllocs()
	for b.Loop() {
		e := cli.NewEnv(null, null, null)
		e.Quiet = true
		if err := Run(b.Context(), e, Options{
			Args: []string{dir}, Site: Site{Root: dir}, Walk: walk, Pace: Pace{NoMX: true}, Links: Links{ExcludeURL: []string{"^[a-eg-z]", "^f[^i]"}},
			Reports: Reports{FailOn: []string{"none"}, Archive: report.ArchiveTemplate}, Given: cli.Given{"root": true, "fail-on": true},
		}); err != nil {
			b.Fatal(err)
		}
	}
}
