// Package cp is the verb cp: copy files between URLs of any schemes.
package cp

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/upload"
	"locus/retry"
	"locus/scheme"
	"locus/url"
)

// Options are the flags and arguments of cp.
type Options struct {
	Args []string `args:"2-"` // sources, and then the destination
	upload.Options
	MinRate int64 `flag:"min-rate"`
	cli.Access
}

// Verb describes cp.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "cp",
		Summary:  "copy files between URLs of any schemes",
		Synopsis: "locus cp [FLAG…] SRC… DST",
		Description: "SRC and DST are URLs or file names. If DST ends in /, or is a folder here, copy each\n" +
			"SRC into it under its last name. Start a file name with ./ if it looks like a URL.\n\n" +
			"The copy needs no temporary file and little memory. Listings are not copied: locus\n" +
			"mirror copies folders.\n\n" +
			upload.RetryNote + "\n\n" + upload.ReplaceNote,
		Common:   "preserve no-clobber if-match json quiet max-time",
		Examples: []string{"locus cp gopher://gopher.example.org/0/about.txt ftp://me@example.org/about.txt"},
	})
}

// Run copies files.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	last := len(o.Args) - 1
	to, err := parsePlace(e, o.Args[last])
	if err != nil {
		return err
	}
	client, err := e.Client(o.Access, o.Args)
	if err != nil {
		return err
	}
	client.MinRate = o.MinRate
	w, err := upload.NewWriter(e, client, o.Options, to)
	if err != nil {
		return err
	}
	if err := w.CheckCount(last); err != nil {
		return err
	}
	c := copier{e, w, retry.Engine{Engine: client, Policy: o.Policy(), Notify: e.Note}}
	return w.Each(ctx, o.Args[:last], o.Timeout, func(ctx context.Context, arg string) error {
		s, err := c.open(ctx, arg)
		if err != nil {
			return err
		}
		defer s.Close()
		return w.Put(ctx, s)
	})
}

// A copier opens what is copied.
type copier struct {
	env      *cli.Env
	to       *upload.Writer
	retrying access.Engine
}

// open opens a URL, a file, or stdin for "-".
func (c copier) open(ctx context.Context, arg string) (*upload.Source, error) {
	if arg == "-" {
		return upload.Open(c.env, arg)
	}
	from, err := parsePlace(c.env, arg)
	if err != nil {
		return nil, err
	}
	s, err := c.openURL(ctx, from)
	if err != nil {
		return nil, c.to.Failed("put", from.Redacted(), err)
	}
	return s, nil
}

func (c copier) openURL(ctx context.Context, from url.URL) (*upload.Source, error) {
	open := func(ctx context.Context) (*access.Resource, error) {
		return c.retrying.Do(ctx, &access.Request{URL: from, Login: c.env.Login()})
	}
	r, err := open(ctx)
	if err != nil {
		return nil, err
	}
	listing := r.List != nil
	if listing || r.Session != nil {
		r.Body.Close()
		err := &access.Error{Op: "copy", URL: from, Err: access.Reason("it is not a file", errors.ErrUnsupported)}
		if listing {
			err.Remedy = access.Advice("locus mirror copies folders")
		}
		return nil, err
	}
	s := &upload.Source{ReadCloser: r.Body, From: from.Redacted(), Size: r.Size, Validator: r.Validator()}
	s.Again = func(ctx context.Context) (io.ReadCloser, error) {
		r, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return r.Body, nil
	}
	if c.to.NeedsNames() {
		if s.Name, err = cli.FileName(from); err != nil {
			r.Body.Close()
			return nil, &cli.Hinted{Err: errors.Unwrap(err), Hint: "end DST in a name"}
		}
	}
	return s, nil
}

// parsePlace parses a URL or a file name, which becomes a file URL. A text is a URL if it
// starts with a known scheme, or has "://".
func parsePlace(e *cli.Env, text string) (url.URL, error) {
	name, _, found := strings.Cut(text, ":")
	if _, known := scheme.Lookup(strings.ToLower(name)); found && (known || strings.Contains(text, "://")) {
		u, err := url.Parse(text)
		if err != nil {
			return u, cli.Explain(err)
		}
		return u, nil
	}
	full, err := e.Abs(text)
	if err != nil {
		return url.URL{}, err
	}
	segments := strings.Split(strings.TrimPrefix(filepath.ToSlash(full), "/"), "/")
	info, err := e.Stat(text)
	if text == "" || strings.HasSuffix(text, "/") || runtime.GOOS == "windows" && strings.HasSuffix(text, `\`) || err == nil && info.IsDir() {
		if segments[len(segments)-1] != "" {
			segments = append(segments, "")
		}
	}
	return scheme.File{Host: url.Some(""), Segments: segments}.URL(), nil
}
