package file

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"locus/access"
)

// append appends to a file, or creates one.
func (s System) append(ctx context.Context, req *access.Request) error {
	if req.Offset > 0 {
		return errors.ErrUnsupported
	}
	d, err := s.findDestination(ctx, req)
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
	err = d.checkOpened(f)
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

// checkOpened refuses f if it is no file: another one may have replaced it
// meanwhile.
func (d destination) checkOpened(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		err = d.checkFile(info)
	}
	return err
}

// delete removes a file, a symbolic link or an empty directory.
func (s System) delete(ctx context.Context, req *access.Request) error {
	p, info, err := s.lstat(ctx, req.URL)
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

// makeDir makes a directory.
func (s System) makeDir(ctx context.Context, req *access.Request) error {
	p, _, err := s.lstat(ctx, req.URL)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.root.Mkdir(p.name, 0o777)
}
