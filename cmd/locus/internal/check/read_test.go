package check

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/check"
	"locus/cmd/locus/internal/cli"
	"locus/internal/clitest"
)

// seeded is a Queue that records the names of documents.
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

// A file that cannot be read is reported, and the other files are read. A failure of the
// queue ends the reading.
func TestCheckFolderGoesOn(t *testing.T) {
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
	for _, tt := range []struct {
		then func() error
		want []string // if the queue does not fail, these are read
		err  error
	}{
		{func() error { return nil }, []string{"a", "b", "c"}, nil},
		{func() error { return full }, nil, full},
		{nil, []string{"a", "c"}, cli.ErrReported},
	} {
		if tt.then == nil { // then b is too large to be read
			tt.then = func() error { return nil }
			writeLarge(t, filepath.Join(dir, "b"))
		}
		stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
		r := linkReader{Env: cli.NewEnv(nil, stderr, stderr)}
		q := &seeded{then: tt.then}
		if err := r.argument(t.Context(), q, dir); !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) || tt.err != full && !slices.Equal(slices.Sorted(slices.Values(q.names)), tt.want) {
			t.Errorf("read %q, %v, want %q, %v", q.names, err, tt.want, tt.err)
		}
		if info, err := stderr.Stat(); err != nil || (info.Size() > 0) != (tt.err == cli.ErrReported) {
			t.Errorf("%v: %d bytes on stderr, %v", tt.err, info.Size(), err)
		}
	}
}

// writeLarge replaces what is in a folder by a page that is too large to be read.
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

// A page of a folder may be a symbolic link, as hosts serve it. Its links are read, too, and
// --fix rewrites the file once.
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
			t.Skip("this system makes no symbolic links:", err)
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
		t.Errorf("b.md is %v, %v, and no symbolic link any more", info, err)
	}
}
