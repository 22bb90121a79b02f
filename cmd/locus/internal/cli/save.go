package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"locus/scheme"
	"locus/url"
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

// FileName returns the name of a file for u: the last segment of its path, decoded if
// that is a plain name, else as written. It returns an error for a name that is empty,
// begins with a dot (written or decoded), or is not possible on this system.
func FileName(u url.URL) (string, error) {
	written := lastSegment(u)
	decoded, err := url.Unescape(written)
	name := decoded
	if err != nil || !IsPlain(decoded) {
		name = written
	}
	if u.IsZero() {
		return "", &Hinted{errors.New("an empty URL names nothing"), "a whole URL starts with its scheme, as in https://example.org/"}
	}
	if strings.HasPrefix(decoded, ".") || strings.HasPrefix(name, ".") || !IsPlain(name) {
		return "", &Hinted{
			fmt.Errorf("%s: its end is no name for a file", u.Redacted()),
			"-o FILE names one",
		}
	}
	return name, nil
}

// lastSegment returns the part of the path after the last slash, as written. It leaves
// out the type code of an ftp URL, and uses only the selector of a gopher URL.
func lastSegment(u url.URL) string {
	path := u.Path()
	switch u.Scheme() {
	case "ftp", "ftps":
		if v, err := scheme.ParseFTP(u); err == nil && v.Type != "" {
			path = path[:strings.LastIndexByte(path, ';')]
		}
	case "gopher":
		path = selector(path)
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// selector returns the selector in the path of a gopher URL, as written: the part between
// the item type and the first tab.
func selector(path string) string {
	path, _, _ = strings.Cut(strings.TrimPrefix(path, "/"), "%09")
	if strings.HasPrefix(path, "%") {
		return path[len("%30"):]
	}
	return path[min(1, len(path)):]
}

// IsPlain reports whether name is the name of a file on this system, without separators
// and control characters.
func IsPlain(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, `/\`) && IsShown(name)
}
