package access

import (
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
)

// A file is an fs.File that is not a directory.
type file struct {
	fsys  fileSystem
	path  string    // its name in fsys
	info  info      // from opening it
	found *Resource // from opening it; its Body may be closed

	body   io.ReadCloser
	at     int64 // the offset of the next byte of body
	want   int64 // the offset of the next Read
	closed atomic.Bool
}

// Close closes the open Body. Later calls of Read at another offset and of ReadAt fail.
func (f *file) Close() error {
	f.closed.Store(true)
	return f.body.Close()
}

// Stat returns the attributes of the opened resource. It asks the server only if the size or the
// time is unknown.
func (f *file) Stat() (fs.FileInfo, error) {
	if f.info.size >= 0 && !f.info.modTime.IsZero() {
		return f.info, nil
	}
	return f.fsys.statOr(f.path, f.info)
}

// Read reads the next bytes at the offset of f. If Seek has changed the offset, Read opens the
// resource once more, because a Body cannot go back.
func (f *file) Read(p []byte) (int, error) {
	if f.at != f.want {
		if err := f.goTo(f.want); err != nil {
			return 0, f.fail("read", err)
		}
	}
	n, err := f.body.Read(p)
	f.at += int64(n)
	f.want = f.at
	return n, f.fail("read", err)
}

// goTo replaces the open Body by one that starts at the offset at. After an error the old Body
// stays open.
func (f *file) goTo(at int64) error {
	r, err := f.openAt(at, 0)
	if err != nil {
		return err
	}
	f.body.Close()
	f.body, f.at, f.want = r.Body, at, at
	return nil
}

// Seek sets the offset of the next Read. It does not send a request, except that it reads
// the whole resource if it counts from the end and the size is unknown. A whence that
// package io does not define is fs.ErrInvalid.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.want
	case io.SeekEnd:
		size, err := f.size()
		if err != nil {
			return 0, f.fail("seek", err)
		}
		offset += size
	default:
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	if offset < 0 {
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	f.want = offset
	return offset, nil
}

// size returns how many bytes the resource has. If the server did not tell the size, size reads the
// whole resource and counts its bytes.
func (f *file) size() (int64, error) {
	if f.info.size >= 0 {
		return f.info.size, nil
	}
	r, err := f.openAt(0, 0)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	return io.Copy(io.Discard, r.Body)
}

// ReadAt reads len(p) bytes at off, or fewer with an error, such as io.EOF. It opens the resource
// once more, so that the offset of Read stays.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.fail("read", fs.ErrInvalid)
	}
	if len(p) == 0 {
		return 0, nil
	}
	r, err := f.openAt(off, int64(len(p)))
	if err != nil {
		return 0, f.fail("read", err)
	}
	defer r.Body.Close()
	n := 0
	for n < len(p) && err == nil { // io.ReadFull would hide whether the end is early
		var more int
		more, err = r.Body.Read(p[n:])
		n += more
	}
	if n == len(p) {
		return n, nil
	}
	return n, f.fail("read", err)
}

// openAt opens the version of the resource that f has, once more, with a Body that starts at off.
// The Body has at least length bytes, if the resource has them; a length of 0 means all bytes to
// the end. If the resource ends before off the error is io.EOF. After Close it is fs.ErrClosed.
func (f *file) openAt(off, length int64) (*Resource, error) {
	if f.closed.Load() {
		return nil, fs.ErrClosed
	}
	req := &Request{URL: f.found.URL, Offset: off, Length: length, IfMatch: f.found.Validator()}
	r, err := f.fsys.engine.Do(f.fsys.ctx, req)
	if errors.Is(err, errors.ErrUnsupported) && off > 0 {
		req.Offset, req.Length = 0, 0
		r, err = f.fsys.engine.Do(f.fsys.ctx, req)
	}
	switch {
	case errors.Is(err, ErrRange):
		return nil, io.EOF
	case err != nil:
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r.Body, off-r.Offset); err != nil {
		r.Body.Close()
		return nil, err
	}
	return r, nil
}

// fail returns err as an *fs.PathError. It returns nil and io.EOF unchanged, because callers
// compare these with ==.
func (f *file) fail(op string, err error) error {
	if err == nil || IsEnd(err) {
		return err
	}
	return &fs.PathError{Op: op, Path: f.info.name, Err: err}
}
