package killtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/demo"
	"locus/internal/peers"
)

// A mirror that is killed and run again many times produces a tree that is identical to the source.
// At no time does a file have its final name before it is complete.
func TestKilledMirror(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	if err := os.Chmod(source, 0o755); err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{1})
	for i := range 60 {
		name := filepath.Join(source, fmt.Sprintf("dir%d", i%7), "deep", fmt.Sprintf("file %d", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 1<<(i%22))
		random.Read(text)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen, Files: os.DirFS(source)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	web := httptest.NewServer(http.FileServer(http.Dir(source)))
	t.Cleanup(web.Close)
	urls := map[string]func(*testing.T) string{
		"http":   func(*testing.T) string { return web.URL + "/" },
		"vsftpd": func(t *testing.T) string { return "ftp://" + peers.VSFTPD(t, source).Addr + "/" },
	}
	for _, s := range d.Services() {
		if s.Scheme == "ftp" {
			urls["ftp"] = func(*testing.T) string { return s.URL }
		}
	}
	for name, start := range urls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killMirror(t, start(t), source)
		})
	}
}

func killMirror(t *testing.T, u, source string) {
	dir, whole := t.TempDir(), tree(t, source)
	args := []string{"mirror", "--per-host", "3", "--limit-rate", "40M", u, dir}
	for wait := 3 * time.Millisecond; ; wait = wait * 3 / 2 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		out, err := process(ctx, args...).CombinedOutput() // the process is killed when ctx ends
		killed := ctx.Err() != nil
		cancel()
		for name, text := range tree(t, dir) {
			want, ok := whole[name]
			if !ok || text != want {
				t.Fatalf("after %v, %q has %d bytes, want %d", wait, name, text.size, want.size)
			}
		}
		if err == nil {
			break
		}
		if !killed {
			t.Fatalf("locus %q: %v\n%s", args, err, out)
		}
	}
	if out, err := exec.Command("diff", "-r", source, dir).CombinedOutput(); err != nil {
		t.Errorf("diff -r: %v\n%s", err, out)
	}
	out, err := process(t.Context(), append(args, "--json")...).Output()
	if err != nil || strings.Contains(string(out), `"event":"done"`) {
		t.Errorf("a mirror of a complete copy fetches files again: %v\n%s", err, out)
	}
}

// A content describes the content of a file. The file is read in pieces, because the race detector
// makes a large buffer expensive.
type content struct {
	size int64
	sum  [sha256.Size]byte
}

// tree returns the complete files below a folder.
func tree(t *testing.T, dir string) map[string]content {
	t.Helper()
	files, piece := make(map[string]content), make([]byte, pieceSize)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".locus-mirror":
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		hash := sha256.New()
		var c content
		c.size, err = readPieces(filepath.Join(dir, name), piece, func(p []byte) { hash.Write(p) })
		hash.Sum(c.sum[:0])
		files[name] = c
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const pieceSize = 64 << 10

// readPieces reads a file into piece, piece after piece, and calls do for each. It returns the size
// of the file.
func readPieces(name string, piece []byte, do func([]byte)) (size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for {
		n, err := f.Read(piece)
		size += int64(n)
		do(piece[:n])
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}
