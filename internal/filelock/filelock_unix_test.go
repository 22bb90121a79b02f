//go:build unix

package filelock_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"locus/internal/filelock"
)

// The lock ends although another process has the descriptor, because a process that was just
// started has it for a moment.
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
