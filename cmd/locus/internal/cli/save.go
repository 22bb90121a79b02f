package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// SaveAs calls write to fill the file name. It writes a temporary file beside it, and
// renames that when it is complete. After an error the old file is unchanged. A file that
// is not regular, such as /dev/null or a named pipe, is written directly.
func (e *Env) SaveAs(name string, write func(io.Writer) error) error {
	return e.save(name, write, os.Rename)
}

// SaveText writes a text to the file name, as SaveAs does.
func (e *Env) SaveText(name, text string) error {
	return e.SaveAs(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// CanSave returns an error if SaveAs would probably fail. It does not change the file.
func (e *Env) CanSave(name string) error {
	if info, err := e.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	return e.save(name, func(io.Writer) error { return nil }, func(temporary, _ string) error { return os.Remove(temporary) })
}

// save is SaveAs. finish renames the complete file.
func (e *Env) save(name string, write func(io.Writer) error, finish func(temporary, name string) error) error {
	asked := name
	info, err := e.Stat(name)
	name = e.Path(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("write %q: it is a directory", asked)
	case !info.Mode().IsRegular():
		return e.asNamed(asked, fillFile(name, os.O_WRONLY, write))
	default:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	temporary := filepath.Join(filepath.Dir(name), ".locus-"+rand.Text())
	err = fillFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write)
	if err == nil {
		err = finish(temporary, name)
	}
	if err == nil {
		return nil
	}
	os.Remove(temporary)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && pathErr.Path == temporary {
		pathErr.Path = asked
	}
	return err
}

// fillFile opens a file, calls write to fill it, and closes it.
func fillFile(name string, flag int, write func(io.Writer) error) error {
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
