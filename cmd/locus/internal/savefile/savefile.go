// Package savefile replaces files whole: it writes the new content to a temporary file beside the
// old file, and then renames the temporary file.
package savefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrFolder is wrapped by the error for the name of a folder.
var ErrFolder = errors.New("it is a folder")

// Write replaces the content of the file name, or makes the file. It calls write once, with a
// Writer for the new content. If write or the file system fails, Write leaves the old file
// unchanged and removes the temporary file. The file gets the permissions of a new file. If name is
// a symbolic link, Write replaces the target of the link. It writes directly to a file that is not
// regular, such as /dev/null or a named pipe. Errors show name, not the name of the temporary file.
func Write(name string, write func(io.Writer) error) error { return save(name, write, os.Rename) }

// Check returns an error if Write would probably fail, because the folder does not exist or is not
// writable. It does not change the file, but makes and removes a temporary file in the folder.
func Check(name string) error {
	if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	return save(name, func(io.Writer) error { return nil }, func(temporary, _ string) error { return os.Remove(temporary) })
}

// save implements Write, but calls finish with the names of the complete temporary file and of the
// file to replace. finish must rename or remove the temporary file. A device or a pipe is written
// directly, and finish is not called.
func save(name string, write func(io.Writer) error, finish func(temporary, name string) error) error {
	target := name
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("write %q: %w", name, ErrFolder)
	case !info.Mode().IsRegular():
		return fill(name, os.O_WRONLY, write)
	default:
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	temporary := filepath.Join(filepath.Dir(target), ".locus-"+rand.Text())
	err = fill(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write)
	if err == nil {
		err = finish(temporary, target)
	}
	if err == nil {
		return nil
	}
	os.Remove(temporary)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && pathErr.Path == temporary {
		pathErr.Path = name
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok && linkErr.Old == temporary {
		return &fs.PathError{Op: "replace", Path: name, Err: linkErr.Err}
	}
	return err
}

// fill opens the file name with flag, calls write with it, and closes it. It returns the first
// error.
func fill(name string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return err
	}
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
