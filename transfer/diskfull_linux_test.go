package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// smallDisk mounts a disk of that size, such as "512k", in a new folder below dir, and
// returns its name. Every account may write there.
func smallDisk(t *testing.T, dir, size string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("the system forbids it: only root can mount a small disk")
	}
	disk := filepath.Join(dir, "disk")
	check(t, os.Mkdir(disk, 0o777))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size+",mode=777"); err != nil {
		t.Skipf("the system forbids it: mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	return disk
}

// enlarge changes the size of a smallDisk.
func enlarge(t *testing.T, disk, size string) {
	t.Helper()
	check(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size))
}

// On a full disk a mirror stops, and says so once. It does not try all the files that are
// left. When there is room, the same call goes on.
func TestMirrorFullDisk(t *testing.T) {
	disk := smallDisk(t, t.TempDir(), "1m")
	root, err := os.OpenRoot(disk)
	check(t, err)
	t.Cleanup(func() { root.Close() })
	files := make(map[string]string)
	for i := range 50 {
		files[fmt.Sprintf("f%02d", i)] = noise(300 << 10)
	}
	s := &shelf{files: files}
	var asked atomic.Int64
	counted := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		asked.Add(1)
		return s.Do(ctx, req)
	})
	var log eventLog
	report, err := Mirror(t.Context(), counted, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Jobs: 1, Retry: never, Event: log.add}, MaxTotal: -1})
	if !errors.Is(err, ErrDiskFull) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "f0") {
		t.Errorf("Mirror = %v, want ErrDiskFull with the name of a file", err)
	}
	if n := asked.Load(); n > 8 {
		t.Errorf("it has asked for %d files", n)
	}
	if report.Files == 0 || report.Files > 3 || len(log.of(Failed)) > 0 {
		t.Errorf("Mirror = %+v, failed %v, want 2 or 3 files, and the failure in the error alone", report, log.of(Failed))
	}
	enlarge(t, disk, "32m")
	if _, err := Mirror(t.Context(), s, url.MustParse("ftp://h/"), root, MirrorOptions{MaxTotal: -1}); err != nil {
		t.Errorf("with room: %v", err)
	}
	compareTrees(t, contents(t, disk), files)
}

// An error of Get says whether it is one of this machine, so that no other place of the same
// file is tried.
func TestGetLocalErrors(t *testing.T) {
	disk := smallDisk(t, t.TempDir(), "64k")
	root, err := os.OpenRoot(disk)
	check(t, err)
	t.Cleanup(func() { root.Close() })
	check(t, os.Mkdir(filepath.Join(disk, "folder"), 0o777))
	s := &shelf{files: map[string]string{"large": noise(1 << 20), "small": "text"}}
	broken := access.GetFunc(func(context.Context, *access.Request) (*access.Resource, error) { return nil, errors.New("broken") })
	full := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) { // as of --warc
		return nil, engine.Fail("get", req.URL, fmt.Errorf("record: %w", syscall.ENOSPC))
	})
	digest, err := ParseDigest(strings.Repeat("0", 64))
	check(t, err)
	for _, test := range []struct {
		what    string
		engine  access.Engine
		from    string
		name    string
		options Options
		isLocal bool
		isFull  bool
	}{
		{what: "full", engine: s, from: "large", name: "a", isLocal: true, isFull: true},
		{what: "full for the archive", engine: full, from: "small", name: "a", isLocal: true, isFull: true},
		{what: "a folder", engine: s, from: "small", name: "folder", isLocal: true},
		{what: "below nothing", engine: s, from: "small", name: "none/a", isLocal: true},
		{what: "the server", engine: broken, from: "small", name: "b"},
		{what: "a wrong digest", engine: s, from: "small", name: "c", options: Options{Digest: digest}},
		{what: "a wrong size", engine: s, from: "small", name: "d", options: Options{Size: 5}},
	} {
		test.options.Retry = never
		_, err := Get(t.Context(), test.engine, &access.Request{URL: url.MustParse("ftp://h/" + test.from)}, root, test.name, test.options)
		if err == nil || errors.Is(err, ErrLocal) != test.isLocal || errors.Is(err, ErrDiskFull) != test.isFull {
			t.Errorf("%s: %v; local %v, want %v; full %v, want %v", test.what, err, errors.Is(err, ErrLocal), test.isLocal, errors.Is(err, ErrDiskFull), test.isFull)
		}
	}
}
