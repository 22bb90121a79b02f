// Package file is the engine for file URLs (RFC 1738 §3.10): the files and
// directories of this machine that lie under a folder which a program hands in.
//
//	file:///pub/a%20b.txt      "pub/a b.txt" under System.Root
//	file://localhost/pub/      the listing of "pub"
//	file://other.example/pub/  refused: never read from here
//
// Files are replaced, appended to and removed, and directories made, as whoever
// runs the program may do it: see [System.Do].
//
// What names a file may lead through symbolic links, as long as they stay
// under the folder. What is neither a file nor a directory (a device, a pipe,
// a socket) is refused before it is opened.
//
// Notable divergences:
//   - RFC 1738 §3.10 lets the host be any "fully qualified domain name of the
//     system on which the file is accessible"; there is no protocol to reach
//     another one, so its name is an error.
//   - RFC 8089 (app. B): "file:/pub/x", without "//", is this machine.
//   - Empty segments are dropped, as the system would: file:////pub is
//     file:///pub.
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
	"locus/scheme"
	"locus/url"
)

// A Root is what os.OpenRoot returns: a folder that nothing leads out of.
type Root = os.Root

// A System opens file URLs, and writes what they name. It is an [access.Engine].
// It may be used by several goroutines at once. The zero System opens nothing.
//
// The Sys of its Resources and Entries is an [fs.FileInfo].
type System struct {
	// Root is the folder that "/" is. nil: no URL without a drive opens.
	Root *os.Root

	// Drives are the folders that "C:" and its like are, by their letter in
	// upper case, where a URL's first segment is such a drive (Windows). nil:
	// no drive is known, and "C:" is a name like any other.
	Drives map[byte]*os.Root

	// Names are names of this machine, besides "localhost".
	Names []string
}

// get opens a file, or a directory as a listing. The octets of a listing are
// the URLs of its entries, one a line (text/uri-list, RFC 2483).
func (s System) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := s.open(ctx, req)
	if err != nil {
		return nil, failure("open", req.URL, err)
	}
	return r, nil
}

// Do does every Op with a file or a directory but Ask.
func (s System) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil {
		return nil, access.Unsupported(req)
	}
	switch req.Op {
	case access.Get:
		return s.get(ctx, req)
	case access.Stat:
		return access.Found(s.statFile(ctx, req))
	case access.Put:
		return access.Done(req.URL, s.put(ctx, req))
	case access.Append:
		return access.Done(url.URL{}, failure("append", req.URL, s.append(ctx, req)))
	case access.Delete:
		return access.Done(req.URL, failure("delete", req.URL, s.delete(ctx, req)))
	case access.MakeDir:
		return access.Done(req.URL, failure("make", req.URL, s.makeDir(ctx, req)))
	default:
		return nil, access.Unsupported(req)
	}
}

// statFile finds the attributes of a file or directory. It follows symbolic links.
func (s System) statFile(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := s.stat(ctx, req)
	if err != nil {
		return access.Entry{}, failure("stat", req.URL, err)
	}
	return e, nil
}

func (s System) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.place(req.URL)
	if err != nil {
		return nil, err
	}
	info, err := p.stat()
	if err != nil {
		return nil, err
	}
	if err := unchanged(req, info); err != nil {
		return nil, err
	}
	f, err := p.open(info)
	if err != nil {
		return nil, err
	}
	r, err := resource(ctx, req, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func (s System) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	if err := ctx.Err(); err != nil {
		return access.Entry{}, err
	}
	p, err := s.place(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	info, err := p.stat()
	if err != nil {
		return access.Entry{}, err
	}
	return entry(path.Base(path.Join("/", p.name)), req.URL, info), nil
}

// unchanged answers Request.IfChanged and IfMatch.
func unchanged(req *access.Request, info fs.FileInfo) error {
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

func matches(v access.Validator, info fs.FileInfo) bool {
	if v.ETag != "" {
		return v.ETag == etag(info)
	}
	return v.ModTime.Equal(info.ModTime()) || v.ModTime.Equal(info.ModTime().Truncate(1e9))
}

// etag returns a validator made of when the file was changed and its size.
func etag(info fs.FileInfo) string {
	return fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
}

// An elsewhere is the error for a file that another host has.
type elsewhere struct{ host string }

func (e *elsewhere) Error() string {
	return fmt.Sprintf("it is a file of the host %q, not of this one", e.host)
}

func (e *elsewhere) Is(target error) bool {
	return target == errors.ErrUnsupported || target == scheme.ErrNotLocal
}

func (e *elsewhere) Suggest() access.Remedy {
	return access.Advice("use file:///… for a file of this machine")
}

// failure says which access failed; nil if err is nil.
func failure(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*sourceError](err); ok {
		return access.Fail(op, u, err)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = reason(e.Err) // the URL says where
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = reason(e.Err)
	}
	return access.Fail(op, u, err)
}

// reason translates what the system said. It is the one place for that.
func reason(err error) error {
	number, ok := errors.AsType[syscall.Errno](err)
	switch {
	case number == syscall.ENOTDIR:
		return access.Reason(err.Error(), err, fs.ErrNotExist)
	case !ok && !errors.Is(err, fs.ErrClosed): // os.Root will not have it
		return access.Reason(err.Error(), err, fs.ErrPermission)
	}
	return err
}
