package download

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/transfer"
	"locus/url"
)

// newFetcher returns a Fetcher in a new folder, and the folder. Stderr of the Fetcher is the file
// "stderr" in it.
func newFetcher(t *testing.T, o cli.Files) (*Fetcher, string) {
	t.Helper()
	dir := t.TempDir()
	var files [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	e := cli.NewEnv(nil, files[0], files[1])
	e.Dir = dir
	client, err := e.Client(cli.Access{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(e, client, o, 0), dir
}

// Fetch gets a file from the first place that works. It reports files that fail, and fetches the
// others.
func TestFetch(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		f, dir := newFetcher(t, cli.Files{Jobs: jobs})
		if err := os.WriteFile(filepath.Join(dir, "text"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		there, none := f.env.FileURL("text"), f.env.FileURL("none")
		digest, err := transfer.ParseDigest(strings.Repeat("0", 64))
		if err != nil {
			t.Fatal(err)
		}
		files := []File{
			{File: transfer.File{URL: there, Name: "whole"}},
			{File: transfer.File{URL: none, Name: "other", Others: []url.URL{none, there}}},
			{File: transfer.File{URL: none, Name: "missing"}},
			{File: transfer.File{URL: there, Name: "wrong", Digest: digest}},
			{File: transfer.File{URL: there, Name: "short", Size: 3}},
			{File: transfer.File{Name: "bad"}, Err: errors.New("it cannot be read")},
		}
		if err := f.Fetch(t.Context(), root, slices.Values(files)); !errors.Is(err, cli.ErrReported) {
			t.Errorf("Fetch with %d jobs = %v, want cli.ErrReported", jobs, err)
		}
		for _, file := range files {
			text, _ := os.ReadFile(filepath.Join(dir, file.Name))
			if want := map[string]string{"whole": "text", "other": "text"}[file.Name]; string(text) != want {
				t.Errorf("Fetch writes %s with %q, want %q", file.Name, text, want)
			}
		}
		said, _ := os.ReadFile(filepath.Join(dir, "stderr"))
		for _, want := range []string{"no such file or directory; trying " + there.String(), "the digest does not match", "it cannot be read"} {
			if !strings.Contains(string(said), want) {
				t.Errorf("Fetch says %q, want %q", said, want)
			}
		}
	}
}

// If a file cannot be written on this machine, Fetch does not try another place.
func TestFetchLocalFailure(t *testing.T) {
	f, dir := newFetcher(t, cli.Files{})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	there := f.env.FileURL("text")
	file := File{File: transfer.File{URL: there, Name: "folder", Others: []url.URL{there, there}}}
	if err := f.Fetch(t.Context(), root, slices.Values([]File{file})); !errors.Is(err, cli.ErrReported) {
		t.Errorf("Fetch = %v, want cli.ErrReported", err)
	}
	said, err := os.ReadFile(filepath.Join(dir, "stderr"))
	if err != nil || strings.Contains(string(said), "trying") || strings.Count(string(said), "it is a folder") != 1 {
		t.Errorf("Fetch says %q, %v, want once that it is a directory", said, err)
	}
}

// If a URL takes longer than the user allows, JSON and stderr have the same sentence.
func TestFetchTimeout(t *testing.T) {
	f, dir := newFetcher(t, cli.Files{JSON: true})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f.timeout = 10 * time.Millisecond
	f.engine = access.GetFunc(func(ctx context.Context, _ *access.Request) (*access.Resource, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	files := slices.Values([]File{{File: transfer.File{URL: url.MustParse("http://h/a"), Name: "a"}}})
	if err := f.Fetch(t.Context(), root, files); !errors.Is(err, cli.ErrReported) {
		t.Errorf("Fetch = %v, want cli.ErrReported", err)
	}
	const want = "http://h/a: timed out after 10ms"
	for _, name := range []string{"stdout", "stderr"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("Fetch writes %q, %v, to %s, want %q", text, err, name, want)
		}
	}
}

// After an interrupt Fetch fetches no more files, and returns cli.ErrInterrupted.
func TestFetchInterrupted(t *testing.T) {
	f, dir := newFetcher(t, cli.Files{})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	files := slices.Values([]File{{File: transfer.File{URL: f.env.FileURL("stdout"), Name: "copy"}}})
	if err := f.Fetch(ctx, root, files); !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("Fetch = %v, want cli.ErrInterrupted", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "copy")); err == nil {
		t.Error("Fetch fetched a file after the interrupt")
	}
}
