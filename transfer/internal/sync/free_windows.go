package sync

import (
	"os"

	"golang.org/x/sys/windows"
)

// FreeSpace returns how many bytes this user can write below root. ok is false if the system
// does not tell.
func FreeSpace(root *os.Root) (n int64, ok bool) {
	name, err := windows.UTF16PtrFromString(root.Name())
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, false
	}
	return int64(min(free, 1<<62)), true
}
