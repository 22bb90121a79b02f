//go:build !unix

package file

import (
	"io/fs"
	"os"
)

// nonblock is for systems where opening a pipe stalls.
const nonblock = 0

// never are the octets that no name of a file has. A colon would name a drive
// or a stream; the names of devices are refused by os.Root.
const never = "/\\:\x00"

// keepOwner does nothing: a new file belongs to whoever makes it.
func keepOwner(*os.File, fs.FileInfo) {}

// syncFolder does nothing: folders cannot be opened to be synced.
func syncFolder(*os.Root, string) error { return nil }
