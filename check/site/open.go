package site

import (
	"fmt"
	"io/fs"
)

// openFile opens the named file, which may be behind a symbolic link. Everything else, such as a folder, a pipe and a
// device, is an error that wraps fs.ErrNotExist, because reading it may never end.
func openFile(files fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a file: %w", name, fs.ErrNotExist)
	}
	return files.Open(name)
}
