package sync

import (
	"errors"
	"testing"

	"locus/access"
	"locus/url"
)

// A fuse panics when it is read.
type fuse struct{}

func (fuse) Read([]byte) (int, error) { panic("in Read") }

func (fuse) Next() (access.Entry, error) { panic("in Next") }

// A panic while a page is read for its links ends the transfer of that page only.
func TestInspectPanic(t *testing.T) {
	root, _ := tempRoot(t)
	m := newCrawl(newMirror(MirrorOptions{}, remote{tree: mustTree(t, "http://h/")}, root))
	keep, err := m.inspect(task{}, fuse{}, url.MustParse("http://h/"), "index.html", "text/html")
	if _, ok := errors.AsType[*access.PanicError](err); !ok || keep {
		t.Errorf("inspect = %t, %v, want an *access.PanicError", keep, err)
	}
}
