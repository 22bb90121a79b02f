//go:build unix

package filelock_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"locus/internal/filelock"
)

// The lock ends although another process has the descriptor, because a process that was just
// started has it for a moment.
func TestCloseInherited(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f := open(t, name)
	if err := filelock.Try(f); err != nil {
		t.Fatalf("Try = %v, want nil", err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "LOCUS_HOLD_FILE=1")
	child.ExtraFiles = []*os.File{f}
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatalf("making a pipe: %v", err)
	}
	if err := child.Start(); err != nil {
		t.Fatalf("starting a process: %v", err)
	}
	if err := filelock.Close(f); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
	if tryElsewhere(t, name) {
		t.Error("the file is locked after Close")
	}
	if err := filelock.Close(f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a second Close = %v, want os.ErrClosed", err)
	}
	stdin.Close()
	if err := child.Wait(); err != nil {
		t.Errorf("the process ended with %v, want nil", err)
	}
}

// The lock of a Dup ends in the same way.
func TestDupInherited(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f := open(t, name)
	if err := filelock.Try(f); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.Dup(f)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "LOCUS_HOLD_FILE=1")
	child.ExtraFiles = []*os.File{f}
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if !tryElsewhere(t, name) {
		t.Error("the lock ended with the file")
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	if tryElsewhere(t, name) {
		t.Error("the lock did not end")
	}
	stdin.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
}
