package archive_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"locus/archive"
)

// On a full disk an access fails, and the archive has whole records only. When there is
// room it goes on.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=3m,mode=777"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	root := folderAt(t, disk)
	w := create(t, root, "a.warc.gz", archive.Options{})
	engine := w.Record(noises)
	if _, _, err := get(t, engine, small); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := get(t, engine, first); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("on a full disk: %v", err)
		}
	}
	if got, _, err := get(t, engine, "gopher://h/5-1000000"); err != nil {
		t.Errorf("what has room: %d bytes, %v", len(got), err)
	}
	// A resource begins at the end of the archive, and must make room for another one.
	body := start(t, engine, "gopher://h/7-2500000")
	if _, _, err := get(t, engine, "gopher://h/6-90000"); err != nil {
		t.Errorf("beside a large one: %v", err)
	}
	if _, err := io.Copy(io.Discard, body); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a resource that has no room beside the archive: %v", err)
	}
	body.Close()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=12m"); err != nil {
		t.Fatal(err)
	}
	finish(t, start(t, engine, first))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, root, small, "gopher://h/5-1000000", "gopher://h/6-90000", first)
}
