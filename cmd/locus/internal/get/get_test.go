package get

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/urllist"
)

// newEnv returns an Env in a new folder, and the file that writes to its stdin.
func newEnv(t *testing.T) (e *cli.Env, typed *os.File) {
	t.Helper()
	stdin, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		typed.Close()
		out.Close()
	})
	e = cli.NewEnv(stdin, out, out)
	e.Dir = dir
	return e, typed
}

// An interrupt ends get while it waits for the URLs of --input.
func TestInputInterrupted(t *testing.T) {
	for _, o := range []Options{
		{Input: "-", Given: cli.Given{"input": true}},
		{Input: "-", RemoteName: true, Given: cli.Given{"input": true, "remote-name": true}},
	} {
		e, _ := newEnv(t)
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, e, o) }()
		select {
		case err := <-ended:
			if !errors.Is(err, cli.ErrInterrupted) {
				t.Errorf("Run(%+v) = %v, want %v", o.Given, err, cli.ErrInterrupted)
			}
		case <-time.After(time.Minute):
			t.Errorf("Run with %+v did not end after the interrupt", o.Given)
		}
	}
}

// Each file goes to --output-dir, even a part of a file.
func TestOutputDir(t *testing.T) {
	for _, offset := range []int64{0, 2} {
		e, _ := newEnv(t)
		if err := os.WriteFile(e.Path("text"), []byte("abcdef"), 0o666); err != nil {
			t.Fatal(err)
		}
		o := Options{
			URLs: []string{e.FileURL("text").String()}, Offset: offset,
			OutputDir: "new/dir", Given: cli.Given{"output-dir": true},
		}
		if err := Run(t.Context(), e, o); err != nil {
			t.Error(err)
		}
		got, err := e.ReadFile("new/dir/text")
		if want := "abcdef"[offset:]; err != nil || string(got) != want {
			t.Errorf("get --offset %d writes %q, %v, to new/dir/text, want %q", offset, got, err, want)
		}
	}
}

// A line of --input that is too long is an error that gives the limit.
func TestInputTooLong(t *testing.T) {
	e, typed := newEnv(t)
	var written sync.WaitGroup
	defer written.Wait()
	defer e.Stdin.Close()
	written.Go(func() {
		_, _ = typed.WriteString("http://h/" + strings.Repeat("a", urllist.MaxLine))
	})
	g := &getter{Env: e, Options: Options{Input: "-", Given: cli.Given{"input": true}}}
	urls, err := g.urls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for one := range urls {
		if want := `read "-": a line has more than 1048576 bytes`; one.err == nil || one.err.Error() != want {
			t.Errorf("urls: %v, want %s", one.err, want)
		}
	}
}
