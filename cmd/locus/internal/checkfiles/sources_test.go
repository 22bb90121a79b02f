package checkfiles

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locus/check"
)

// of finds the configuration of a generator, and the repository, in the folders above a file. It
// ignores files above the repository.
func TestSources(t *testing.T) {
	dir := write(t, map[string]string{
		"mkdocs.yml":           "",
		"repo/.git/HEAD":       "",
		"repo/a/x.md":          "",
		"repo/hugo/config.yml": "", "repo/hugo/content/x.md": "",
		"repo/other/config.yml": "", "repo/other/x.md": "",
		"repo/vite/docusaurus.config.js": "", "repo/vite/deep/x.md": "",
	})
	s := &sources{tops: []string{dir}}
	repository := filepath.Join(dir, "repo")
	for folder, test := range map[string]struct{ repository, config string }{
		"repo/a":            {repository, ""},
		"repo/hugo/content": {repository, "config.yml"},
		"repo/other":        {repository, ""}, // config.yml alone does not mean Hugo
		"repo/vite/deep":    {repository, "docusaurus.config.js"},
		".":                 {"", "mkdocs.yml"},
	} {
		for range 2 { // the second time from the cache
			if got := s.sourceOf(filepath.Join(dir, filepath.FromSlash(folder))); got.repository != test.repository || configOf(got) != test.config {
				t.Errorf("sourceOf(%q): %+v, want %+v", folder, got, test)
			}
		}
	}
}

// configOf returns the name of the configuration of a source's generator, or "".
func configOf(s source) string {
	if s.project == nil {
		return ""
	}
	return s.project.Generator.Config
}

// Outside of a repository, only folders below the arguments count.
func TestSourcesBelowTop(t *testing.T) {
	dir := write(t, map[string]string{"mkdocs.yml": "", "a/b/x.md": ""})
	for top, want := range map[string]string{".": "mkdocs.yml", "a": ""} {
		s := &sources{tops: []string{filepath.Join(dir, top)}}
		if got := s.sourceOf(filepath.Join(dir, "a", "b")); configOf(got) != want {
			t.Errorf("below %s: %q, want %q", top, configOf(got), want)
		}
	}
}

// The memory for folders is bounded, even if a million links lead to missing files in different folders. The projects of
// folders with a configuration stay the same.
func TestSourcesBounded(t *testing.T) {
	dir := write(t, map[string]string{"mkdocs.yml": "", "a/x.md": ""})
	s := &sources{tops: []string{dir}}
	before := s.sourceOf(filepath.Join(dir, "a"))
	for i := range 3 * maxFolders {
		if got := s.sourceOf(filepath.Join(dir, "missing", strconv.Itoa(i))); got.project != before.project || got.project == nil {
			t.Fatalf("missing folder %d belongs to the project %p, want %p", i, got.project, before.project)
		}
	}
	if n := len(s.folders); n > maxFolders+s.configured || s.configured != 1 {
		t.Errorf("%d folders are remembered, %d of them with a configuration, want at most %d and 1", n, s.configured, maxFolders+1)
	}
	if after := s.sourceOf(filepath.Join(dir, "a")); after != before {
		t.Errorf("the source of a folder that was forgotten is %+v, want %+v", after, before)
	}
}

// Programs, reports of earlier runs, and binary and compressed files of a folder, are not read. Files
// among them that may have links are counted. A file that the caller names is read.
func TestSkipped(t *testing.T) {
	dir := write(t, map[string]string{
		"a.txt": "http://a/", "b.go": "http://b/", "c.html": "http://c/\x00", "d.png": "\x00", "f.tar.gz": "\x1f\x8b\b\x00",
		"g.md": "# Links\n\n1 link: 0 good, 1 dead.\n",
	})
	q := &seeded{then: func() error { return nil }}
	r := newReader(dir)
	if isWhole, err := r.Folder(t.Context(), q, dir); err != nil || !isWhole {
		t.Error(isWhole, err)
	}
	if want := []string{"a.txt"}; !slices.Equal(q.names, want) {
		t.Errorf("read %q, want %q", q.names, want)
	}
	binary, compressed, reports := r.Skipped()
	if binary.Count != 1 || filepath.Base(binary.First) != "c.html" {
		t.Errorf("binary: %+v", binary)
	}
	if compressed.Count != 1 || filepath.Base(compressed.First) != "f.tar.gz" {
		t.Errorf("compressed: %+v", compressed)
	}
	if reports.Count != 1 || filepath.Base(reports.First) != "g.md" {
		t.Errorf("reports: %+v", reports)
	}
	q.names = nil
	if err := r.File(t.Context(), q, filepath.Join(dir, "b.go")); err != nil || !slices.Equal(q.names, []string{"b.go"}) {
		t.Errorf("File of a program reads %q, %v", q.names, err)
	}
}

// In a file outside of all sites, a link that begins with "/" has an unknown root.
func TestLacksRoot(t *testing.T) {
	for text, want := range map[string]bool{"<a href=/x>": true, "<a href=x>": false} {
		dir := write(t, map[string]string{"a.html": text})
		r := newReader(dir)
		if err := r.File(t.Context(), &seeded{then: func() error { return nil }}, filepath.Join(dir, "a.html")); err != nil || r.LacksRoot() != want {
			t.Errorf("%s: %v, %v, want %v", text, r.LacksRoot(), err, want)
		}
	}
}

// The error of a file that does not exist names the file.
func TestFileErrors(t *testing.T) {
	r := newReader(t.TempDir())
	var q check.Queue // File fails before it uses the queue
	if err := r.File(t.Context(), q, "gone.html"); err == nil || !strings.Contains(err.Error(), "gone.html") {
		t.Errorf("File = %v", err)
	}
}
