package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/render"
	"locus/retry"
	"locus/scheme"
	"locus/url"
)

// A writer uploads to URLs.
type writer struct {
	*process
	command  *cli.Command
	opener   access.Engine
	retrying access.Engine // opener, which tries again
	retry    retry.Policy
	to       url.URL // the last argument
	into     bool    // to is a directory
	keepTime bool
	report   func(changed, error) error
}

// writer returns the writer that the flags and the last argument ask for.
func (p *process) writer(c *cli.Command, args []string) (*writer, error) {
	last := args[len(args)-1]
	to, err := url.Parse(last)
	if err != nil {
		return nil, explain(err)
	}
	if !to.IsAbs() {
		return nil, &usageError{text: c.Name + " wants a URL at the end", hint: "locus cp takes names of files there, too"}
	}
	return p.writerTo(c, to, len(args)-1)
}

// writerTo returns a writer of a number of sources to a URL.
func (p *process) writerTo(c *cli.Command, to url.URL, sources int) (*writer, error) {
	w := &writer{process: p, command: c, to: to, into: isDirectory(to), keepTime: c.Bool("preserve"), report: p.changeReporter(c)}
	if sources > 1 && !w.into && hasDirectories(to) && c.Name != "append" {
		return nil, misuse("several files need a folder: a URL that ends in /")
	}
	if sources > 1 && c.IsSet("if-match") {
		return nil, misuse("--if-match takes one file")
	}
	if err := match(c, &access.Request{URL: to}); err != nil {
		return nil, err
	}
	client, engines, err := p.newClient(c)
	if err != nil {
		return nil, err
	}
	if err := setUploads(c, &engines.ftp); err != nil {
		return nil, err
	}
	if w.retry, err = retryPolicy(c); err != nil {
		return nil, err
	}
	w.opener = client
	w.retrying = retry.Engine{Engine: w.opener, Policy: w.retry, Notify: p.note}
	return w, nil
}

// isDirectory reports whether u ends in "/", before a query or a type code, in a scheme
// with directories.
func isDirectory(u url.URL) bool {
	path, _, _ := strings.Cut(u.Path(), ";")
	return strings.HasSuffix(path, "/") && hasDirectories(u)
}

func hasDirectories(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Hierarchical)
}

// target returns the URL to store what is named name at.
func (w *writer) target(name string) (url.URL, error) {
	if !w.into {
		return w.to, nil
	}
	if name == "" {
		return url.URL{}, &hinted{fmt.Errorf("%s: it is a folder, and the source has no name", w.to.Redacted()), "end the URL in a name"}
	}
	parts := w.to.Parts()
	folder, code, _ := strings.Cut(parts.Path, ";")
	parts.Path = folder + url.Escape(name, url.RFC3986.Unreserved())
	if code != "" {
		parts.Path += ";" + code
	}
	return url.RFC3986.Build(parts)
}

// unread reports a source that could not be opened.
func (w *writer) unread(op, from string, err error) error {
	return w.report(changed{Op: op, From: render.Value(from), URL: w.to.Redacted()}, err)
}

// store uploads s to a URL.
func (w *writer) store(ctx context.Context, s *source, to url.URL) error {
	req := &access.Request{Op: access.Put, URL: to, Size: s.size, Login: w.login()}
	if w.keepTime {
		req.ModTime = s.ModTime
	}
	if err := match(w.command, req); err != nil {
		return err
	}
	count := &counted{}
	err := w.absent(ctx, req)
	if err == nil {
		err = w.send(ctx, s, req, count)
	}
	return w.report(changed{Op: "put", From: render.Value(s.from), URL: to.Redacted(), Octets: &count.n}, err)
}

// send uploads s. It retries after a failure that may pass, if that is safe.
func (w *writer) send(ctx context.Context, s *source, req *access.Request, count *counted) error {
	policy := w.retry
	if s.again == nil || req.IfAbsent || !req.IfMatch.IsZero() {
		policy.Retries = -1
	}
	first := true
	var unread error // a failure of the source, which was retried already
	err := policy.Do(ctx, func(ctx context.Context) error {
		if !first {
			if s.file == nil {
				s.Close()
			}
			again, err := s.again(ctx)
			if err != nil {
				return err
			}
			s.ReadCloser, count.n = again, 0
		}
		first = false
		body, done := w.body(ctx, s, count)
		defer done()
		sent := *req
		sent.Body = body
		_, err := w.opener.Do(ctx, &sent)
		if err != nil && count.broken {
			unread = err
			return nil
		}
		return err
	}, func(err error, wait time.Duration) { w.note(req.URL, err, wait) })
	return cmp.Or(unread, err)
}

// absent obeys --no-clobber. It looks for the file first, because not every protocol
// can refuse to replace it.
func (w *writer) absent(ctx context.Context, req *access.Request) error {
	if !w.command.Bool("no-clobber") {
		return nil
	}
	req.IfAbsent = true
	_, err := w.opener.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login})
	switch {
	case err == nil:
		return &access.Error{Op: "put", URL: req.URL, Err: fs.ErrExist}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// append sends s to be added to what a URL names.
func (w *writer) append(ctx context.Context, s *source, to url.URL) error {
	count := &counted{}
	body, done := w.body(ctx, s, count)
	var added url.URL
	r, err := w.opener.Do(ctx, &access.Request{Op: access.Append, Body: body, URL: to, Size: s.size, Login: w.login()})
	done()
	if err == nil {
		added = r.URL
	}
	line := changed{Op: "append", From: render.Value(s.from), URL: to.Redacted(), Added: added.Redacted(), Octets: &count.n}
	if err := w.report(line, err); err != nil || added.IsZero() || w.command.Bool("json") {
		return err
	}
	_, err = fmt.Fprintln(w.out, render.Clean(added.Redacted()))
	return err
}

// body returns a Reader of s that counts and shows the bytes. It is a Seeker if s is a
// regular file.
func (w *writer) body(ctx context.Context, s *source, count *counted) (io.Reader, func()) {
	show, done := w.progress(io.Discard, s.size)
	count.Reader, count.shown = s, show
	if s.file == nil {
		return count, done
	}
	if info, err := s.file.Stat(); err == nil && info.Mode().IsRegular() {
		return struct {
			*counted
			io.Seeker
		}{count, s.file}, done
	}
	count.Reader = untilDone(ctx, s)
	return count, done
}

// counted is a Reader that counts its bytes.
type counted struct {
	io.Reader
	shown  io.Writer
	n      int64
	broken bool // it failed before its end
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	c.broken = c.broken || err != nil && !errors.Is(err, io.EOF)
	_, _ = c.shown.Write(b[:n])
	return n, err
}

// eachArgument calls do with each argument and a context with the timeout. It continues
// after errors.
func (p *process) eachArgument(ctx context.Context, c *cli.Command, args []string, do func(context.Context, string) error) error {
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	return p.each(ctx, args, func(arg string) error {
		ctx, cancel := deadline(ctx, c.Duration("timeout"))
		defer cancel()
		err := do(ctx, arg)
		if err != nil && ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &hinted{fmt.Errorf("not done after %v: %w", c.Duration("timeout"), err), "a longer --timeout gives it more time"}
		}
		return err
	})
}

// place parses a URL or a file name, which becomes a file URL. A text is a URL if it
// starts with a known scheme, or has "://".
func place(text string) (url.URL, error) {
	name, _, found := strings.Cut(text, ":")
	if _, known := scheme.Lookup(strings.ToLower(name)); found && (known || strings.Contains(text, "://")) {
		u, err := url.Parse(text)
		if err != nil {
			return u, explain(err)
		}
		return u, nil
	}
	full, err := filepath.Abs(text)
	if err != nil {
		return url.URL{}, err
	}
	segments := strings.Split(strings.TrimPrefix(filepath.ToSlash(full), "/"), "/")
	info, err := os.Stat(text)
	if text == "" || strings.HasSuffix(text, "/") || runtime.GOOS == "windows" && strings.HasSuffix(text, `\`) || err == nil && info.IsDir() {
		if segments[len(segments)-1] != "" {
			segments = append(segments, "")
		}
	}
	return scheme.File{Host: url.Some(""), Segments: segments}.URL(), nil
}
