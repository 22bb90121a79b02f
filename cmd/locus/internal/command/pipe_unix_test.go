//go:build unix

package command

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Opening and reading a pipe end with the context.
func TestOpenPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	e := &Env{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := e.OpenInput(ctx, pipe); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("opening a pipe without a writer = %v, want %v", err, context.DeadlineExceeded)
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, err := e.OpenInput(interrupted, pipe); !errors.Is(err, ErrInterrupted) {
		t.Errorf("interrupted: %v, want %v", err, ErrInterrupted)
	}

	w, err := os.OpenFile(pipe, os.O_RDWR, 0) // opening for writing also ends the first open
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	in, err := e.OpenInput(ctx, pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	b := make([]byte, 4)
	if _, err := io.ReadFull(in, b); err != nil || string(b) != "text" {
		t.Errorf("reading the pipe = %q, %v", b, err)
	}
	cancel()
	if _, err := in.Read(b); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading after the end of the context = %v, want %v", err, os.ErrClosed)
	}
}
