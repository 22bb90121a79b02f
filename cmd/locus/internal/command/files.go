package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"locus/cmd/locus/internal/console"
	"locus/cmd/locus/internal/savefile"
)

// Path returns the path of a file that the user named: a relative name starts in Dir. It keeps a separator at the
// end. It returns "" for "".
func (e *Env) Path(name string) string {
	if e.Dir == "" || name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name) + trailingSeparator(name)
}

// trailingSeparator returns the path separator at the end of name, which must not be empty. It returns "" if name does
// not end in a separator.
func trailingSeparator(name string) string {
	if os.IsPathSeparator(name[len(name)-1]) {
		return name[len(name)-1:]
	}
	return ""
}

// Abs returns the absolute path of a file that the user named.
func (e *Env) Abs(name string) (string, error) { return filepath.Abs(e.Path(name)) }

// Short returns the path of name relative to the current folder, if name, an absolute path, is in that folder.
// Otherwise it returns name.
func (e *Env) Short(name string) string {
	here, err := e.Abs(".")
	if err != nil {
		return name
	}
	if short, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(short) {
		return short
	}
	return name
}

// Open opens a file that the user named, to read it. The caller closes it. As with the
// methods below, an error has the name as it was typed.
func (e *Env) Open(name string) (*os.File, error) {
	f, err := os.Open(e.Path(name))
	return f, e.AsTyped(name, err)
}

// OpenUntil opens a file that the user named, to read it. If ctx ends while it waits for a program that writes to a
// pipe, it returns ErrInterrupted, or the error of a ctx that has expired. A pipe that is open is closed when ctx ends,
// and its Read fails.
func (e *Env) OpenUntil(ctx context.Context, name string) (*os.File, error) {
	if info, err := e.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return e.Open(name)
	}
	f, err := console.Await(ctx, func() (*os.File, error) { return e.Open(name) })
	switch {
	case err == nil:
		context.AfterFunc(ctx, func() { f.Close() })
	case errors.Is(err, context.Canceled):
		err = ErrInterrupted
	}
	return f, err
}

// Stat returns os.Stat of a file that the user named.
func (e *Env) Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(e.Path(name))
	return info, e.AsTyped(name, err)
}

// ReadFile returns the content of a file that the user named.
func (e *Env) ReadFile(name string) ([]byte, error) {
	text, err := os.ReadFile(e.Path(name))
	return text, e.AsTyped(name, err)
}

// OpenRoot opens a folder that the user named. The caller closes it.
func (e *Env) OpenRoot(name string) (*os.Root, error) {
	root, err := os.OpenRoot(e.Path(name))
	return root, e.AsTyped(name, err)
}

// MakeRoot makes a folder that the user named, if it is not there, and opens it. The caller
// closes it.
func (e *Env) MakeRoot(name string, mode fs.FileMode) (*os.Root, error) {
	if err := os.MkdirAll(e.Path(name), mode); err != nil {
		return nil, e.AsTyped(name, err)
	}
	return e.OpenRoot(name)
}

// AsTyped replaces Path(name) with name, as the user typed it, in err, an error about that file. It
// returns other errors, and nil, unchanged.
func (e *Env) AsTyped(name string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && pathErr.Path == e.Path(name) {
		pathErr.Path = name
	}
	return err
}

// An Input is a file that the user named, or stdin.
type Input struct {
	*os.File
	Info fs.FileInfo // of the file; nil for stdin
}

// OpenInput opens a file that the user named, or stdin for "-". A folder is an error. The
// caller closes it. The end of ctx also ends the wait for a pipe: see [Env.OpenUntil].
func (e *Env) OpenInput(ctx context.Context, name string) (*Input, error) {
	if name == "-" {
		return &Input{File: e.Stdin}, nil
	}
	f, err := e.OpenUntil(ctx, name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%q is a folder", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Input{f, info}, nil
}

// Close closes the file. It leaves stdin open.
func (in *Input) Close() error {
	if in.Info == nil {
		return nil
	}
	return in.File.Close()
}

// SaveAs calls write to fill a file that the user named. The file gets its name when it is complete: see
// savefile.Write.
func (e *Env) SaveAs(name string, write func(io.Writer) error) error {
	return e.saveError(name, savefile.Write(e.Path(name), write))
}

// SaveText writes a text to the file name. The file gets its name when it is complete: see savefile.Write.
func (e *Env) SaveText(name, text string) error {
	return e.SaveAs(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// CanSave returns an error if SaveAs would probably fail. It does not change the file.
func (e *Env) CanSave(name string) error { return e.saveError(name, savefile.Check(e.Path(name))) }

// saveError returns err, an error of saving the file name, with the name that the user typed. It returns nil for nil.
func (e *Env) saveError(name string, err error) error {
	if errors.Is(err, savefile.ErrFolder) {
		return fmt.Errorf("write %q: %w", name, savefile.ErrFolder)
	}
	return e.AsTyped(name, err)
}
