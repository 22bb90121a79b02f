package checkfiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/url"
)

// newReader returns a Reader of the files of the system. Relative names begin in dir.
func newReader(dir string) *Reader {
	in := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	return &Reader{
		Dir: dir, Open: func(name string) (*os.File, error) { return os.Open(in(name)) },
		Stat: func(name string) (os.FileInfo, error) { return os.Stat(in(name)) },
		Walk: func(folder string, do WalkedFile) error {
			return filepath.WalkDir(in(folder), func(name string, e os.DirEntry, err error) error {
				if err == nil && e.IsDir() {
					return nil
				}
				return do(name, err)
			})
		},
	}
}

// write writes files into a new folder, by their names.
func write(t *testing.T, all map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range all {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A seeded is a Queue that records the names of documents.
type seeded struct {
	check.Queue
	mu    sync.Mutex
	names []string
	then  func() error
}

func (q *seeded) Seed(_ context.Context, s check.Source, _ []check.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.names = append(q.names, filepath.Base(s.Document))
	return q.then()
}

// A file that cannot be read is reported, and the other files are read. If the queue fails, the
// reading ends.
func TestFolderGoesOn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b/b", "c"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("http://h/"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	full := errors.New("full")
	for _, test := range []struct {
		then    func() error
		want    []string // the files that are read if the queue does not fail
		isWhole bool
		err     error
	}{
		{func() error { return nil }, []string{"a", "b", "c"}, true, nil},
		{func() error { return full }, nil, true, full},
		{nil, []string{"a", "c"}, false, nil},
	} {
		if test.then == nil { // b is too large to be read
			test.then = func() error { return nil }
			writeLarge(t, filepath.Join(dir, "b"))
		}
		r := newReader(t.TempDir())
		var reported []error
		r.Report = func(err error) { reported = append(reported, err) }
		q := &seeded{then: test.then}
		isWhole, err := r.Folder(t.Context(), q, dir)
		if !errors.Is(err, test.err) || isWhole != test.isWhole && test.err == nil || test.err == nil && !slices.Equal(slices.Sorted(slices.Values(q.names)), test.want) {
			t.Errorf("read %q, %v, %v, want %q, %v, %v", q.names, isWhole, err, test.want, test.isWhole, test.err)
		}
		if len(reported) > 0 == test.isWhole {
			t.Errorf("after %q, reported: %v", q.names, reported)
		}
	}
}

// writeLarge replaces the content of a folder by a page that is too large to be read.
func writeLarge(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "b.html")
	if err := os.WriteFile(file, bytes.Repeat([]byte{' '}, 8<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64<<20+1); err != nil {
		t.Fatal(err)
	}
}

// Reports in a folder are skipped, in any format. A report that the user names is read.
func TestOwnReports(t *testing.T) {
	all := map[string]string{"a.md": "[a](http://h/)"}
	for name, format := range map[string]func(io.Writer, *check.Report) error{
		"r.json": report.JSON, "r.jsonl": report.JSON, "r.xml": report.JUnit, "r.sarif": report.SARIF, "r.html": report.HTML, "r.md": report.Markdown, "r.txt": report.Text,
		"part.json": func(w io.Writer, r *check.Report) error { return report.WritePart(w, r, report.Part{Number: 1, Of: 2}) },
	} {
		found := check.Finding{Link: "http://h/gone", Fails: true, Result: check.Result{Status: check.Dead}, Places: []check.Place{{Document: "http://h/b.md", Line: 1, Column: 2}}}
		var b bytes.Buffer
		if err := format(&b, &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(found, nil) }}); err != nil {
			t.Fatalf("the format of %s: %v", name, err)
		}
		all[name] = b.String()
	}
	dir := write(t, all)
	q := &seeded{then: func() error { return nil }}
	if isWhole, err := newReader(dir).Folder(t.Context(), q, "."); !isWhole || err != nil || !slices.Equal(q.names, []string{"a.md"}) {
		t.Errorf("Folder reads %q, %v, %v, want a.md", q.names, isWhole, err)
	}
	q.names = nil
	if err := newReader(dir).File(t.Context(), q, "r.json"); err != nil || !slices.Equal(q.names, []string{"r.json"}) {
		t.Errorf("File(r.json) reads %q, %v", q.names, err)
	}
}

// Each file of a folder is read once, in all sizes of batches.
func TestBatches(t *testing.T) {
	all := map[string]string{}
	for i := range 7 * maxBatch {
		all[fmt.Sprintf("%d/%d.html", i%5*i/20, i)] = "<a href=x.html>"
	}
	dir := write(t, all)
	q := &seeded{then: func() error { return nil }}
	if isWhole, err := newReader(dir).Folder(t.Context(), q, dir); !isWhole || err != nil {
		t.Fatal(isWhole, err)
	}
	slices.Sort(q.names)
	if n := len(slices.Compact(q.names)); len(q.names) != len(all) || n != len(all) {
		t.Errorf("Folder reads %d files, %d of them once, want %d", len(q.names), n, len(all))
	}
}

// All links of a file are found, even if the file is longer than the part that is read first.
func TestLongFile(t *testing.T) {
	for _, size := range []int{startSize - 20, startSize, startSize + 1, 3 * startSize} {
		last := `<a href="last.html">`
		dir := write(t, map[string]string{"a.html": strings.Repeat(" ", size-len(last)) + last, "last.html": ""})
		r, q := newReader(dir), report.NewQueue(nil)
		_, sites, err := r.AddSites(nil, SiteOptions{Root: dir})
		if err == nil {
			err = r.File(t.Context(), q, "a.html")
		}
		if err != nil {
			t.Fatalf("File with a file of %d bytes: %v", size, err)
		}
		if err := (&check.Checker{Sites: sites, Pages: &r.Pages}).Run(t.Context(), q); err != nil {
			t.Fatalf("Run with a file of %d bytes: %v", size, err)
		}
		report, err := q.Report(t.Context(), check.ReportOptions{All: true})
		if err != nil {
			t.Fatalf("Report with a file of %d bytes: %v", size, err)
		}
		for f := range report.Findings {
			if want := (check.Place{Document: "a.html", Line: 1, Column: size - len(`last.html">`) + 1}); !slices.Contains(f.Places, want) {
				t.Errorf("in a file of %d bytes the last link is at %v, want %v", size, f.Places, want)
			}
		}
		if report.Counts[check.Dead]+report.Counts[check.Good]+report.Counts[check.Unchecked] != 1 {
			t.Errorf("the counts of a file of %d bytes are %v", size, report.Counts)
		}
	}
}

// A folder with an index page is a site, and so is a folder with the sources of a manual. If Root
// is set, it is the only site.
func TestAddSites(t *testing.T) {
	dir := write(t, map[string]string{"public/index.html": "", "public/_redirects": "/old " + strings.Repeat("x", 70<<10), "src/a.md": "", "src/docs/conf.py": ""})
	for _, test := range []struct {
		o    SiteOptions
		want []string
	}{
		{SiteOptions{Folders: []string{"public", "src", "none", "https://h.example/"}}, []string{"public/", "src/docs/"}},
		{SiteOptions{Folders: []string{"public"}, Root: "src"}, []string{"src/"}},
		{SiteOptions{Folders: []string{"src"}, Root: "src/a.md"}, nil},
	} {
		r := newReader(dir)
		_, sites, err := r.AddSites(nil, test.o)
		var got []string
		for _, site := range sites {
			got = append(got, strings.TrimPrefix(site.Folder.String(), r.fileURL(dir).String()+"/"))
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("AddSites(%+v) = %q, %v, want %q", test.o, got, err, test.want)
		}
		if n := len(r.Faults()); (n > 0) != slices.Contains(got, "public/") {
			t.Errorf("AddSites(%+v) has %d faults", test.o, n)
		}
	}
	if _, _, err := newReader(dir).AddSites(nil, SiteOptions{Root: "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("AddSites with a Root that does not exist = %v", err)
	}
}

// A file with several names is rewritten once.
func TestFilesOnce(t *testing.T) {
	dir := write(t, map[string]string{"b.md": "x", "c/d.md": "x"})
	if err := os.Symlink("b.md", filepath.Join(dir, "a.md")); err != nil {
		t.Skip("this system cannot make symbolic links: ", err)
	}
	if err := os.Symlink("c", filepath.Join(dir, "e")); err != nil {
		t.Fatal(err)
	}
	r := newReader(dir)
	r.names = []string{"c/d.md", "b.md", "gone.md", "e/d.md", "a.md"}
	if got, want := r.filesOnce(), []string{"a.md", "c/d.md", "gone.md"}; !slices.Equal(got, want) {
		t.Errorf("filesOnce() = %q, want %q", got, want)
	}
}

// Links that have moved are rewritten in the files that were read, and in no others.
func TestRewritings(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "[x](http://h/old) [y](http://h/other)", "b.md": "[x](http://h/old)", "c.md": "x"})
	r := newReader(dir)
	r.Base = url.MustParse("http://h/")
	for _, name := range []string{"a.md", "c.md"} {
		if err := r.File(t.Context(), report.NewQueue(nil), name); err != nil {
			t.Fatalf("File(%q): %v", name, err)
		}
	}
	all, err := r.Rewritings(map[string]string{"http://h/old": "http://h/new"})
	if err != nil || len(all) != 1 || all[0].File != "a.md" || all[0].Links != 1 || string(all[0].After) != "[x](http://h/new) [y](http://h/other)" {
		t.Errorf("Rewritings = %+v, %v", all, err)
	}
}

// A symbolic link in a folder that leads out of it is not rewritten, unless the user has named the link.
func TestLeadsOut(t *testing.T) {
	const text = "[x](http://h/old)"
	dir := write(t, map[string]string{"out.md": text, "docs/in.md": text, "docs/a/in.md": text, "named/in.md": text})
	for name, to := range map[string]string{"docs/link.md": "../out.md", "docs/inside.md": "a/in.md", "docs/a/up.md": "../in.md", "named/link.md": "../out.md"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Skip("this system cannot make symbolic links: ", err)
		}
	}
	r := newReader(dir)
	r.folders = []string{"docs"}
	for file, want := range map[string]bool{"docs/link.md": true, "docs/in.md": false, "docs/inside.md": false, "docs/a/up.md": false, "named/link.md": false, "out.md": false} {
		if got := r.LeadsOut(file); got != want {
			t.Errorf("LeadsOut(%q) = %v, want %v", file, got, want)
		}
	}
}

// Diff removes escape sequences of the file, and shows only lines that change.
func TestDiff(t *testing.T) {
	var out bytes.Buffer
	for _, w := range []Rewriting{
		{"a\x1b[2J.md", []byte("1\n2\x1b[2J\n3\n"), []byte("1\n2\n3\n"), 1}, {"b.md", []byte("x"), []byte("y"), 1},
	} {
		if err := w.Diff(&out); err != nil {
			t.Fatalf("Diff of %q: %v", w.File, err)
		}
	}
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.Contains(got, "@@ -2 +2 @@\n") || !strings.HasSuffix(got, "--- b.md\n+++ b.md\n@@ -1 +1 @@\n-x\n+y\n") || strings.Contains(got, "-3") {
		t.Errorf("Diff = %q", got)
	}
}
