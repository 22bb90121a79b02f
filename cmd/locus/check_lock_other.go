//go:build !unix

package main

import "os"

// lockFile opens a file. Here nothing keeps two processes from that.
func lockFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
