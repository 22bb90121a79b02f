//go:build !unix

package file

import (
	"io/fs"
	"os"
)

// nonblock is 0, so that opening a pipe may block.
const nonblock = 0

// forbiddenBytes are not allowed in a file name. A colon would separate the name
// of a drive or a stream. os.Root refuses the names of devices.
const forbiddenBytes = "/\\:\x00"

// keepOwner has no effect, so a new file belongs to its creator.
func keepOwner(*os.File, fs.FileInfo) {}

// syncDir returns nil without an effect, because a directory cannot be opened
// on these systems.
func syncDir(*os.Root, string) error { return nil }
