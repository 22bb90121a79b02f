//go:build linux || darwin

package sync

import (
	"os"
	"syscall"
)

// FreeSpace returns how many bytes this user can write below root. ok is false if the system
// does not tell.
func FreeSpace(root *os.Root) (n int64, ok bool) {
	dir, err := root.Open(".")
	if err != nil {
		return 0, false
	}
	defer dir.Close()
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(dir.Fd()), &disk); err != nil || disk.Blocks == 0 {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true //nolint:unconvert // the type of Bsize differs
}
