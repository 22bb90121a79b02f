//go:build !unix

package transfer

import (
	"io"
	"os"
)

// unpolled changes nothing here.
const unpolled = 0

// lock does nothing. A download still checks that the part has its name.
func lock(*os.Root, string, *os.File) (io.Closer, error) { return nil, nil }

// tryLock reports that there are no locks.
func tryLock(*os.Root, string, *os.File) (bool, error) { return false, nil }
