//go:build !unix

package transfer

import (
	"io"
	"os"
)

// unpolled changes nothing here.
const unpolled = 0

// lock does nothing: here a file that somebody has open is not removed.
func lock(*os.Root, string, *os.File) (io.Closer, error) { return nil, nil }

// seize does nothing.
func seize(*os.Root, string, *os.File) (bool, error) { return false, nil }
