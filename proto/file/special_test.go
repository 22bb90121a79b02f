//go:build linux || darwin

package file

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"locus/access"
	"locus/url"
)

// Pipes, sockets and devices are refused without blocking.
func TestSpecialFiles(t *testing.T) {
	root, dir := tree(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the address of a socket must be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{"pipe", "socket"} {
		_, _, err := get(t, System{Root: root}, &access.Request{URL: url.MustParse("file:///" + name)})
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("opening a %s = %v, want errors.ErrUnsupported", name, err)
		}
	}
	top, err := os.OpenRoot("/")
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	_, _, err = get(t, System{Root: top}, &access.Request{URL: url.MustParse("file:///dev/null")})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("opening a device = %v, want errors.ErrUnsupported", err)
	}
}

// Files of size 0 that have content, as below /proc, are read to their end.
func TestProc(t *testing.T) {
	top, err := os.OpenRoot("/")
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	got, r, err := get(t, System{Root: top}, &access.Request{URL: url.MustParse("file:///proc/self/status")})
	if err != nil {
		t.Skipf("skipped: there is no /proc here: %v", err)
	}
	if got == "" || r.Size != -1 {
		t.Errorf("/proc/self/status has size %d and %d bytes, want -1 and some", r.Size, len(got))
	}
}
