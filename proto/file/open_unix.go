//go:build unix

package file

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock keeps a pipe that took the place of a file from stalling its opening.
const nonblock = syscall.O_NONBLOCK

// never are the octets that no name of a file has.
const never = "/\x00"

// keepOwner gives f the owner and the group that info has, as far as whoever
// runs this may.
func keepOwner(f *os.File, info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}

// syncFolder sees that a name in a folder is on the disk.
func syncFolder(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	return f.Sync()
}
