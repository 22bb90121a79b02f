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
	"path"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
)

var (
	errDirectory    = errors.New("it is a directory, not a file")
	errDanglingLink = errors.New("it is a symbolic link to a file that does not exist")
)

// replace creates the file, or replaces its content by the body of req, completely or not at all.
// It writes a temporary file in the same directory and renames it. After an error the temporary
// file is removed.
func (p location) replace(ctx context.Context, req *access.Request) error {
	if req.Offset > 0 {
		return errors.ErrUnsupported
	}
	d, err := p.findDestination(req)
	if err != nil {
		return err
	}
	temporary := sibling(d.name, ".locus-"+rand.Text())
	if req.Part != "" {
		temporary = sibling(d.name, engine.PartName(path.Base(d.name), req.Part))
		_ = d.root.Remove(temporary) // an upload that broke off may have left it
	}
	if err := d.writeAs(temporary, req, newSource(ctx, req)); err != nil {
		_ = d.root.Remove(temporary) // it may not exist
		return err
	}
	return nil
}

// append adds the body of req to the end of the file, or creates the file. After an error, the
// bytes written so far stay.
func (p location) append(ctx context.Context, req *access.Request) error {
	if req.Offset > 0 {
		return errors.ErrUnsupported
	}
	d, err := p.findDestination(req)
	if err != nil {
		return err
	}
	flag := os.O_WRONLY | os.O_APPEND | nonblock
	if d.info == nil {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := d.root.OpenFile(d.name, flag, 0o666)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = d.checkFile(info) // another file may have replaced it
	}
	if err == nil {
		err = newSource(ctx, req).writeTo(f, req.Size)
	}
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// A destination is the location of a file to write.
type destination struct {
	location
	info fs.FileInfo // the attributes of the existing file; nil if the file does not exist
}

// findDestination returns the file to write: p, or the target if p is a symbolic link. It returns
// an error if the file may not be written, or does not meet the conditions of req.
func (p location) findDestination(req *access.Request) (destination, error) {
	p, info, err := p.lstat()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return destination{}, err
	}
	if p.mustBeDir || p.name == "." {
		return destination{}, errDirectory
	}
	if err != nil {
		info = nil
	}
	if info != nil && info.Mode()&fs.ModeSymlink != 0 {
		if p, info, err = p.followLink(); err != nil {
			return destination{}, err
		}
	}
	d := destination{p, info}
	return d, d.checkWritable(req)
}

// followLink returns the location to which the symbolic link p leads, and the attributes of the
// file there. The error is errDanglingLink if that file does not exist.
func (p location) followLink() (location, fs.FileInfo, error) {
	info, err := p.stat()
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil, errDanglingLink
	}
	if err == nil {
		p.name, err = p.resolve()
	}
	return p, info, err
}

// checkFile returns nil if info describes a regular file. It returns errDirectory for a
// directory, and another error for a device, a pipe or a socket.
func (p location) checkFile(info fs.FileInfo) error {
	if info.IsDir() {
		return errDirectory
	}
	return p.checkKind(info)
}

// checkWritable returns nil if d meets the conditions of req and, if the file exists, it is a
// regular file that the program may write. The errors are access.ErrChanged for IfMatch and
// fs.ErrExist for IfAbsent. checkWritable does not change the file.
func (d destination) checkWritable(req *access.Request) error {
	switch {
	case d.info == nil && !req.IfMatch.IsZero():
		return access.ErrChanged
	case d.info == nil:
		return nil
	}
	if err := d.checkFile(d.info); err != nil {
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

// writeAs writes body to a new file named temporary, syncs it, and renames it to d. The new file
// gets the mode and time of req, or else the permissions and owner of the old file. After an
// error the caller removes the temporary file.
func (d destination) writeAs(temporary string, req *access.Request, body *source) error {
	var mode fs.FileMode = 0o666
	if d.info != nil {
		mode = 0o600 // until copyAttributes sets the final mode
	}
	f, err := d.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = body.writeTo(f, req.Size)
	if err == nil {
		err = d.copyAttributes(f)
	}
	if mode := req.Mode.Perm(); err == nil && mode != 0 {
		err = f.Chmod(mode)
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
		err = d.install(temporary, req)
	}
	return err
}

// copyAttributes gives f the permissions and, if the system permits that, the owner of the file
// that f replaces. It has no effect if that file does not exist.
func (d destination) copyAttributes(f *os.File) error {
	if d.info == nil {
		return nil
	}
	keepOwner(f, d.info)
	return f.Chmod(d.info.Mode().Perm())
}

// install renames the file temporary to d, replacing an old file, and syncs the directory. If
// req.IfAbsent is set, it makes a hard link and removes temporary, because making a link fails if
// d exists. If req.IfMatch does not match the old file, the error is access.ErrChanged.
func (d destination) install(temporary string, req *access.Request) error {
	var err error
	if req.IfAbsent {
		if err = d.root.Link(temporary, d.name); err == nil {
			err = d.root.Remove(temporary)
		}
	} else if err = d.checkUnchanged(req); err == nil {
		err = d.root.Rename(temporary, d.name)
	}
	if err != nil {
		return err
	}
	return syncDir(d.root, sibling(d.name, "."))
}

// checkUnchanged returns access.ErrChanged if the file no longer meets req.IfMatch. install calls
// it just before the rename, because the file may have changed while the body was written.
func (d destination) checkUnchanged(req *access.Request) error {
	if req.IfMatch.IsZero() {
		return nil
	}
	now, err := d.root.Lstat(d.name)
	if err != nil || !os.SameFile(now, d.info) || !matches(req.IfMatch, now) {
		return access.ErrChanged
	}
	return nil
}

// sibling returns the path of the file other in the directory of the path name.
func sibling(name, other string) string {
	return name[:strings.LastIndexByte(name, '/')+1] + other
}

// A source is the body of a request. It keeps the error of the body, so that writeTo can tell that error from an error of
// the file.
type source struct {
	ctx    context.Context
	reader io.Reader
	err    error // the error of ctx or reader
}

// newSource returns the body of req, which is empty if req.Body is nil. Read fails when ctx is
// done.
func newSource(ctx context.Context, req *access.Request) *source {
	return &source{ctx: ctx, reader: cmp.Or[io.Reader](req.Body, access.NoBody)}
}

// Read reads from the body of the request until s.ctx is done. It stores an error other than io.EOF
// in s.err.
func (s *source) Read(p []byte) (int, error) {
	err := s.ctx.Err()
	n := 0
	if err == nil {
		n, err = s.reader.Read(p)
	}
	if err != nil && !access.IsEnd(err) {
		s.err = err
	}
	return n, err
}

// writeTo writes the body to f. It returns a sourceError if the body fails, or if size is not
// negative and the body has another size. Other errors are errors of f.
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
		return &sourceError{fmt.Errorf("read %d bytes instead of %d", n, size)}
	}
	return nil
}

// A sourceError is an error of the body.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return "read the body: " + e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }
