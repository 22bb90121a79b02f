package filelock_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"locus/internal/filelock"
)

// TestMain tries to lock a file if the environment names one, and exits with the result.
func TestMain(m *testing.M) {
	if os.Getenv("LOCUS_HOLD_FILE") != "" { // until the test closes stdin
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	name := os.Getenv("LOCUS_TRY_LOCK")
	if name == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	switch {
	case err != nil:
		os.Exit(1)
	case errors.Is(filelock.Try(f), filelock.ErrLocked):
		os.Exit(locked)
	}
}

// locked is the exit status of a process that finds the file locked.
const locked = 7

// tryElsewhere reports whether another process finds the file locked.
func tryElsewhere(t *testing.T, name string) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "LOCUS_TRY_LOCK="+name)
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == locked {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	return false
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// A locked file cannot be locked again, in this process or in another one, until it is
// closed.
func TestTry(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f := open(t, name)
	if err := filelock.Try(f); err != nil {
		t.Fatal(err)
	}
	second := open(t, name)
	if err := filelock.Try(second); !errors.Is(err, filelock.ErrLocked) {
		t.Errorf("a second lock: %v, want %v", err, filelock.ErrLocked)
	}
	if !tryElsewhere(t, name) {
		t.Error("another process locks the file, too")
	}
	f.Close()
	if tryElsewhere(t, name) {
		t.Error("the file is locked after it was closed")
	}
	if err := filelock.Try(second); err != nil {
		t.Errorf("after it was closed: %v", err)
	}
}

// A lock does not keep others from reading and writing.
func TestTryContent(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f := open(t, name)
	if err := filelock.Try(f); err != nil {
		t.Fatal(err)
	}
	other := open(t, name)
	if _, err := other.WriteString("text"); err != nil {
		t.Error(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// A lock lasts as long as the result of Dup, even if the file is closed and renamed.
func TestDup(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := root.OpenFile("part", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := filelock.Try(f); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.Dup(f)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := root.Rename("part", "whole"); err != nil {
		t.Error(err)
	}
	name := filepath.Join(dir, "whole")
	if !tryElsewhere(t, name) {
		t.Error("the lock ended with the file")
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	if tryElsewhere(t, name) {
		t.Error("the lock did not end")
	}
}
