package mail

import (
	"io/fs"
	"syscall"
)

// changeTime returns the time at which a directory last changed, in nanoseconds since 1970; 0 if info
// does not have that time. It differs from the time of modification, which programs that copy
// directories set back.
func changeTime(info fs.FileInfo) int64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return stat.Ctim.Nano()
}
