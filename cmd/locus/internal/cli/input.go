package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// ArgumentURL parses an argument as a URL. ok is false if the argument is not a URL with a scheme. It is also false if
// the argument names a file that exists, or a file in a folder that the user may not search.
func (e *Env) ArgumentURL(arg string) (u url.URL, ok bool) {
	if _, err := e.Stat(arg); err == nil || errors.Is(err, fs.ErrPermission) {
		return u, false
	}
	u, err := url.Parse(arg)
	return u, err == nil && u.IsAbs()
}

// FileURL returns the file URL of a file that the user named; the zero URL if no file URL can name it.
func (e *Env) FileURL(name string) url.URL {
	full, err := e.Abs(name)
	if err != nil {
		return url.URL{}
	}
	view, err := scheme.LocalFile(runtime.GOOS, full)
	if err != nil {
		return url.URL{}
	}
	return view.URL()
}

// pathHint returns a hint with a file URL if the user has given the relative path of a file or folder that exists
// where a URL is wanted. It returns "" for other errors.
func (e *Env) pathHint(err error) string {
	var text string
	if failed, ok := errors.AsType[*access.Error](err); ok && errors.Is(err, access.ErrNoScheme) && !failed.URL.IsAbs() {
		text = failed.URL.String()
	} else if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		text = syntax.Text
	}
	if text == "" || filepath.IsAbs(text) { // see fileHint
		return ""
	}
	if _, err := e.Stat(text); err != nil {
		return ""
	}
	u := e.FileURL(text)
	if u.IsZero() {
		return ""
	}
	return "for the file or folder on this machine, write " + u.String()
}

// ParseBase parses the value of --base. It returns the zero URL if text is nil, because the flag is not given. A URL
// without a scheme is a UsageError.
func ParseBase(text *string) (url.URL, error) {
	if text == nil {
		return url.URL{}, nil
	}
	u, err := url.Parse(*text)
	if err != nil {
		return u, Explain(err)
	}
	if !u.IsAbs() {
		return u, Misuse("--base must be a URL with a scheme, not %q", *text)
	}
	return u, nil
}

// IsBinary reports whether the start of a file has a NUL byte, which text does not have.
func IsBinary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }
