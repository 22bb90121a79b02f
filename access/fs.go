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

	"locus/internal/sentinel"
	"locus/url"
)

// FS returns the resources below base as a file system. The file "a b/c" is the resource of
// base with "a%20b/c" added to its path. Over ftp ";type=i" is added too. Over gopher the
// file has the item type that the menu "a b" gives it. base is a directory, whether or not
// it ends in "/". The query of base over http, and its search over gopher, is sent only for
// ".", because it does not belong to the files below. ctx bounds all requests.
//
// A directory is a listing; it shows only the entries directly below it. Info asks the
// server if the listing is not exact. The size of a file is -1 if it is unknown.
//
// The file system implements [fs.StatFS], [fs.ReadDirFS] and [fs.ReadFileFS]. Several
// goroutines may use it at once if they may use e. A file is an io.Seeker and an
// io.ReaderAt; both open the same version of the resource again, at the offset if the
// protocol can start there. If e is nil, every Open fails.
func FS(ctx context.Context, e Engine, base url.URL) fs.FS {
	f := fileSystem{ctx: ctx, engine: orNothing(e), root: rootOf(base), prefix: prefixOf(base), protocol: protocolOf(base)}
	if f.protocol == "ftp" {
		f.suffix = ";type=i" // RFC 1738 §3.2.2
	}
	return f
}

type fileSystem struct {
	ctx      context.Context
	engine   Engine
	root     string // the URL of "."
	prefix   string // of the URLs of files; ends in "/"
	suffix   string // of the URLs of files
	protocol string
}

// Open opens the named file or directory.
func (f fileSystem) Open(name string) (fs.File, error) {
	r, dir, err := f.open("open", name)
	if err != nil {
		return nil, err
	}
	if r.List != nil {
		return &directory{fsys: f, path: name, info: infoOf(name, r), at: dir, resource: r}, nil
	}
	return &file{fsys: f, path: name, info: infoOf(name, r), found: r, body: r.Body}, nil
}

// Stat returns the attributes of the named file or directory. If the engine cannot find them, Stat
// opens the file, because not every protocol can tell the attributes.
func (f fileSystem) Stat(name string) (fs.FileInfo, error) {
	if info, err := f.stat(name); err == nil {
		return info, nil
	}
	r, _, err := f.open("open", name)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return infoOf(name, r), nil
}

// statOr returns the attributes of the named file or directory; known if the engine cannot find
// them. The error is always nil.
func (f fileSystem) statOr(name string, known info) (fs.FileInfo, error) {
	if info, err := f.stat(name); err == nil {
		return info, nil
	}
	return known, nil
}

// stat returns the attributes of the named file or directory, without opening it. It returns an
// error if the engine cannot find them.
func (f fileSystem) stat(name string) (fs.FileInfo, error) {
	u, err := f.locate("stat", name)
	if err != nil {
		return nil, err
	}
	r, err := f.engine.Do(f.ctx, &Request{Op: Stat, URL: u})
	if err != nil {
		return nil, err
	}
	return infoOfEntry(path.Base(name), r.Entry), nil
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

// ReadFile reads the named file to its end, without a Stat.
func (f fileSystem) ReadFile(name string) ([]byte, error) {
	opened, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(opened)
}

// url returns the URL of the named file, without asking the server. The error is an *fs.PathError
// with op.
func (f fileSystem) url(op, name string) (url.URL, error) {
	if !fs.ValidPath(name) {
		return url.URL{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	text := f.root
	if name != "." {
		segments := strings.Split(name, "/")
		for i := range segments {
			segments[i] = escape(segments[i])
		}
		text = f.prefix + strings.Join(segments, "/") + f.suffix
	}
	u, err := url.Parse(text)
	if err != nil {
		return url.URL{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return u, nil
}

// open opens the named file. If the file does not exist, it opens the directory of that name,
// because the name alone does not tell them apart. at is the location of the directory, if the
// resource is a directory. The error is an *fs.PathError with op. The caller closes the Body.
func (f fileSystem) open(op, name string) (r *Resource, at location, err error) {
	u, err := f.locate(op, name)
	if err != nil {
		return nil, location{}, err
	}
	dir, err := url.Parse(prefixOf(u))
	if err != nil {
		return nil, location{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	r, err = f.engine.Do(f.ctx, &Request{URL: u})
	if err != nil && name != "." && dir != u && mayBeDirectory(err, dir) {
		listing, dirErr := f.openDirectory(dir)
		if !isMissing(dirErr) {
			r, err = listing, dirErr
		}
	}
	if err != nil {
		return nil, location{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	if isWeb(r.URL) { // a redirect may have led there
		if moved, err := url.Parse(prefixOf(r.URL)); err == nil {
			dir = moved
		}
	}
	return r, locationOf(dir), nil
}

// locate returns the URL of the named file or directory. Over gopher it asks the server, because
// the URL contains the item type: see find. The error is an *fs.PathError with op.
func (f fileSystem) locate(op, name string) (url.URL, error) {
	u, err := f.url(op, name)
	if err == nil && f.protocol == "gopher" && name != "." {
		return f.find(op, name)
	}
	return u, err
}

// find returns the URL of the gopher item with that name. It reads the menu above the item, because
// the name alone does not tell the item type. If the menu lacks the item, the error wraps
// fs.ErrNotExist. op is for the error.
func (f fileSystem) find(op, name string) (url.URL, error) {
	opened, err := f.Open(path.Dir(name))
	if err != nil {
		return url.URL{}, err
	}
	defer opened.Close()
	d, ok := opened.(*directory)
	for ok {
		e, err := d.resource.List.Next()
		if IsEnd(err) {
			break
		}
		if err != nil {
			return url.URL{}, &fs.PathError{Op: op, Path: name, Err: err}
		}
		if found, ok := d.at.nameOf(e); ok && found == path.Base(name) {
			return e.URL, nil
		}
	}
	return url.URL{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// mayBeDirectory reports whether dir may be a directory, after opening the file of that
// name returned err. This is so if err is a redirect to dir, or if the file does not exist.
func mayBeDirectory(err error, dir url.URL) bool {
	if moved, ok := errors.AsType[*Moved](err); ok {
		return locationOf(moved.To).isSame(locationOf(dir))
	}
	return errors.Is(err, fs.ErrNotExist)
}

// openDirectory opens the listing at dir. If dir opens as a file, the error is
// errNoListing.
func (f fileSystem) openDirectory(dir url.URL) (*Resource, error) {
	r, err := f.engine.Do(f.ctx, &Request{URL: dir})
	if err != nil {
		return nil, err
	}
	if r.List != nil {
		return r, nil
	}
	r.Body.Close()
	return nil, errNoListing
}

var errNoListing = sentinel.New("it is not a directory", fs.ErrNotExist)

// isMissing reports whether err, from opening a directory, says that there is no such directory.
func isMissing(err error) bool {
	_, moved := errors.AsType[*Moved](err)
	return moved || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported)
}

// A directory is an fs.ReadDirFile.
type directory struct {
	fsys     fileSystem
	path     string // its name in fsys
	info     info   // from opening it
	at       location
	resource *Resource
}

func (d *directory) Close() error { return d.resource.Body.Close() }

func (d *directory) Stat() (fs.FileInfo, error) { return d.fsys.statOr(d.path, d.info) }

func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errors.New("is a directory")}
}

// ReadDir returns the next n entries, or all that are left if n <= 0. It leaves out entries that
// are not directly in the directory. At the end it returns io.EOF if n > 0, and nil otherwise.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	for n <= 0 || len(entries) < n {
		e, err := d.resource.List.Next()
		if IsEnd(err) {
			if n > 0 && len(entries) == 0 {
				return nil, io.EOF
			}
			return entries, nil
		}
		if err != nil {
			return entries, &fs.PathError{Op: "readdir", Path: d.info.name, Err: err}
		}
		if name, ok := d.at.nameOf(e); ok {
			entries = append(entries, dirEntry{infoOfEntry(name, e), d.fsys, path.Join(d.path, name)})
		}
	}
	return entries, nil
}

// A dirEntry is an fs.DirEntry.
type dirEntry struct {
	listed info
	fsys   fileSystem
	path   string
}

func (e dirEntry) Name() string      { return e.listed.name }
func (e dirEntry) IsDir() bool       { return e.listed.IsDir() }
func (e dirEntry) Type() fs.FileMode { return e.listed.mode.Type() }
func (e dirEntry) String() string    { return fs.FormatDirEntry(e) }

// Info returns the attributes in the listing if it has the size, and the time to the second.
// Otherwise it asks the server. It does not trust a time to the minute, because such times may be
// in another time zone. For a link it describes the link itself.
func (e dirEntry) Info() (fs.FileInfo, error) {
	if e.listed.mode.Type() == fs.ModeSymlink {
		return e.listed, nil
	}
	if t := e.listed.modTime; e.listed.mode.IsRegular() && e.listed.size >= 0 && (t.Second() != 0 || t.Nanosecond() != 0) {
		return e.listed, nil
	}
	return e.fsys.Stat(e.path)
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

// infoOf returns the FileInfo of r, the resource of the named file or directory. A resource with a
// List is a directory.
func infoOf(name string, r *Resource) info {
	e := r.Entry
	e.Kind = Object
	if r.List != nil {
		e.Kind, e.Size = Directory, -1
	}
	return infoOfEntry(path.Base(name), e)
}

// infoOfEntry returns the FileInfo of e. All files are read-only.
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
