package mail

import (
	"io/fs"
	"syscall"
)

// changeTime returns the time at which a directory last changed, in nanoseconds since 1970. It is not
// the time of modification, because programs that copy directories set the time of modification back.
func changeTime(info fs.FileInfo) int64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return stat.Ctim.Nano()
}
