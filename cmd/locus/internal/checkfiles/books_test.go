package checkfiles

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
)

// writeBook writes a book with a container and some files into a new folder, and returns the name of the book.
func writeBook(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name, text string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatalf("pack %q: %v", name, err)
		}
	}
	add("META-INF/container.xml", `<container><rootfile full-path="b.opf"/></container>`)
	add("b.opf", "<package/>")
	for name, text := range files {
		add(name, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a b.EPUB")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// bookVerdicts checks the links of a book, and returns the verdict of each by its place. If forgets is set, the Checker
// knows no page.
func bookVerdicts(t *testing.T, name string, forgets bool) (all []string, readErr error) {
	t.Helper()
	r, q := newReader(filepath.Dir(name)), report.NewQueue(nil)
	engine, sites, err := r.AddSites(local, SiteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	readErr = r.File(t.Context(), q, filepath.Base(name))
	c := &check.Checker{Engine: engine, Sites: sites, Pages: &r.Pages, Sources: r.SourcesOf}
	if forgets {
		c.Pages = nil
	}
	if err := c.Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	report, err := q.Report(t.Context(), check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	defer report.Close()
	for f := range report.Findings {
		for _, place := range f.Places {
			text := fmt.Sprintf("%s %s %s", place.String(), f.Status, f.Reason)
			all = append(all, strings.TrimSpace(strings.TrimPrefix(text, filepath.Base(name)+"!/")))
		}
	}
	slices.Sort(all)
	return all, readErr
}

// The links of a book lead to the files in it, whether the pages are remembered or opened again. A site's rules for
// index pages and extensions do not hold in a book.
func TestBook(t *testing.T) {
	t.Parallel()
	const missing, anchor = "dead no such file or folder", `dead the page has no anchor named "y"`
	for _, test := range []struct {
		link, want string
	}{
		{"b.xhtml", "good"},
		{"b.xhtml?q", "good"},
		{"b.xhtml#x", "good"},
		{"b.xhtml#y", anchor},
		{"#here", "good"},
		{"/t/b.xhtml", "good"},
		{"../t/b.xhtml", "good"},
		{"../../b.opf", "good"},
		{"i/p%20q.png", "good"},
		{"i/é.svg#x", "good"},
		{"i/é.svg#y", anchor},
		{"i/v.mp4#t=10", "good"},
		{"%62.xhtml", "good"},
		{"B.xhtml", missing},
		{"b", missing},
		{"i/", missing},
		{"c.xhtml", "good"},
		{"c.xhtml#x", "unchecked it is encrypted"},
		{"../../../a%20b.EPUB", missing},
		{"file:///nowhere.epub!/x", missing},
	} {
		name := writeBook(t, map[string]string{
			"t/a.xhtml":   fmt.Sprintf("<html><a id='here' href='%s'>x</a></html>", test.link),
			"t/b.xhtml":   "<p id='x'/>",
			"t/index.htm": "", "t/i/p q.png": "", "t/i/é.svg": "<svg><g id='x'/></svg>", "t/i/v.mp4": "", "t/i/index.html": "",
			"t/c.xhtml": "?", "META-INF/encryption.xml": "<CipherReference URI='t/c.xhtml'/>",
		})
		for _, forgets := range []bool{false, true} {
			got, err := bookVerdicts(t, name, forgets)
			want := []string{"META-INF/container.xml:1:12 good", "t/a.xhtml:1:26 " + test.want}
			if !slices.Equal(got, want) || err == nil || err.Error() != "a b.EPUB: 1 page is encrypted: t/c.xhtml" {
				t.Errorf("%q, without pages %v: %q, %v, want %q", test.link, forgets, got, err, want)
			}
		}
	}
}

// The links in a book are read although other pages of it are damaged.
func TestBookDamaged(t *testing.T) {
	t.Parallel()
	name := writeBook(t, map[string]string{"a.html": "<a href=none>x</a>" + strings.Repeat(" ", 100_000), "b.html": "<a href=none>x</a>"})
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte("a.html")) + len("a.html")
	copy(text[at+30:], "damage")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := bookVerdicts(t, name, false)
	want := []string{"META-INF/container.xml:1:12 good", "b.html:1:9 dead no such file or folder"}
	if !slices.Equal(got, want) || err == nil || !strings.HasPrefix(err.Error(), "a b.EPUB: a.html: ") {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// The error of a book shows only some of its faults.
func TestBookFaults(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "b: no", maxFaults: "b: no" + strings.Repeat("; no", maxFaults-1), maxFaults + 2: "b: no" + strings.Repeat("; no", maxFaults-1) + "; and 2 more"} {
		if err := bookFaults("b", slices.Repeat([]error{fmt.Errorf("no")}, n)); err == nil || err.Error() != want {
			t.Errorf("%d faults: %v, want %s", n, err, want)
		}
	}
	if err := bookFaults("b", nil); err != nil {
		t.Errorf("no faults: %v", err)
	}
}
