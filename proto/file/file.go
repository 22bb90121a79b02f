// Package file is the engine for file URLs (RFC 1738 §3.10). It opens files
// and directories of this machine, below a directory that the program passes in.
//
//	file:///pub/a%20b.txt      "pub/a b.txt" under System.Root
//	file://localhost/pub/      the listing of "pub"
//	file://other.example/pub/  refused
//
// It also replaces, appends to and removes files, and makes directories, with
// the permissions of the program. See [System.Do].
//
// A name may lead through symbolic links that stay below the directory. The
// engine refuses devices, pipes and sockets before it opens them, because
// opening them may block or have effects.
//
// A location is the name of a file below a directory; its methods read and change
// the file. A destination is a location with the file that an upload replaces.
//
// Notable divergences:
//   - RFC 1738 §3.10 allows any host as the "fully qualified domain name of
//     the system on which the file is accessible". Another host is an error,
//     because there is no protocol to reach it.
//   - RFC 8089 (app. B): "file:/pub/x", without "//", is on this machine.
//   - RFC 1738 §4 only reserves afs. [AFS] reads files where the tree is mounted.
//   - Empty segments are dropped, as the operating system does: file:////pub
//     is file:///pub.
package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A Root is a directory from os.OpenRoot. No name leads out of it.
type Root = os.Root

// A System opens and changes the files and directories that file URLs name. It
// is an [access.Engine]. [System.Do] describes each Op. Several goroutines may
// use a System at once. The zero System refuses every request.
//
// The Sys of its Resources and Entries is an [fs.FileInfo].
type System struct {
	// Root is the directory for "/". Nil refuses URLs without a drive.
	Root *os.Root

	// Drives are the directories for "C:" and other drives, by upper-case letter
	// (Windows). A URL names a drive in its first segment. If Drives is nil,
	// "C:" is an ordinary name.
	Drives map[byte]*os.Root

	// Names are the names of this machine besides "localhost".
	Names []string
}

// Do executes every Op except Ask, which wraps errors.ErrUnsupported.
//
// Get opens a file, or the listing of a directory, which has a List. The Body of a listing has the
// URLs of its entries, one per line (text/uri-list, RFC 2483). Stat finds the attributes of a file
// or directory. Both follow symbolic links.
//
// Put creates or replaces a file, completely or not at all. It writes a new file beside the old
// one, syncs it, and renames it. The new file gets the permissions of the old one, unless Mode is
// set, and its owner if the system permits that. If the URL names a symbolic link, Put replaces the
// target of the link. An Offset is unsupported.
//
// Append adds to the end of a file, or creates a file. After an error the bytes written so far
// stay.
//
// Delete removes a file or a symbolic link. If the URL ends in "/" it removes an empty directory.
// MakeDir makes a directory, whether or not the URL ends in "/".
func (s System) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, engine.Unsupported(req)
	}
	r, err := s.do(ctx, req)
	return r, failure(req.Op.String(), req.URL, err)
}

// do executes the request. Its errors do not name the URL.
func (s System) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.locate(req.URL)
	if err != nil {
		return nil, err
	}
	switch req.Op {
	case access.Get:
		return p.get(ctx, req)
	case access.Stat:
		info, err := p.stat()
		if err != nil {
			return nil, err
		}
		return engine.Found(entry(path.Base(path.Join("/", p.name)), req.URL, info), nil)
	case access.Put:
		return engine.Found(access.Entry{URL: req.URL, Size: -1, ModTime: req.ModTime}, p.replace(ctx, req))
	case access.Append:
		return engine.Done(url.URL{}, p.append(ctx, req))
	case access.Delete:
		return engine.Done(req.URL, p.delete(req))
	case access.MakeDir:
		return engine.Done(req.URL, p.makeDir())
	default:
		return nil, engine.Unsupported(req)
	}
}

// get opens the file or directory, and returns its Resource, which owns the open file. The error
// is access.ErrNotModified if the file still matches req.IfChanged, and access.ErrChanged if it
// does not match req.IfMatch.
func (p location) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	info, err := p.stat()
	if err != nil {
		return nil, err
	}
	if err := checkConditions(req, info); err != nil {
		return nil, err
	}
	f, err := p.open(info)
	if err != nil {
		return nil, err
	}
	r, err := p.newResource(ctx, req, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// delete removes a file, a symbolic link itself or an empty directory. The URL of a directory must
// end in "/". The error is access.ErrChanged if the file does not match req.IfMatch.
func (p location) delete(req *access.Request) error {
	p, info, err := p.lstat()
	switch {
	case err != nil:
		return err
	case info.IsDir() && !p.mustBeDir:
		return access.WithRemedy(errDirectory, access.Advice(`end the URL of a directory with "/"`))
	case !info.IsDir() && p.mustBeDir:
		return p.checkKind(info)
	case !req.IfMatch.IsZero() && !matches(req.IfMatch, info):
		return access.ErrChanged
	}
	return p.root.Remove(p.name)
}

// makeDir makes a directory. It returns an error if the name exists or its parent directory does
// not.
func (p location) makeDir() error {
	p, _, err := p.lstat()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.root.Mkdir(p.name, 0o777)
}

// checkConditions returns access.ErrNotModified if the file still matches req.IfChanged, and
// access.ErrChanged if it does not match req.IfMatch. It returns nil for a directory.
func checkConditions(req *access.Request, info fs.FileInfo) error {
	if info.IsDir() {
		return nil
	}
	switch {
	case !req.IfChanged.IsZero() && matches(req.IfChanged, info):
		return access.ErrNotModified
	case !req.IfMatch.IsZero() && !matches(req.IfMatch, info):
		return access.ErrChanged
	}
	return nil
}

// matches reports whether v names the version of the file that info describes. Times may differ by
// the fraction of a second that v lacks, because HTTP dates have whole seconds.
func matches(v access.Validator, info fs.FileInfo) bool {
	if v.ETag != "" {
		return v.ETag == etag(info)
	}
	return v.ModTime.Equal(info.ModTime()) || v.ModTime.Equal(info.ModTime().Truncate(1e9))
}

// etag returns an entity tag made from the modification time and the size.
func etag(info fs.FileInfo) string {
	return fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
}

// failure returns the error of an operation with its URL; nil if err is nil. It leaves out the name
// of the file, because the URL has that name.
func failure(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*sourceError](err); ok {
		return engine.Fail(op, u, err)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = systemError(e.Err) // without the path, because the error has the URL
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = systemError(e.Err)
	}
	return engine.Fail(op, u, err)
}

// systemError returns err, an error of the operating system or of os.Root, with the meaning that
// access expects: "not a directory" wraps fs.ErrNotExist, and a refusal of os.Root wraps
// fs.ErrPermission.
func systemError(err error) error {
	number, ok := errors.AsType[syscall.Errno](err)
	switch {
	case number == syscall.ENOTDIR:
		return engine.Reason(err.Error(), err, fs.ErrNotExist)
	case !ok && !errors.Is(err, fs.ErrClosed): // os.Root refused it
		return engine.Reason(err.Error(), err, fs.ErrPermission)
	}
	return err
}
