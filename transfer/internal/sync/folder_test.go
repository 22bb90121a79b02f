package sync

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// A mirror whose folder is gone before it is opened reports fetch.ErrBusy.
func TestMirrorFolderGone(t *testing.T) {
	root, _ := tempRoot(t)
	m := &folder{root: root}
	defer m.state.close()
	if err := m.state.open(m.root); !errors.Is(err, fetch.ErrBusy) {
		t.Errorf("before the folder is opened: %v, want %v", err, fetch.ErrBusy)
	}
}

// A directory that cannot be read does not count as empty.
func TestIsEmpty(t *testing.T) {
	root, name := tempRoot(t)
	fill(t, name, map[string]string{"empty/": "", "own/" + tree.StateDir + "/": "", "both/" + tree.StateDir + "/": "", "both/a": "1", "file/a": "1"})
	m := &folder{root: root}
	for dir, want := range map[string]bool{"empty": true, "own": true, "both": false, "file": false, "file/a": false, "none": false, ".": false} {
		if got := m.isEmpty(dir); got != want {
			t.Errorf("isEmpty of %q = %t, want %t", dir, got, want)
		}
	}
	root.Close()
	if m.isEmpty("empty") {
		t.Error("a directory that cannot be opened is said to be empty")
	}
}

// An error of making a directory names its whole path in the copy.
func TestMkdirError(t *testing.T) {
	root, _ := tempRoot(t)
	m := &folder{root: root}
	name := "a/b/" + strings.Repeat("x", 1000) // longer than names may be
	err := m.mkdir(name + "/c")
	if e, ok := errors.AsType[*fs.PathError](err); !ok || e.Path != name {
		t.Errorf("mkdir = %v, want an error with the path a/b/xxx…", err)
	}
}
