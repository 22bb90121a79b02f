package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"locus/archive"
)

// Close ends the lock of an archive, although a process that is being started has a copy of the
// descriptor for a moment.
func TestCloseInherited(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc", archive.Options{})
	name := filepath.Join(root.Name(), "a.warc")
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatalf("listing the descriptors: %v", err)
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err != nil || to != name {
			continue
		}
		fd, err := strconv.Atoi(filepath.Base(link))
		if err != nil {
			t.Fatalf("the descriptor %s: %v", link, err)
		}
		held, err := syscall.Dup(fd)
		if err != nil {
			t.Fatalf("copying the descriptor %d: %v", fd, err)
		}
		defer syscall.Close(held)
	}
	if _, err := archive.Create(root, "a.warc", archive.Options{}); !errors.Is(err, archive.ErrInUse) {
		t.Errorf("Create of an open archive = %v, want ErrInUse", err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("Close = %v, want nil", err)
	}
	again, err := archive.Create(root, "a.warc", archive.Options{})
	if err != nil {
		t.Fatalf("Create after Close = %v, want a Writer", err)
	}
	if err := again.Close(); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}
