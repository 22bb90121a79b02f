//go:build !unix

package transfer

import "os"

// lock closes f: here a file that somebody has open is not removed.
func lock(_ *os.Root, _ string, f *os.File) (*os.File, error) { return nil, f.Close() }
