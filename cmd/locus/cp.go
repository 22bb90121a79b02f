package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/url"
)

func (p *process) cpCommand() *cli.Command {
	return &cli.Command{
		Name:      "cp",
		Usage:     "copy files between URLs of any schemes",
		UsageText: "locus cp [FLAG…] SRC… DST",
		Description: "SRC and DST are URLs or file names. If DST ends in /, or is a folder here, copy each\n" +
			"SRC into it under its last name. Start a file name with ./ if it looks like a URL.\n\n" +
			"The copy needs no temporary file and little memory. Listings are not copied: locus\n" +
			"mirror copies folders.\n\n" +
			retryNote + "\n\n" + replaceNote,
		Flags:    flags(changeFlags + "min-rate " + accessFlags),
		Metadata: details("preserve no-clobber if-match json quiet timeout", "locus cp gopher://gopher.example.org/0/about.txt ftp://me@example.org/about.txt"),
		Action:   p.cp,
	}
}

func (p *process) cp(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 2, -1)
	if err != nil {
		return err
	}
	to, err := place(args[len(args)-1])
	if err != nil {
		return err
	}
	w, err := p.writerTo(c, to, len(args)-1)
	if err != nil {
		return err
	}
	return p.eachArgument(ctx, c, args[:len(args)-1], func(ctx context.Context, arg string) error {
		if arg == "-" {
			s, err := p.source(arg)
			if err != nil {
				return err
			}
			return w.copy(ctx, s)
		}
		from, err := place(arg)
		if err != nil {
			return err
		}
		s, err := w.open(ctx, from)
		if err != nil {
			return w.unread("put", from.Redacted(), err)
		}
		defer s.Close()
		return w.copy(ctx, s)
	})
}

func (w *writer) copy(ctx context.Context, s *source) error {
	if isNews(w.to) {
		return w.append(ctx, s, w.to)
	}
	to, err := w.target(s.name)
	if err != nil {
		return err
	}
	return w.store(ctx, s, to)
}

// reopen returns a function that opens a source again.
func (w *writer) reopen(from url.URL) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		r, err := w.retrying.Do(ctx, &access.Request{URL: from, Login: w.login()})
		if err != nil {
			return nil, err
		}
		return r.Body, nil
	}
}

// open opens a source.
func (w *writer) open(ctx context.Context, from url.URL) (*source, error) {
	r, err := w.retrying.Do(ctx, &access.Request{URL: from, Login: w.login()})
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
	s := &source{ReadCloser: r.Body, again: w.reopen(from), from: from.Redacted(), size: r.Size, Validator: r.Validator()}
	if w.into {
		if s.name, err = fileName(from); err != nil {
			r.Body.Close()
			return nil, &hinted{errors.Unwrap(err), "end DST in a name"}
		}
	}
	return s, nil
}
