package file

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"locus/access"
)

// append adds to the end of a file, or makes one. What was added before an error
// stays.
func (s System) append(ctx context.Context, req *access.Request) error {
	if req.Offset > 0 {
		return errors.ErrUnsupported
	}
	d, err := s.destination(ctx, req)
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
	err = d.judgeOpened(f)
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

// judgeOpened refuses what took the place of a file since.
func (d destination) judgeOpened(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		err = d.judgeFile(info)
	}
	return err
}

// delete removes a file, a symbolic link, or, if the URL ends in "/", an empty
// directory.
func (s System) delete(ctx context.Context, req *access.Request) error {
	p, info, err := s.lstat(ctx, req.URL)
	switch {
	case err != nil:
		return err
	case info.IsDir() && !p.dir:
		return &hinted{errDirectory, "a directory's URL ends in \"/\""}
	case !info.IsDir() && p.dir:
		return p.judge(info)
	case !req.IfMatch.IsZero() && !matches(req.IfMatch, info):
		return access.ErrChanged
	}
	return p.root.Remove(p.name)
}

// makeDir makes a directory, whether or not the URL ends in "/".
func (s System) makeDir(ctx context.Context, req *access.Request) error {
	p, _, err := s.lstat(ctx, req.URL)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return p.root.Mkdir(p.name, 0o777)
}
