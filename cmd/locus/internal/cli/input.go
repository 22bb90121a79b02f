package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"locus/scheme"
	"locus/url"
)

// An Input is a file that the user named, or stdin.
type Input struct {
	*os.File
	Info fs.FileInfo // nil for stdin
}

// OpenInput opens a file that the user named, or stdin for "-". A folder is an error.
func (e *Env) OpenInput(name string) (*Input, error) {
	if name == "-" {
		return &Input{File: e.Stdin}, nil
	}
	f, err := e.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%q is a directory", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Input{f, info}, nil
}

// Close closes the file. It leaves stdin open.
func (in *Input) Close() error {
	if in.Info == nil {
		return nil
	}
	return in.File.Close()
}

// ArgumentURL returns an argument as a URL; ok is false if it names a file that exists, or
// is not a whole URL.
func (e *Env) ArgumentURL(arg string) (u url.URL, ok bool) {
	if _, err := e.Stat(arg); !errors.Is(err, fs.ErrNotExist) {
		return u, false
	}
	u, err := url.Parse(arg)
	return u, err == nil && u.IsAbs()
}

// FileURL returns the URL of a file that the user named; the zero URL if it has none.
func (e *Env) FileURL(name string) url.URL {
	full, err := e.Abs(name)
	if err != nil {
		return url.URL{}
	}
	view, err := scheme.LocalFile(runtime.GOOS, full)
	if err != nil {
		return url.URL{}
	}
	return view.URL()
}

// ParseBase returns the value of --base; the zero URL for nil, if it is not given.
func ParseBase(text *string) (url.URL, error) {
	if text == nil {
		return url.URL{}, nil
	}
	u, err := url.Parse(*text)
	if err != nil {
		return u, Explain(err)
	}
	if !u.IsAbs() {
		return u, Misuse("--base wants a URL with a scheme, not %q", *text)
	}
	return u, nil
}

// IsBinary reports whether the start of a file is not text.
func IsBinary(start []byte) bool { return bytes.IndexByte(start, 0) >= 0 }

// UntilDone returns a Reader of r whose Read returns when ctx is done, even while it
// waits for the keyboard. It does not read ahead: between two Reads others may read from
// the same file, to ask for a password.
func UntilDone(ctx context.Context, r io.Reader) io.Reader { return &reading{ctx: ctx, r: r} }

type reading struct {
	ctx context.Context
	r   io.Reader
	buf []byte // only for r, which may fill it after ctx is done
}

// Read reads from r, or ends with the context.
func (r *reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.buf) < len(b) {
		r.buf = make([]byte, len(b))
	}
	n, err := Await(r.ctx, func() (int, error) { return r.r.Read(r.buf[:len(b)]) })
	return copy(b, r.buf[:n]), err
}

// Seek seeks in r, unless r is a file that is not regular. Some systems claim to seek in
// terminals.
func (r *reading) Seek(offset int64, whence int) (int64, error) {
	if f, ok := r.r.(*os.File); ok && !isRegular(f) {
		return 0, errors.ErrUnsupported
	}
	s, ok := r.r.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	return s.Seek(offset, whence)
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Await returns the result of do, or the error of ctx if ctx ends first.
func Await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}
