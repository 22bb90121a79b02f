package file

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"locus/access"
)

var (
	errDirectory = errors.New("it is a directory, no file")
	errNowhere   = errors.New("it is a symbolic link that leads nowhere")
)

// put replaces a file, or makes one, whole or not at all: the octets go into
// another file beside it, which takes its name when all of them are on the disk.
// The permissions and, where that is allowed, the owner of a file that is
// replaced are kept; a symbolic link is not replaced but the file that it leads
// to. An Offset is not supported.
func (s System) put(ctx context.Context, req *access.Request) error {
	return failure("put", req.URL, s.replace(ctx, req))
}

func (s System) replace(ctx context.Context, req *access.Request) error {
	if req.Offset > 0 {
		return errors.ErrUnsupported
	}
	d, err := s.destination(ctx, req)
	if err != nil {
		return err
	}
	temporary := sibling(d.name, ".locus-"+rand.Text())
	if err := d.fill(temporary, req, newSource(ctx, req)); err != nil {
		_ = d.root.Remove(temporary) // there may be none
		return err
	}
	return nil
}

// A destination is a file that is to be written, or where one may be made.
type destination struct {
	place
	info fs.FileInfo // of what is there; nil if nothing is
}

// destination returns where req leads, through symbolic links, if it may be
// written there.
func (s System) destination(ctx context.Context, req *access.Request) (destination, error) {
	p, info, err := s.lstat(ctx, req.URL)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return destination{}, err
	}
	if p.dir || p.name == "." {
		return destination{}, errDirectory
	}
	if err != nil {
		info = nil
	}
	if info != nil && info.Mode()&fs.ModeSymlink != 0 {
		if p, info, err = p.behindLink(); err != nil {
			return destination{}, err
		}
	}
	d := destination{p, info}
	return d, d.allows(req)
}

// behindLink returns where the symbolic link p leads, and what is there.
func (p place) behindLink() (place, fs.FileInfo, error) {
	info, err := p.stat()
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil, errNowhere
	}
	if err == nil {
		p.name, err = p.resolve()
	}
	return p, info, err
}

// judgeFile refuses what is no file.
func (p place) judgeFile(info fs.FileInfo) error {
	if info.IsDir() {
		return errDirectory
	}
	return p.judge(info)
}

// allows checks the conditions of req, and that the file there may be written.
func (d destination) allows(req *access.Request) error {
	switch {
	case d.info == nil && !req.IfMatch.IsZero():
		return access.ErrChanged
	case d.info == nil:
		return nil
	}
	if err := d.judgeFile(d.info); err != nil {
		return err
	}
	switch {
	case req.IfAbsent:
		return fs.ErrExist
	case !req.IfMatch.IsZero() && !matches(req.IfMatch, d.info):
		return access.ErrChanged
	}
	f, err := d.root.OpenFile(d.name, os.O_WRONLY|nonblock, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// fill writes body into a new file and gives that the name of d.
func (d destination) fill(temporary string, req *access.Request, body *source) error {
	var mode fs.FileMode = 0o666
	if d.info != nil {
		mode = 0o600 // until it has the permissions of the other
	}
	f, err := d.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = body.writeTo(f, req.Size)
	if err == nil {
		err = d.dress(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil && !req.ModTime.IsZero() {
		err = d.root.Chtimes(temporary, time.Time{}, req.ModTime)
	}
	if err == nil {
		err = d.take(temporary, req)
	}
	return err
}

// dress gives f the permissions and the owner of the file that it is to replace.
func (d destination) dress(f *os.File) error {
	if d.info == nil {
		return nil
	}
	keepOwner(f, d.info)
	return f.Chmod(d.info.Mode().Perm())
}

// take gives the file temporary the name of d.
func (d destination) take(temporary string, req *access.Request) error {
	switch {
	case req.IfAbsent:
		if err := d.root.Link(temporary, d.name); err != nil {
			return err
		}
		if err := d.root.Remove(temporary); err != nil {
			return err
		}
	default:
		if err := d.sameStill(req); err != nil {
			return err
		}
		if err := d.root.Rename(temporary, d.name); err != nil {
			return err
		}
	}
	return syncFolder(d.root, sibling(d.name, "."))
}

// sameStill checks once more that it is the version wanted which is replaced.
func (d destination) sameStill(req *access.Request) error {
	if req.IfMatch.IsZero() {
		return nil
	}
	now, err := d.root.Lstat(d.name)
	if err != nil || !os.SameFile(now, d.info) || !matches(req.IfMatch, now) {
		return access.ErrChanged
	}
	return nil
}

// sibling returns the name of another file in the folder of name.
func sibling(name, other string) string {
	return name[:strings.LastIndexByte(name, '/')+1] + other
}

// A source is what is to be written.
type source struct {
	ctx context.Context
	r   io.Reader
	err error // of ctx or r
}

func newSource(ctx context.Context, req *access.Request) *source {
	return &source{ctx: ctx, r: cmp.Or[io.Reader](req.Body, access.NoBody)}
}

func (s *source) Read(p []byte) (int, error) {
	err := s.ctx.Err()
	n := 0
	if err == nil {
		n, err = s.r.Read(p)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // what wraps it is an error
		s.err = err
	}
	return n, err
}

// writeTo writes all there is to f. If size is not negative, that is how many
// bytes there must be.
func (s *source) writeTo(f *os.File, size int64) error {
	n, err := io.Copy(f, s)
	switch {
	case s.err != nil:
		return &sourceError{s.err}
	case err != nil:
		return err
	case size >= 0 && n < size:
		return &sourceError{io.ErrUnexpectedEOF}
	case size >= 0 && n > size:
		return &sourceError{fmt.Errorf("%d octets came, not %d", n, size)}
	}
	return nil
}

// A sourceError is the failure of what was to be written.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return "what is to be written: " + e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// hinted is an error with a hint.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error          { return h.error }
func (h *hinted) Suggest() access.Remedy { return access.Advice(h.hint) }
