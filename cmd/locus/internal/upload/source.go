package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/transfer"
	"locus/url"
)

// A source is a file, or what a URL names, that is uploaded.
type source struct {
	from string                      // the argument, without a password
	open func(context.Context) error // opens it at its start, and sets what follows

	io.ReadCloser
	name    string    // its file name; "": unknown
	size    int64     // -1: unknown
	modTime time.Time // zero: unknown
	file    *os.File  // nil: it is the body of a resource
	once    bool      // it can be opened only once
}

// fileSource returns a file as a source, or stdin for "-".
func fileSource(e *cli.Env, name string) *source {
	s := &source{from: name}
	s.open = func(context.Context) error {
		in, err := e.OpenInput(name)
		if err != nil {
			return err
		}
		s.ReadCloser, s.file, s.size, s.once = in, in.File, -1, true
		if in.Info == nil {
			return nil
		}
		s.name, s.modTime = in.Info.Name(), in.Info.ModTime()
		if in.Info.Mode().IsRegular() { // else its size is 0
			s.size, s.once = in.Info.Size(), false
		}
		return nil
	}
	return s
}

// A copier makes sources of URLs and files, which become file URLs.
type copier struct {
	env        *cli.Env
	engine     access.Engine // it retries
	intoFolder bool          // sources need names
}

func (c copier) source(arg string) (*source, error) {
	if arg == "-" || isPipe(c.env, arg) {
		return fileSource(c.env, arg), nil
	}
	from, err := parsePlace(c.env, arg)
	if err != nil {
		return nil, err
	}
	s := &source{from: from.Redacted()}
	s.open = func(ctx context.Context) error { return c.open(ctx, s, from) }
	return s, nil
}

// isPipe reports whether name is a named pipe, or one that a shell made of <(command). No
// URL of a file names what it has open.
func isPipe(e *cli.Env, name string) bool {
	info, err := e.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// open opens what from names, which must be a file.
func (c copier) open(ctx context.Context, s *source, from url.URL) error {
	r, err := c.engine.Do(ctx, &access.Request{URL: from, Login: c.env.Login()})
	if err != nil {
		return err
	}
	s.ReadCloser, s.size, s.modTime = r.Body, r.Size, r.ModTime
	if r.List != nil || r.Session != nil {
		notFile := &access.Error{Op: "copy", URL: from, Err: access.Reason("it is not a file", errors.ErrUnsupported)}
		if r.List != nil {
			notFile.Remedy = access.Advice("locus mirror copies folders")
		}
		err = notFile
	} else if c.intoFolder {
		if s.name, err = transfer.FileName(from); err != nil {
			err = &cli.Hinted{Err: err, Hint: "end DST in a name"}
		}
	}
	if err != nil {
		r.Body.Close()
	}
	return err
}

// parsePlace parses a URL (see [download.IsURL]) or a file name, which becomes a file URL.
func parsePlace(e *cli.Env, text string) (url.URL, error) {
	if download.IsURL(text) {
		u, err := url.Parse(text)
		if err != nil {
			return u, cli.Explain(err)
		}
		return u, nil
	}
	u := e.FileURL(text)
	if u.IsZero() {
		return u, fmt.Errorf("%q is not the name of a file", text)
	}
	info, err := e.Stat(text)
	if text == "" || os.IsPathSeparator(text[len(text)-1]) || err == nil && info.IsDir() {
		return u.With(url.Path, url.Some(strings.TrimSuffix(u.Path(), "/")+"/"))
	}
	return u, nil
}
