// Package file is the engine for file URLs (RFC 1738 §3.10): the files and
// directories of this machine that lie under a folder which a program hands in.
//
//	file:///pub/a%20b.txt      "pub/a b.txt" under System.Root
//	file://localhost/pub/      the listing of "pub"
//	file://other.example/pub/  refused: never read from here
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
	"slices"
	"strings"
	"syscall"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// A Root is what os.OpenRoot returns: a folder that nothing leads out of.
type Root = os.Root

// A System opens file URLs. It may be used by several goroutines at once. The
// zero System opens nothing.
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

// Open opens a file, or a directory as a listing. The octets of a listing are
// the URLs of its entries, one a line (text/uri-list, RFC 2483).
func (s System) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := s.open(ctx, req)
	if err != nil {
		return nil, failure("open", req.URL, err)
	}
	return r, nil
}

// Stat finds the attributes of a file or directory. It follows symbolic links.
func (s System) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
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

// A place is where a URL leads.
type place struct {
	root *os.Root
	name string // "." for the root itself
	dir  bool   // the URL ends in "/": a file does not do
}

// place returns where u leads, without looking there.
func (s System) place(u url.URL) (place, error) {
	if u.Scheme() != "file" {
		return place{}, access.ErrNoScheme
	}
	view, err := scheme.ParseFile(u)
	if err != nil {
		return place{}, err
	}
	if !view.IsLocal() && !s.isNamed(view.Host.Text) {
		return place{}, &elsewhere{host: view.Host.Text}
	}
	root, segments := s.root(view.Segments)
	if root == nil {
		return place{}, fmt.Errorf("no folder was given to read from: %w", fs.ErrPermission)
	}
	return placeOf(root, segments)
}

func (s System) isNamed(host string) bool {
	return slices.ContainsFunc(s.Names, func(name string) bool { return strings.EqualFold(name, host) })
}

// root returns the folder that the segments are under, and those that lead on
// from there.
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

func placeOf(root *os.Root, segments []string) (place, error) {
	p := place{root: root, name: "."}
	var names []string
	for i, name := range segments {
		if strings.ContainsAny(name, never) {
			return place{}, fmt.Errorf("segment %q is not one name: %w", name, fs.ErrInvalid)
		}
		if name != "" {
			names = append(names, name)
		}
		p.dir = name == "" && i == len(segments)-1
	}
	if len(names) > 0 {
		p.name = strings.Join(names, "/")
	}
	return p, nil
}

// stat describes what is there, if it may be opened.
func (p place) stat() (fs.FileInfo, error) {
	info, err := p.root.Stat(p.name)
	if p.escapes(err) {
		info, err = p.statFromTop()
	}
	if err != nil {
		return nil, err
	}
	return info, p.judge(info)
}

// judge refuses what is neither a file nor a directory.
func (p place) judge(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("it is a %s, no file: %w", kindOf(info.Mode()), errors.ErrUnsupported)
	case p.dir:
		return fmt.Errorf("it is a file, no directory: %w", fs.ErrNotExist)
	}
	return nil
}

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

// open opens what seen describes, and nothing that took its place since.
func (p place) open(seen fs.FileInfo) (*os.File, error) {
	f, err := p.root.OpenFile(p.name, os.O_RDONLY|nonblock, 0)
	if p.escapes(err) {
		f, err = p.openFromTop()
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = errors.New("another file took its place")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// An elsewhere is the error for a file that another host has.
type elsewhere struct{ host string }

func (e *elsewhere) Error() string {
	return fmt.Sprintf("it is a file of the host %q, not of this one", e.host)
}

func (e *elsewhere) Is(target error) bool {
	return target == errors.ErrUnsupported || target == scheme.ErrNotLocal
}

func (e *elsewhere) Hint() string { return "use file:///… for a file of this machine" }

// failure says which access failed.
func failure(op string, u url.URL, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = reason(e.Err) // the URL says where
	}
	return &access.Error{Op: op, URL: u, Err: err}
}

// reason translates what the system said. It is the one place for that.
func reason(err error) error {
	number, ok := errors.AsType[syscall.Errno](err)
	switch {
	case number == syscall.ENOTDIR:
		return fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	case !ok && !errors.Is(err, fs.ErrClosed): // os.Root will not have it
		return fmt.Errorf("%w: %w", err, fs.ErrPermission)
	}
	return err
}
