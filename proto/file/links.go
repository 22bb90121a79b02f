package file

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxLinks limits the symbolic links in a name.
const maxLinks = 40

// mayBeAbsoluteLink reports whether err may be about an absolute symbolic link
// below "/". os.Root refuses all of those, but none can lead out of "/".
func (p location) mayBeAbsoluteLink(err error) bool {
	return err != nil && p.root.Name() == "/" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

func (p location) statResolved() (fs.FileInfo, error) {
	name, err := p.resolve()
	if err != nil {
		return nil, err
	}
	return p.root.Stat(name)
}

func (p location) openResolved() (*os.File, error) {
	name, err := p.resolve()
	if err != nil {
		return nil, err
	}
	return p.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}

// resolve returns the name of p without symbolic links. "/" means p.root.
func (p location) resolve() (string, error) {
	rest := strings.Split(p.name, "/")
	name := "."
	for links := 0; len(rest) > 0; {
		next := path.Join(name, rest[0])
		rest = rest[1:]
		if next == ".." || strings.HasPrefix(next, "../") {
			next = "." // the parent of "/" is "/"
		}
		info, err := p.root.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			name = next
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many symbolic links")
		}
		target, err := p.root.Readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			name = "."
		}
		rest = append(strings.Split(strings.Trim(target, "/"), "/"), rest...)
	}
	return name, nil
}
