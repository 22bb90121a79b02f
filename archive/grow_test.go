package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/archive"
)

// noise returns bytes that cannot be compressed. The same seed gives the same bytes.
func noise(seed byte, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// noises is an Engine of noise: the path of a URL has the seed and the size, as in
// gopher://h/1-65536.
var noises = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
	var seed byte
	var size int
	if _, err := fmt.Sscanf(strings.TrimPrefix(req.URL.Path(), "/"), "%d-%d", &seed, &size); err != nil {
		return nil, err
	}
	body := io.NopCloser(bytes.NewReader(noise(seed, size)))
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "application/x-noise", Size: int64(size)}, Body: body}, nil
})

const (
	// medium is more than a block keeps in memory, so the rest goes to the end of the archive.
	medium = 1 << 20
	// large is so large that the archive has a part when half is read, because half is more
	// than a block keeps in memory, together with the pieces that may wait to be
	// compressed.
	large = 4 << 20
)

// start opens a URL and reads half of its bytes.
func start(t *testing.T, engine access.Engine, text string) io.ReadCloser {
	t.Helper()
	r, err := engine.Do(t.Context(), &access.Request{URL: parse(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, r.Body, r.Size/2); err != nil {
		t.Fatal(err)
	}
	return r.Body
}

// finish reads the rest.
func finish(t *testing.T, body io.ReadCloser) {
	t.Helper()
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Error(err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}

func size(t *testing.T, root *os.Root, name string) int64 {
	t.Helper()
	info, err := root.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// holds fails unless the archive has these noises whole, and temporary files are removed.
func holds(t *testing.T, root *os.Root, archiveName string, urls ...string) {
	t.Helper()
	a := open(t, root, archiveName)
	if a.Damage() != nil || a.URLs() != len(urls) {
		t.Errorf("%d URLs, damage %v, want %d", a.URLs(), a.Damage(), len(urls))
	}
	for _, u := range urls {
		got, _, err := get(t, a, u)
		want, _, _ := get(t, noises, u)
		if err != nil || got != want {
			t.Errorf("%s: %d bytes, %v, want %d", u, len(got), err, len(want))
		}
	}
	records(t, root, archiveName)
	dir, err := root.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "a") {
			t.Errorf("%s is left", name)
		}
	}
}

const (
	first  = "gopher://h/1-4194304" // large
	second = "gopher://h/2-4194304"
	small  = "gopher://h/3-100"

	firstMedium  = "gopher://h/1-1048576"
	secondMedium = "gopher://h/2-1048576"
)

// A large resource is written into the archive while it arrives, so that it is not copied.
func TestGrows(t *testing.T) { inBothFormats(t, testGrows) }

func testGrows(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	const most = 3 * large // a quarter is more than the pieces that may wait to be compressed
	r, err := engine.Do(t.Context(), &access.Request{URL: parse(t, "gopher://h/1-12582912")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, r.Body, most/2); err != nil {
		t.Fatal(err)
	}
	if n := size(t, root, name); n < most/4 {
		t.Errorf("when half has arrived, the archive has %d bytes", n)
	}
	finish(t, r.Body)
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, name, "gopher://h/1-12582912", small)
	if n := size(t, root, name); n > most+10_000 {
		t.Errorf("the archive has %d bytes, of a resource of %d", n, most)
	}
}

// The program gzip can read a record that was written while it arrived.
func TestGrowsValid(t *testing.T) {
	program, err := exec.LookPath("gzip")
	if err != nil && runtime.GOOS != "linux" {
		t.Skip("there is no gzip")
	}
	dir := t.TempDir()
	w := create(t, folderAt(t, dir), "a.warc.gz", archive.Options{})
	finish(t, start(t, w.Record(noises), firstMedium))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), program, "-t", filepath.Join(dir, "a.warc.gz")).CombinedOutput(); err != nil {
		t.Errorf("gzip -t: %v\n%s", err, out)
	}
}

// Other records do not wait for a large resource that arrives slowly.
func TestGrowsBesideOthers(t *testing.T) { inBothFormats(t, testGrowsBesideOthers) }

func testGrowsBesideOthers(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	one, two := start(t, engine, first), start(t, engine, second)
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	third := start(t, engine, "gopher://h/4-4194304") // the end of the archive is free again
	finish(t, two)
	finish(t, one)
	finish(t, third)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, name, first, second, small, "gopher://h/4-4194304")
}

// A growing block whose payload the archive already has is removed when its digest is
// known.
func TestGrowsTwice(t *testing.T) { inBothFormats(t, testGrowsTwice) }

func testGrowsTwice(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	const again = firstMedium + "?again"
	for _, u := range []string{firstMedium, again} {
		finish(t, start(t, engine, u))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, name, firstMedium, again)
	if n := size(t, root, name); n > medium+10_000 {
		t.Errorf("the archive has %d bytes, of a resource of %d", n, medium)
	}
}

// A process that is killed while a large resource arrives leaves an archive that ends
// early. It can be read, and continued.
func TestGrowsKilled(t *testing.T) { inBothFormats(t, testGrowsKilled) }

func testGrowsKilled(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	body := start(t, engine, first)
	left, err := root.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	body.Close()
	w.Close()
	killed := folder(t)
	if err := killed.WriteFile(name, left, 0o666); err != nil {
		t.Fatal(err)
	}
	a := open(t, killed, name)
	if !errors.Is(a.Damage(), io.ErrUnexpectedEOF) || a.URLs() != 1 {
		t.Errorf("%d URLs, damage %v", a.URLs(), a.Damage())
	}
	w = create(t, killed, name, archive.Options{})
	finish(t, start(t, w.Record(noises), second))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, killed, name, small, second)
}

// A large resource that is not read to its end is truncated in the archive.
func TestGrowsPart(t *testing.T) { inBothFormats(t, testGrowsPart) }

func testGrowsPart(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	if err := start(t, engine, first).Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := open(t, root, name)
	if got, _, err := get(t, a, small); got != string(noise(3, 100)) || err != nil {
		t.Errorf("the other resource: %d bytes, %v", len(got), err)
	}
	got, _, err := get(t, a, first)
	if !errors.Is(err, io.ErrUnexpectedEOF) || got != string(noise(1, large))[:len(got)] || len(got) < large/2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// An archive that is closed while a resource arrives has whole records only. The access
// fails.
func TestGrowsClosed(t *testing.T) { inBothFormats(t, testGrowsClosed) }

func testGrowsClosed(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	body := start(t, engine, first)
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	other := start(t, engine, second)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range []io.ReadCloser{body, other} {
		if _, err := io.Copy(io.Discard, b); err == nil {
			t.Errorf("%v: no error, though the archive is closed", b)
		}
		b.Close()
	}
	holds(t, root, name, small)
}

// Files follow one another also where resources are large.
func TestGrowsRotated(t *testing.T) { inBothFormats(t, testGrowsRotated) }

func testGrowsRotated(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{MaxSize: medium / 2})
	engine := w.Record(noises)
	for _, u := range []string{firstMedium, secondMedium, small} {
		if _, _, err := get(t, engine, u); err != nil {
			t.Fatalf("%q: %v", u, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, name, firstMedium, secondMedium, small)
	for _, name := range []string{"a-00001" + name[1:], "a-00002" + name[1:]} {
		records(t, root, name)
	}
}

// Many large resources arrive at once, and the index of the Writer matches the files.
func TestGrowsTogether(t *testing.T) { inBothFormats(t, testGrowsTogether) }

func testGrowsTogether(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	var all sync.WaitGroup
	var urls []string
	for i := range 4 {
		for j, n := range []int{100, 400_000, 70_000, 800_000} {
			urls = append(urls, fmt.Sprintf("gopher://h/%d-%d", 10*i+j, n))
		}
		mine := urls[4*i:]
		all.Go(func() {
			for _, u := range mine {
				if _, _, err := get(t, engine, u); err != nil {
					t.Errorf("%v: %v", u, err)
				}
			}
		})
	}
	all.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, name, urls...)
	var made bytes.Buffer
	if err := archive.WriteCDXJ(&made, root, name); err != nil {
		t.Fatal(err)
	}
	if written, err := root.ReadFile("a.cdxj"); err != nil || made.String() != string(written) {
		t.Errorf("the index beside the archive is\n%s\nmade anew it is\n%s%v", written, made.String(), err)
	}
}

// A URL that is too long for the fields of a growing record is recorded, too.
func TestGrowsLongURL(t *testing.T) { inBothFormats(t, testGrowsLongURL) }

func testGrowsLongURL(t *testing.T, name string) {
	for _, length := range []int{1000, 32_000} {
		root := folder(t)
		w := create(t, root, name, archive.Options{})
		long := firstMedium + "?" + strings.Repeat("x", length)
		finish(t, start(t, w.Record(noises), long))
		if err := w.Close(); err != nil {
			t.Fatalf("length %d: %v", length, err)
		}
		holds(t, root, name, long)
	}
}

// The header of a revisit may be long and incompressible.
func TestRevisitOfLongHeader(t *testing.T) {
	text := fmt.Sprintf("%x", noise(1, 100_000))
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", text)
		fmt.Fprint(w, "the same")
	})
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	for _, path := range []string{"/1", "/2"} {
		if body, _, err := get(t, w.Record(s.engine), s.URL+path); body != "the same" || err != nil {
			t.Fatalf("%s: %q, %v", path, body, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if body, _, err := get(t, open(t, s.root, "a.warc.gz"), s.URL+"/2"); body != "the same" || err != nil {
		t.Errorf("from the archive: %q, %v", body, err)
	}
}
