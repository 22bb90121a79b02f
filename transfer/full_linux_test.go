package transfer

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"locus"
	"locus/access"
	"locus/internal/peers"
	"locus/url"
)

// On a full disk the files that fit are whole, the others are reported, and nothing else is
// left. vsftpd does not say that the disk is full. When there is room the same Send completes the tree.
func TestSendFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	files := map[string]string{"a": noise(100 << 10), "big": noise(900 << 10), "c": noise(50 << 10)}
	for _, server := range []targetServer{{name: "file"}, {name: "vsftpd", start: peers.VSFTPD, url: "ftp://@@/disk"}} {
		t.Run(server.name, func(t *testing.T) {
			_, root := folder(t)
			disk := filepath.Join(root, "disk")
			check(t, os.Mkdir(disk, 0o777))
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=512k,mode=777"); err != nil {
				t.Skipf("mount: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
			d := deployFiles(t, files)
			d.target = disk
			diskRoot, err := os.OpenRoot(disk)
			check(t, err)
			t.Cleanup(func() { diskRoot.Close() })
			d.to = Place{Engine: &locus.Client{Root: diskRoot}, URL: url.MustParse("file:///")}
			if server.start != nil {
				d.to = clientPlace(t, server, server.start(t, root))
			}
			report, log := d.sendOnce(t, SendOptions{Jobs: 1, Delete: true})
			if failed := log.of(Failed); report.Failed != 1 || len(failed) != 1 || failed[0].Name != "big" || server.start == nil && !isFull(failed[0].Err) {
				t.Errorf("Send = %+v, %v, want that the disk is full for big", report, failed)
			}
			some := maps.Clone(files)
			delete(some, "big")
			compareTrees(t, contents(t, disk), some)
			check(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=4m"))
			d.send(t, SendOptions{}, 1, 2, 0)
			compareTrees(t, contents(t, disk), files)
		})
	}
}

func isFull(err error) bool {
	return errors.Is(err, access.ErrFull) || errors.Is(err, syscall.ENOSPC)
}

// A tree without an end does not fill the disk. What is here already does not count, nor do
// parts of files.
func TestMirrorLeavesSpace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	root, err := os.OpenRoot(disk)
	check(t, err)
	t.Cleanup(func() { root.Close() })
	_, err = Mirror(t.Context(), bottomless(false), url.MustParse("ftp://h/"), root, MirrorOptions{MaxEntries: 1 << 14, Options: Options{Retry: never}})
	if !errors.Is(err, ErrTooManyBytes) || !strings.Contains(err.Error(), "nine tenths") {
		t.Errorf("Mirror = %v, want ErrTooManyBytes", err)
	}
	if free, ok := freeSpace(root); !ok || free == 0 || free > 3<<20 {
		t.Errorf("%d bytes are free, %v", free, ok)
	}
	check(t, os.RemoveAll(disk+"/f0"))

	s := &shelf{files: map[string]string{"a": noise(2 << 20)}}
	check(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	for range 3 {
		if _, err := Mirror(t.Context(), s, url.MustParse("ftp://h/"), root, MirrorOptions{}); err != nil {
			t.Error(err)
		}
		check(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=7m")) // most of it is taken
	}
	fill(t, disk, map[string]string{stateDir + "/half" + partSuffix: noise(1 << 20)})
	if n := partBytes(root); n != 1<<20 {
		t.Errorf("the parts have %d bytes, want %d", n, 1<<20)
	}
}
