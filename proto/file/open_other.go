//go:build !unix

package file

import (
	"io/fs"
	"os"
)

// nonblock is 0: opening a pipe may block here.
const nonblock = 0

// forbiddenBytes are not allowed in a file name. A colon would name a drive or
// a stream. os.Root refuses the names of devices.
const forbiddenBytes = "/\\:\x00"

// keepOwner does nothing: a new file belongs to its creator.
func keepOwner(*os.File, fs.FileInfo) {}

// syncFolder does nothing: a folder cannot be opened here.
func syncFolder(*os.Root, string) error { return nil }
