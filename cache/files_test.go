//go:build unix

package cache

import (
	"syscall"
	"testing"
)

// A process with too many open files does not lose stored resources.
func TestTooManyFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, folderIn(t, dir, 0), "1", "text")
	f := folderIn(t, dir, 0)
	var usual syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &usual); err != nil {
		t.Fatal(err)
	}
	without := func(do func()) {
		t.Helper()
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: usual.Max}); err != nil {
			t.Fatal(err)
		}
		do()
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &usual); err != nil {
			t.Fatal(err)
		}
	}
	without(func() {
		if _, ok := f.find("k"); ok {
			t.Error("it is found, though no file can be opened")
		}
	})
	stored, ok := f.find("k")
	if !ok {
		t.Fatal("it is gone after it was looked for")
	}
	without(func() {
		if _, err := f.body(stored, 0); err == nil {
			t.Error("it is opened, though no file can be")
		}
	})
	if got := storedIn(f, "k"); got != "text" {
		t.Errorf("it is %q after it was opened", got)
	}
}
