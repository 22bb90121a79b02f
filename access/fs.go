package access

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"locus/url"
)

// FS returns the resources under base as a file system: the file "a b/c" is
// what base opens with "a%20b/c" added to its path. base is read as a
// directory, whether or not it ends in "/". ctx governs every access.
//
// Directories are listings; of their entries those are shown that are directly
// under them. The size of a file is -1 if the protocol does not tell it.
// The file system is as safe for use by several goroutines as o is, and
// implements [fs.StatFS] and [fs.ReadDirFS].
func FS(ctx context.Context, o Opener, base url.URL) fs.FS {
	text, _, _ := strings.Cut(base.String(), "#")
	if !strings.HasSuffix(text, "/") {
		text += "/"
	}
	return fileSystem{ctx: ctx, opener: o, base: text}
}

type fileSystem struct {
	ctx    context.Context
	opener Opener
	base   string // ends in "/"
}

// Open opens the named file or directory.
func (f fileSystem) Open(name string) (fs.File, error) {
	r, dir, err := f.open("open", name)
	if err != nil {
		return nil, err
	}
	if l, ok := r.Lister(); ok {
		return &directory{info: infoOf(name, r, fs.ModeDir|0o555), url: dir, resource: r, lister: l}, nil
	}
	return &file{info: infoOf(name, r, 0o444), resource: r}, nil
}

// Stat describes the named file or directory.
func (f fileSystem) Stat(name string) (fs.FileInfo, error) {
	u, err := f.url("stat", name)
	if err != nil {
		return nil, err
	}
	e, err := Stat(f.ctx, f.opener, &Request{URL: u})
	if err == nil {
		return infoOfEntry(path.Base(name), e), nil
	}
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}

// ReadDir returns the entries of the named directory, sorted by name.
func (f fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	opened, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	d, ok := opened.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// url returns the URL of the named file.
func (f fileSystem) url(op, name string) (url.URL, error) {
	if !fs.ValidPath(name) {
		return url.URL{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	text := f.base
	if name != "." {
		segments := strings.Split(name, "/")
		for i := range segments {
			segments[i] = escape(segments[i])
		}
		text += strings.Join(segments, "/")
	}
	u, err := url.Parse(text)
	if err != nil {
		return url.URL{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return u, nil
}

// open opens the named file, or, if there is none but a directory of that name,
// that. It returns the text that the URLs of what is in the directory start
// with.
func (f fileSystem) open(op, name string) (r *Resource, dir string, err error) {
	u, err := f.url(op, name)
	if err != nil {
		return nil, "", err
	}
	dir = strings.TrimSuffix(u.String(), "/") + "/"
	r, err = f.opener.Open(f.ctx, &Request{URL: u})
	if err != nil && mayBeDirectory(err, dir) && dir != u.String() {
		if listing := f.openDirectory(dir); listing != nil {
			return listing, dir, nil
		}
	}
	if err != nil {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	return r, dir, nil
}

// mayBeDirectory reports whether a directory may be found where opening a file
// gave err.
func mayBeDirectory(err error, dir string) bool {
	if moved, ok := errors.AsType[*Moved](err); ok {
		return moved.To.String() == dir
	}
	return errors.Is(err, fs.ErrNotExist)
}

// openDirectory returns the listing that dir names; nil if there is none.
func (f fileSystem) openDirectory(dir string) *Resource {
	u, err := url.Parse(dir)
	if err != nil {
		return nil
	}
	r, err := f.opener.Open(f.ctx, &Request{URL: u})
	if err != nil {
		return nil
	}
	if _, ok := r.Lister(); ok {
		return r
	}
	r.Body.Close()
	return nil
}

// A file is an fs.File that is no directory.
type file struct {
	info     info
	resource *Resource
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return f.resource.Body.Close() }

func (f *file) Read(p []byte) (int, error) {
	n, err := f.resource.Body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &fs.PathError{Op: "read", Path: f.info.name, Err: err}
	}
	return n, err
}

// A directory is an fs.ReadDirFile.
type directory struct {
	info     info
	url      string // the URL, which ends in "/"
	resource *Resource
	lister   Lister
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *directory) Close() error               { return d.resource.Body.Close() }

func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errors.New("is a directory")}
}

// ReadDir returns the next n entries, or all that are left if n <= 0.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	for n <= 0 || len(entries) < n {
		e, err := d.lister.Next()
		if errors.Is(err, io.EOF) {
			if n > 0 && len(entries) == 0 {
				return nil, io.EOF
			}
			return entries, nil
		}
		if err != nil {
			return entries, &fs.PathError{Op: "readdir", Path: d.info.name, Err: err}
		}
		if name, ok := d.nameOf(e); ok {
			entries = append(entries, fs.FileInfoToDirEntry(infoOfEntry(name, e)))
		}
	}
	return entries, nil
}

// nameOf returns the name in d of the file that e leads to; ok is false if that
// is not a file directly in d. How the two URLs are escaped does not matter.
func (d *directory) nameOf(e Entry) (name string, ok bool) {
	text, _, _ := strings.Cut(e.URL.String(), ";type=") // ftp
	text = strings.TrimSuffix(text, "/")
	last := strings.LastIndexByte(text, '/') + 1
	name = unescape(text[last:])
	inside := unescape(text[:last]) == unescape(d.url)
	return name, inside && fs.ValidPath(name) && name != "." && !strings.Contains(name, "/")
}

// An info is an fs.FileInfo.
type info struct {
	name    string
	size    int64
	mode    fs.FileMode
	modTime time.Time
	sys     any
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modTime }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return i.sys }

func infoOf(name string, r *Resource, mode fs.FileMode) info {
	return info{name: path.Base(name), size: r.Size, mode: mode, modTime: r.ModTime, sys: r.Sys}
}

func infoOfEntry(name string, e Entry) info {
	i := info{name: name, size: e.Size, mode: 0o444, modTime: e.ModTime, sys: e.Sys}
	switch e.Kind {
	case Directory:
		i.mode = fs.ModeDir | 0o555
	case Link:
		i.mode |= fs.ModeSymlink
	}
	return i
}

// escape returns s with every octet escaped that some scheme may reserve.
func escape(s string) string { return url.Escape(s, plain) }

var plain = url.RFC3986.Unreserved().Without("~")

// unescape returns s, a part of a URL, decoded.
func unescape(s string) string {
	decoded, err := url.Unescape(s)
	if err != nil { // no part of a URL has a bad escape
		return s
	}
	return decoded
}
