//go:build !linux && !darwin && !windows

package sync

import (
	"os"
)

// FreeSpace returns false, because this system does not tell how many bytes can be written.
func FreeSpace(*os.Root) (n int64, ok bool) { return 0, false }
