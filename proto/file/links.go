package file

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxLinks is how many symbolic links a name may lead through.
const maxLinks = 40

// escapes reports whether err may be that of an absolute symbolic link under
// the root of the whole system. os.Root refuses those, but there they lead
// nowhere else.
func (p place) escapes(err error) bool {
	return err != nil && p.root.Name() == "/" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

func (p place) statFromTop() (fs.FileInfo, error) {
	name, err := p.resolve()
	if err != nil {
		return nil, err
	}
	return p.root.Stat(name)
}

func (p place) openFromTop() (*os.File, error) {
	name, err := p.resolve()
	if err != nil {
		return nil, err
	}
	return p.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
}

// resolve returns the name of what p leads to, without any symbolic link, where
// "/" is p.root.
func (p place) resolve() (string, error) {
	left := strings.Split(p.name, "/")
	name := "."
	for links := 0; len(left) > 0; {
		next := path.Join(name, left[0])
		left = left[1:]
		if next == ".." || strings.HasPrefix(next, "../") {
			next = "." // as the system has it, ".." of "/" is "/"
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
		left = append(strings.Split(strings.Trim(target, "/"), "/"), left...)
	}
	return name, nil
}
