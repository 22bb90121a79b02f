package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"locus/access"
	"locus/proto/internal/mediatype"
	"locus/proto/internal/urilist"
	"locus/url"
)

// newResource returns the Resource for the open file f: a listing for a directory, and the
// content from req.Offset for a file. On success the Resource owns f; on failure the caller
// closes f. The error is access.ErrRange for an Offset beyond the end.
func (p location) newResource(ctx context.Context, req *access.Request, f *os.File) (*access.Resource, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, ModTime: info.ModTime(), Mode: info.Mode().Perm(), Sys: info}}
	if info.IsDir() {
		if req.Offset > 0 {
			return nil, errors.ErrUnsupported
		}
		r.Type = urilist.Type
		list := &listing{ctx: ctx, file: f, url: req.URL, child: p.child}
		r.Body, r.List = list, list
		return r, nil
	}
	r.Type = mediatype.ByName(info.Name())
	r.ETag = etag(info)
	if r.Size, err = sizeOf(f, info); err != nil {
		return nil, err
	}
	if r.Size >= 0 && req.Offset > r.Size {
		return nil, access.ErrRange
	}
	if r.Offset, err = f.Seek(req.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	b := &body{ctx: ctx, file: f, url: req.URL, remaining: -1}
	if r.Size >= 0 {
		b.remaining = r.Size - r.Offset
	}
	r.Body = b
	return r, nil
}

// sizeOf returns the size of f in bytes; info has its attributes. It returns -1 if the size is
// 0 but f has content, as files below /proc do.
func sizeOf(f *os.File, info fs.FileInfo) (int64, error) {
	if info.Size() > 0 {
		return info.Size(), nil
	}
	n, err := f.ReadAt(make([]byte, 1), 0)
	if n > 0 {
		return -1, nil
	}
	if access.IsEnd(err) {
		err = nil
	}
	return 0, err
}

// A body is the Body of a file. It ends at the size that the file had when it was opened. If the
// file gets shorter, Read returns io.ErrUnexpectedEOF.
type body struct {
	ctx       context.Context
	file      *os.File
	url       url.URL
	remaining int64 // the bytes that are left to read; -1 if the size is unknown
}

// Read reads the file up to the size that it had when it was opened. If the file has become
// shorter, the error is io.ErrUnexpectedEOF. Errors name the URL.
func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, failure("read", b.url, err)
	}
	if b.remaining >= 0 {
		p = p[:min(int64(len(p)), b.remaining)]
	}
	n, err := b.file.Read(p)
	if b.remaining >= 0 {
		b.remaining -= int64(n)
		switch {
		case b.remaining == 0 && err == nil:
			err = io.EOF
		case b.remaining > 0 && access.IsEnd(err):
			err = io.ErrUnexpectedEOF
		}
	}
	if access.IsEnd(err) {
		return n, io.EOF
	}
	return n, failure("read", b.url, err)
}

// Close closes the file, even during a Read. A second Close returns nil.
func (b *body) Close() error {
	err := b.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}
