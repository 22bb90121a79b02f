package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/scheme"
	"locus/url"
)

// A location is a name below a directory. The methods that open or change the file return errors of
// package os.
type location struct {
	root      *os.Root
	name      string // relative to root; "." for the root itself
	mustBeDir bool   // the URL ends in "/"

	child       func(name string, isDir bool) url.URL // returns the URL of an entry of the directory
	hasOwnLinks bool                                  // an absolute symbolic link may lead below root
}

// locate returns the location of u. It does not access the file. The error wraps scheme.ErrNotLocal if
// u names another host, and fs.ErrPermission if the directory for u is not configured.
func (s System) locate(u url.URL) (location, error) {
	if u.Scheme() != "file" {
		return location{}, access.ErrNoScheme
	}
	view, err := scheme.ParseFile(u)
	if err != nil {
		return location{}, err
	}
	if !view.IsLocal() && !s.isOwnName(view.Host.Text) {
		return location{}, access.WithRemedy(
			engine.Reason(fmt.Sprintf("it is a file on the host %q, not on this one", view.Host.Text), errors.ErrUnsupported, scheme.ErrNotLocal),
			access.Advice("use file:///… for a file on this machine"))
	}
	root, segments := s.root(view.Segments)
	if root == nil {
		return location{}, engine.Reason("no folder is configured for file URLs", fs.ErrPermission)
	}
	p, err := newLocation(root, segments)
	p.child = childOf(view)
	return p, err
}

// isOwnName reports whether host is one of Names, ignoring case.
func (s System) isOwnName(host string) bool {
	return slices.ContainsFunc(s.Names, func(name string) bool { return strings.EqualFold(name, host) })
}

// root returns the directory in which the path with these segments begins, and the segments below it: a
// drive if Drives is set and the first segment is a drive such as "C:", and s.Root otherwise. The
// directory is nil if it is not configured.
func (s System) root(segments []string) (*os.Root, []string) {
	if s.Drives == nil || len(segments) == 0 {
		return s.Root, segments
	}
	first := segments[0]
	if len(first) != 2 || first[1] != ':' && first[1] != '|' {
		return s.Root, segments
	}
	return s.Drives[first[0]&^0x20], segments[1:]
}

// newLocation returns the location of the path with these decoded segments, below root. Empty segments
// are dropped, but an empty last segment means that the location must be a directory. The error wraps
// fs.ErrInvalid if a segment cannot be a file name.
func newLocation(root *os.Root, segments []string) (location, error) {
	p := location{root: root, name: "."}
	var names []string
	for i, name := range segments {
		if strings.ContainsAny(name, forbiddenBytes) {
			return location{}, fmt.Errorf("segment %q is not a file name: %w", name, fs.ErrInvalid)
		}
		if name != "" {
			names = append(names, name)
		}
		p.mustBeDir = name == "" && i == len(segments)-1
	}
	if len(names) > 0 {
		p.name = strings.Join(names, "/")
	}
	return p, nil
}

// stat returns the attributes of the file or directory. It follows symbolic links. It returns an error
// if get would refuse the file: a device, a pipe, a socket, or a file whose URL ends in "/".
func (p location) stat() (fs.FileInfo, error) {
	info, err := p.root.Stat(p.name)
	if p.mayBeAbsoluteLink(err) {
		if p.name, err = p.resolve(); err == nil {
			info, err = p.root.Stat(p.name)
		}
	}
	if err != nil {
		return nil, err
	}
	return info, p.checkKind(info)
}

// lstat returns the attributes of p without following a symbolic link at the end of its name. It also returns a
// location of the same file, which is p unless os.Root refuses an absolute link in a directory of p. The name of the
// location then has the links of its directories resolved.
func (p location) lstat() (location, fs.FileInfo, error) {
	info, err := p.root.Lstat(p.name)
	if !p.mayBeAbsoluteLink(err) {
		return p, info, err
	}
	if i := strings.LastIndexByte(p.name, '/'); i >= 0 {
		dir, err := location{root: p.root, name: p.name[:i]}.resolve()
		if err != nil {
			return p, nil, err
		}
		p.name = dir + p.name[i:]
	}
	info, err = p.root.Lstat(p.name)
	return p, info, err
}

// checkKind returns nil if info describes a directory or a regular file. Other kinds are errors, and
// so is a file if the URL ends in "/", because such a URL means a directory.
func (p location) checkKind(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("it is a %s, not a file: %w", kindOf(info.Mode()), errors.ErrUnsupported)
	case p.mustBeDir:
		return engine.Reason("it is a file, not a directory", fs.ErrNotExist)
	}
	return nil
}

// kindOf returns a word for a file that is neither regular nor a directory: "pipe", "socket", "device" or "special
// file".
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// open opens the file or directory for reading. seen has the attributes that were checked before; open
// returns an error if another file has replaced that file. The caller closes the file.
func (p location) open(seen fs.FileInfo) (*os.File, error) {
	f, err := p.root.OpenFile(p.name, os.O_RDONLY|nonblock, 0)
	if p.mayBeAbsoluteLink(err) {
		if p.name, err = p.resolve(); err == nil {
			f, err = p.root.OpenFile(p.name, os.O_RDONLY|nonblock, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = errors.New("another file has replaced it")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// maxLinks limits the symbolic links in a name.
const maxLinks = 40

// mayBeAbsoluteLink reports whether err, an error of os.Root, may have been caused by an absolute
// symbolic link that leads below root. os.Root refuses all absolute links, so the caller tries again
// with the name that resolve returns.
func (p location) mayBeAbsoluteLink(err error) bool {
	return err != nil && (p.root.Name() == "/" || p.hasOwnLinks) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

var errOutside = sentinel.New("a symbolic link leads out of the folder", fs.ErrPermission)

// resolve returns p.name with all symbolic links followed, relative to p.root. It returns errOutside
// if a link leads out of the root. In the root "/", the directory ".." is "/" itself.
func (p location) resolve() (string, error) {
	rest := strings.Split(p.name, "/")
	name := "."
	for links := 0; len(rest) > 0; {
		next := path.Join(name, rest[0])
		rest = rest[1:]
		if next == ".." || strings.HasPrefix(next, "../") {
			if p.root.Name() != "/" {
				return "", errOutside
			}
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
			var ok bool
			if target, ok = below(p.root.Name(), target); !ok {
				return "", errOutside
			}
			name = "."
		}
		rest = append(strings.Split(strings.Trim(target, "/"), "/"), rest...)
	}
	return name, nil
}
