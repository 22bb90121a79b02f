package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/console"
	"locus/cmd/locus/internal/download"
	"locus/transfer"
	"locus/url"
)

// A source is a file or a resource that is uploaded.
type source struct {
	from string                                          // the argument, without a password
	name string                                          // the name of the file in a folder; "" if unknown
	open func(context.Context) (*transfer.Source, error) // opens it; the caller closes the Body
}

// fileSource returns the file name, or stdin for "-", as a source. Only a regular file has a size
// and can be opened again for a retry.
func fileSource(e *cli.Env, name string) source {
	var open func(ctx context.Context) (*transfer.Source, error)
	open = func(ctx context.Context) (*transfer.Source, error) {
		in, err := e.OpenInput(ctx, name)
		if info, statErr := e.Stat(name); err != nil && statErr == nil && info.IsDir() {
			err = &cli.Hinted{Err: err, Hint: "locus put -r DIR URL sends the files of a folder"}
		}
		if err != nil {
			return nil, err
		}
		s := &transfer.Source{Body: in, Size: -1}
		info, err := in.Stat() // stdin may be a file, too
		isRegular := err == nil && info.Mode().IsRegular()
		if !isRegular {
			s.Body = stream{console.UntilDone(ctx, in.File), in}
		}
		if in.Info == nil {
			return s, nil
		}
		s.Name, s.ModTime = in.Info.Name(), in.Info.ModTime()
		if isRegular { // the size of other files is 0
			s.Size, s.Again = in.Info.Size(), open
		}
		return s, nil
	}
	if name == "-" {
		return source{from: name, open: open}
	}
	return source{name, filepath.Base(name), open}
}

// A stream hides the Seek method of a reader.
type stream struct {
	io.Reader
	io.Closer
}

// A copier makes sources of URLs and of file names, which become file URLs.
type copier struct {
	env        *cli.Env
	engine     access.Engine // opens the URLs, with retries
	intoFolder bool          // the target is a folder, so that each source needs a name
}

// source returns the argument of a copy as a source: stdin for "-", a pipe, a file or a URL. The
// source is opened later.
func (c copier) source(arg string) (source, error) {
	if arg == "-" || isPipe(c.env, arg) {
		return fileSource(c.env, arg), nil
	}
	from, err := parseURLOrFile(c.env, arg)
	if err != nil {
		return source{}, err
	}
	open := func(ctx context.Context) (*transfer.Source, error) { return c.open(ctx, from) }
	name, err := transfer.FileName(from)
	if err != nil {
		name = "" // open reports the missing name if the source needs a name
	}
	return source{from.Redacted(), name, open}, nil
}

// isPipe reports whether name is a named pipe, or a pipe that a shell made of <(command). A pipe
// cannot be opened by a file URL instead.
func isPipe(e *cli.Env, name string) bool {
	info, err := e.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// open opens the resource at from. A listing or a session is an error, and so is a URL without a
// file name if intoFolder is set.
func (c copier) open(ctx context.Context, from url.URL) (*transfer.Source, error) {
	r, err := c.engine.Do(ctx, &access.Request{URL: from, Login: c.env.Login()})
	if err != nil {
		return nil, err
	}
	s := &transfer.Source{Body: r.Body, Size: r.Size, ModTime: r.ModTime}
	s.Again = func(ctx context.Context) (*transfer.Source, error) { return c.open(ctx, from) }
	if r.List != nil || r.Session != nil {
		notFile := &access.Error{Op: "copy", URL: from, Err: engine.Reason("it is not a file", errors.ErrUnsupported)}
		if r.List != nil {
			notFile.Remedy = access.Advice("locus mirror copies folders")
		}
		err = notFile
	} else if c.intoFolder {
		if s.Name, err = transfer.FileName(from); err != nil {
			err = &cli.Hinted{Err: err, Hint: "end DST with a file name"}
		}
	}
	if err != nil {
		r.Body.Close()
		return nil, err
	}
	return s, nil
}

// parseURLOrFile parses text, a URL (see [download.IsURL]) or a file name, and returns a URL. The
// file URL of a folder ends in "/".
func parseURLOrFile(e *cli.Env, text string) (url.URL, error) {
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
