//go:build unix

package fetch

import (
	"errors"
	"os"
	"testing"
)

// folder returns a folder as an os.Root, and its name.
func folder(t testing.TB) (*os.Root, string) {
	t.Helper()
	name := t.TempDir()
	root, err := os.OpenRoot(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, name
}

// A folder that was removed cannot be locked, even if there is a new one with its
// name.
func TestSeizeGone(t *testing.T) {
	root, _ := folder(t)
	if err := root.Mkdir("d", 0o777); err != nil {
		t.Fatal(err)
	}
	dir, err := root.Open("d")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := root.Remove("d"); err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(root, "d", dir); !errors.Is(err, ErrBusy) {
		t.Errorf("of a folder that is gone: %v, want %v", err, ErrBusy)
	}
	if err := root.Mkdir("d", 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(root, "d", dir); !errors.Is(err, ErrBusy) {
		t.Errorf("of a folder that is gone, where another is: %v, want %v", err, ErrBusy)
	}
}
