//go:build linux || darwin || freebsd

package upload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
)

// A named pipe is uploaded to its end, although the system gives its size as 0.
func TestPutPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, to := filepath.Join(dir, "pipe"), filepath.Join(dir, "to")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var written sync.WaitGroup
	defer written.Wait()
	written.Go(func() {
		if err := os.WriteFile(pipe, []byte("text"), 0o600); err != nil {
			t.Error(err)
		}
	})
	e := cli.NewEnv(os.Stdin, os.Stdout, os.Stderr)
	if err := Run(t.Context(), e, access.Put, []string{pipe, e.FileURL(to).String()}, cli.Access{}, Options{}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "text" {
		t.Errorf("put of a named pipe writes %q, %v, want %q", got, err, "text")
	}
}

// The pipe that a shell makes for <(command) is copied to its end.
func TestCopyPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pipe, to := fmt.Sprintf("/dev/fd/%d", r.Fd()), filepath.Join(t.TempDir(), "to")
	if _, err := os.Stat(pipe); err != nil {
		t.Skip("this system has no names for pipes: ", err)
	}
	e := cli.NewEnv(os.Stdin, os.Stdout, os.Stderr)
	if err := Copy(t.Context(), e, []string{pipe, to}, cli.Access{}, Options{}, 0); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "text" {
		t.Errorf("cp of a pipe writes %q, %v, want %q", got, err, "text")
	}
}

// An interrupt ends the wait for a pipe without a writer.
func TestPipeInterrupted(t *testing.T) {
	dir := t.TempDir()
	pipe, to := filepath.Join(dir, "pipe"), filepath.Join(dir, "to")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	e := cli.NewEnv(os.Stdin, os.Stdout, os.Stderr)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := Run(ctx, e, access.Put, []string{pipe, e.FileURL(to).String()}, cli.Access{}, Options{}); !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("put: %v, want %v", err, cli.ErrInterrupted)
	}
	if err := Copy(ctx, e, []string{pipe, to}, cli.Access{}, Options{}, 0); !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("cp: %v, want %v", err, cli.ErrInterrupted)
	}
}
