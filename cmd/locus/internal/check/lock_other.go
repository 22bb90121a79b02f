//go:build !unix

package check

import "os"

// lockFile opens a file. On this system it does not lock it.
func lockFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
