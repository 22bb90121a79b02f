//go:build unix

package file

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock prevents open from blocking on a pipe that has replaced a file.
const nonblock = syscall.O_NONBLOCK

// forbiddenBytes are not allowed in a file name.
const forbiddenBytes = "/\x00"

// keepOwner gives f the owner and group in info, if the system permits that.
func keepOwner(f *os.File, info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}

// syncDir writes the names in the directory name, relative to root, to the
// disk, so that a rename survives a crash. It returns nil if the directory
// cannot be opened.
func syncDir(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	return f.Sync()
}
