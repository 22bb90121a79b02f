package sync

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

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
