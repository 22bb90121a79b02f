package check

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// A page of a folder may be a symbolic link, because hosts serve the file behind it. Its links are
// read, too, and --fix rewrites the file once.
func TestLinkedPages(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		}
	}))
	defer s.Close()
	dir := write(t, map[string]string{"CHANGES.md": "[x](none.md)\n", "doc/a.md": "[c](CHANGES.md) [y](" + s.URL + "/old)\n"})
	for name, to := range map[string]string{"CHANGES.md": "../CHANGES.md", "b.md": "a.md"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, "doc", name)); err != nil {
			t.Skip("this system cannot make symbolic links:", err)
		}
	}
	_, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, "--fix", "--yes", "doc")
	for _, want := range []string{"doc/CHANGES.md:1:5\n", "doc/a.md:1:21\n", "doc/b.md:1:21\n", "3 links: 2 good (1 moved), 1 dead\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report is\n%swant %q", stdout, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "doc", "a.md"))
	if want := "[c](CHANGES.md) [y](" + s.URL + "/new)\n"; string(text) != want || err != nil {
		t.Errorf("a.md is %q, %v, want %q; stderr is\n%s", text, err, want, stderr)
	}
	if info, err := os.Lstat(filepath.Join(dir, "doc", "b.md")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("after --fix, b.md is %v, %v, want a symbolic link", info, err)
	}
}
