package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/demo"
	"locus/internal/faulty"
	"locus/retry"
	"locus/url"
)

// hasty is a policy for tests of real time.
var hasty = retry.Policy{Wait: time.Millisecond, Retries: 5}

// never is a policy without retries.
var never = retry.Policy{Retries: -1}

// restless is a policy for tests of silent servers. A slow machine may make other
// servers look silent.
var restless = retry.Policy{Wait: time.Millisecond, Retries: 1000}

// silence is how long a server may be silent in those tests.
const silence = 300 * time.Millisecond

// folder returns a folder as an os.Root, and its name.
func folder(t testing.TB) (*os.Root, string) {
	t.Helper()
	name := t.TempDir()
	root, err := os.OpenRoot(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, name
}

// fill writes files by name. A name that ends in a slash is a directory.
func fill(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		if err := os.Chtimes(full, when, when); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns the files below a folder by name. Directories end in a slash.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		switch {
		case err != nil:
			return err
		case rel == ".":
			return nil
		case e.IsDir():
			files[filepath.ToSlash(rel)+"/"] = ""
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			files[filepath.ToSlash(rel)] = "-> " + to
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compareTrees reports how the contents of two folders differ.
func compareTrees(t testing.TB, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if g, ok := got[name]; !ok {
			t.Errorf("%q is missing", name)
		} else if g != text {
			t.Errorf("%q has %d bytes, %.40q; want %d, %.40q", name, len(g), g, len(text), text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%q is not wanted", name)
		}
	}
}

// An eventLog keeps events.
type eventLog struct {
	mu     sync.Mutex
	events []Event
}

func (l *eventLog) add(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// of returns the events of a kind.
func (l *eventLog) of(k Kind) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var some []Event
	for _, e := range l.events {
		if e.Kind == k {
			some = append(some, e)
		}
	}
	return some
}

func (l *eventLog) names(k Kind) []string {
	var names []string
	for _, e := range l.of(k) {
		names = append(names, e.Name)
	}
	return names
}

// serve starts the demo's servers on a folder, and returns their addresses by
// scheme.
func serve(t testing.TB, dir string) map[string]string {
	t.Helper()
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Files: os.DirFS(dir)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	addresses := make(map[string]string)
	for _, s := range d.Services() {
		addresses[s.Scheme] = s.Addr
	}
	return addresses
}

// proxied starts a faulty proxy for a server.
func proxied(t testing.TB, scheme, addr string, plan func(faulty.Conn) faulty.Fault) string {
	t.Helper()
	if scheme == "ftp" {
		return faulty.StartFTP(t, addr, plan).Addr
	}
	return faulty.Start(t, addr, plan).Addr
}

func request(text string) *access.Request { return &access.Request{URL: url.MustParse(text)} }

// noise returns n bytes, at most 6 MiB, that do not repeat soon.
func noise(n int) string { return noiseText()[:n] }

var noiseText = sync.OnceValue(func() string {
	b := make([]byte, 6<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return string(b)
})

// A shelf is an Engine that gets files in one ftp directory.
type shelf struct{ files map[string]string }

func (s *shelf) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	name := strings.TrimSuffix(strings.TrimPrefix(req.URL.Path(), "/"), ";type=i")
	changed := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if name == "" {
		var entries []access.Entry
		for name, text := range s.files {
			entries = append(entries, access.Entry{Title: name, URL: url.MustParse("ftp://h/" + name), Kind: access.Object, Size: int64(len(text)), ModTime: changed})
		}
		slices.SortFunc(entries, func(a, b access.Entry) int { return strings.Compare(a.Title, b.Title) })
		return listed(req, &dir{entries: entries}), nil
	}
	text := s.files[name]
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(len(text)), ModTime: changed}, Body: io.NopCloser(strings.NewReader(text))}, nil
}

// symlink makes a symbolic link. It skips the test if the system cannot make one.
func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}
