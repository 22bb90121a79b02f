package transfer

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"locus/access"
	"locus/internal/render"
	"locus/transfer/internal/tree"
	"locus/url"
)

// ErrNoFileName is wrapped by the errors of [FileName].
var ErrNoFileName = errors.New("no name for a file")

// FileName returns the name of a file for u: the last segment of its path. The segment is decoded if the decoded text
// can be the name of a file, and left as written otherwise. The type code of an ftp URL, and the type and the strings
// of Gopher+ in a gopher URL, are left out. The error wraps ErrNoFileName if the name is empty, begins with a dot
// (written or decoded), or is not possible on this system, because a server that chooses the URL of a file must not
// choose a hidden file or another folder.
func FileName(u url.URL) (string, error) {
	written := tree.LastSegment(u)
	decoded, err := url.Unescape(written)
	name := decoded
	if err != nil || !isFileName(decoded) {
		name = written
	}
	if u.IsZero() {
		return "", access.WithRemedy(&fileNameError{"an empty URL does not name a file"}, access.Advice("a URL starts with its scheme, as in https://example.org/"))
	}
	if strings.HasPrefix(decoded, ".") || strings.HasPrefix(name, ".") || !isFileName(name) {
		return "", &fileNameError{u.Redacted() + ": its end cannot be the name of a file"}
	}
	return name, nil
}

// A fileNameError wraps ErrNoFileName, and has its own text.
type fileNameError struct{ text string }

func (e *fileNameError) Error() string { return e.text }
func (e *fileNameError) Unwrap() error { return ErrNoFileName }

// isFileName reports whether name is the name of a file on this system: it is without separators,
// cannot lead to another folder, and can be shown on a terminal without escapes.
func isFileName(name string) bool {
	return filepath.IsLocal(name) && !strings.ContainsAny(name, "/"+string(filepath.Separator)) && render.Clean(name) == name
}

// FolderName returns the name of a local folder for everything below u: the last segment of its path, or else its host,
// followed by "_" and the port if u has one. On Windows a colon in the host becomes "%3A". It returns an error if
// neither can be the name of a folder, or if the name begins with a dot.
func FolderName(u url.URL) (string, error) {
	trimmed, err := u.With(url.Path, url.Some(strings.TrimRight(u.Path(), "/")))
	if err != nil {
		return "", err
	}
	if name, err := FileName(trimmed); err == nil {
		return name, nil
	}
	host, _ := u.Host()
	if port, ok := u.Port(); ok && port != "" {
		host += "_" + port
	}
	if runtime.GOOS == "windows" { // where no name has the colons of an IPv6 address
		host = strings.ReplaceAll(host, ":", "%3A")
	}
	if !isFileName(host) || strings.HasPrefix(host, ".") {
		return "", fmt.Errorf("%s: its end cannot be the name of a folder", u.Redacted())
	}
	return host, nil
}
