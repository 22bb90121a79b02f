// Package upload is what the verbs have in common that change what URLs name.
package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

// ReplaceNote says in help texts when a file is replaced.
const ReplaceNote = "Files (file, ftp) are replaced at once, when all bytes have arrived, and stay\n" +
	"unchanged after an error. Exceptions are ftp servers without RNTO, and http and\n" +
	"https, where the server decides."

// RetryNote says in help texts what is retried.
const RetryNote = "Failures that may pass are retried from the start. Stdin, posts to newsgroups, and\n" +
	"changes with a condition (--if-match, --no-clobber) are not retried."

// Options are the flags of put and cp.
type Options struct {
	Preserve  bool    `flag:"preserve"`
	NoClobber bool    `flag:"no-clobber"`
	IfMatch   *string `flag:"if-match"`
	JSON      bool    `flag:"json"`
	cli.Upload
	cli.Retry
}

// Run puts or appends files. The last of args is the URL.
func Run(ctx context.Context, e *cli.Env, op access.Op, args []string, a cli.Access, o Options) error {
	last := len(args) - 1
	to, err := target(op, args[last])
	if err != nil {
		return err
	}
	client, err := e.Client(a, args)
	if err != nil {
		return err
	}
	w, err := NewWriter(e, client, o, to)
	if err != nil {
		return err
	}
	upload := w.Append
	if op == access.Put {
		upload = w.Put
		if err := w.CheckCount(last); err != nil {
			return err
		}
	}
	return w.Each(ctx, args[:last], a.Timeout, func(ctx context.Context, name string) error {
		s, err := Open(e, name)
		if err != nil {
			return w.Failed(op.String(), name, err)
		}
		defer s.Close()
		return upload(ctx, s)
	})
}

// A Writer uploads files to a URL.
type Writer struct {
	env     *cli.Env
	engine  access.Engine
	options Options
	to      url.URL
	into    bool // to is a folder
	report  func(change, error) error
}

// NewWriter returns a Writer that uploads to a URL with client.
func NewWriter(e *cli.Env, client *cli.Client, o Options, to url.URL) (*Writer, error) {
	if err := setCondition(&access.Request{URL: to}, o.IfMatch); err != nil {
		return nil, err
	}
	if err := o.Upload.Set(&client.Engines.FTP); err != nil {
		return nil, err
	}
	return &Writer{env: e, engine: client, options: o, to: to, into: isFolder(to), report: reporter(e, o.JSON)}, nil
}

// CheckCount returns an error if the Writer cannot store a number of files.
func (w *Writer) CheckCount(files int) error {
	switch {
	case files > 1 && !w.into && hasFolders(w.to):
		return cli.Misuse("several files need a folder: a URL that ends in /")
	case files > 1 && w.options.IfMatch != nil:
		return cli.Misuse("--if-match takes one file")
	}
	return nil
}

// NeedsNames reports whether the Writer stores files under their names, in a folder.
func (w *Writer) NeedsNames() bool { return w.into }

// target parses the last argument of put or append: the URL to upload to.
func target(op access.Op, text string) (url.URL, error) {
	to, err := url.Parse(text)
	if err != nil {
		return to, cli.Explain(err)
	}
	if !to.IsAbs() {
		return to, &cli.UsageError{Text: op.String() + " wants a URL at the end", Hint: "locus cp takes names of files there, too"}
	}
	return to, nil
}

// isFolder reports whether u ends in "/", before a query or a type code, in a scheme with
// folders.
func isFolder(u url.URL) bool {
	path, _, _ := strings.Cut(u.Path(), ";")
	return strings.HasSuffix(path, "/") && hasFolders(u)
}

func hasFolders(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Hierarchical)
}

func isNews(u url.URL) bool {
	switch u.Scheme() {
	case "news", "snews", "nntp", "nntps":
		return true
	}
	return false
}

// urlOf returns the URL to store a file with a name at.
func (w *Writer) urlOf(name string) (url.URL, error) {
	if !w.into {
		return w.to, nil
	}
	if name == "" {
		return url.URL{}, &cli.Hinted{
			Err:  fmt.Errorf("%s: it is a folder, and the source has no name", w.to.Redacted()),
			Hint: "end the URL in a name",
		}
	}
	parts := w.to.Parts()
	folder, code, _ := strings.Cut(parts.Path, ";")
	parts.Path = folder + url.Escape(name, url.RFC3986.Unreserved())
	if code != "" {
		parts.Path += ";" + code
	}
	return url.RFC3986.Build(parts)
}

// Each calls do with each argument and a context that ends after the timeout. It
// continues after errors.
func (w *Writer) Each(ctx context.Context, args []string, timeout time.Duration, do func(context.Context, string) error) error {
	ctx, stop := w.env.UntilInterrupted(ctx)
	defer stop()
	return w.env.Each(ctx, args, func(arg string) error {
		ctx, cancel := cli.Deadline(ctx, timeout)
		defer cancel()
		err := do(ctx, arg)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &cli.Hinted{Err: fmt.Errorf("not done after %v: %w", timeout, err), Hint: "a longer --max-time gives it more time"}
		}
		return err
	})
}

// Failed reports a source that could not be opened. op is what was to be done with it.
func (w *Writer) Failed(op, from string, err error) error {
	return w.report(change{Op: op, From: render.Value(from), URL: w.to.Redacted()}, err)
}

// Put stores s, or posts it to a newsgroup.
func (w *Writer) Put(ctx context.Context, s *Source) error {
	if isNews(w.to) {
		return w.Append(ctx, s)
	}
	to, err := w.urlOf(s.Name)
	if err != nil {
		return err
	}
	req := &access.Request{Op: access.Put, URL: to, Size: s.Size, Login: w.env.Login()}
	if w.options.Preserve {
		req.ModTime = s.ModTime
	}
	if err := setCondition(req, w.options.IfMatch); err != nil {
		return err
	}
	count := &counted{}
	if err = w.checkAbsent(ctx, req); err == nil {
		err = w.send(ctx, s, req, count)
	}
	return w.report(change{Op: "put", From: render.Value(s.From), URL: to.Redacted(), Bytes: &count.n}, err)
}

// send uploads s. It retries after a failure that may pass, if that is safe.
func (w *Writer) send(ctx context.Context, s *Source, req *access.Request, count *counted) error {
	policy := w.options.Policy()
	if s.Again == nil || req.IfAbsent || !req.IfMatch.IsZero() {
		policy.Retries = -1
	}
	first := true
	var unread error // a failure of the source, which was retried already
	err := policy.Do(ctx, func(ctx context.Context) error {
		if !first {
			if s.file == nil {
				s.Close()
			}
			again, err := s.Again(ctx)
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
		_, err := w.engine.Do(ctx, &sent)
		if err != nil && count.broken {
			unread = err
			return nil
		}
		return err
	}, func(err error, wait time.Duration) { w.env.Note(req.URL, err, wait) })
	return cmp.Or(unread, err)
}

// checkAbsent obeys --no-clobber. It looks for the file first, because not every protocol
// can refuse to replace it.
func (w *Writer) checkAbsent(ctx context.Context, req *access.Request) error {
	if !w.options.NoClobber {
		return nil
	}
	req.IfAbsent = true
	_, err := w.engine.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login})
	switch {
	case err == nil:
		return &access.Error{Op: "put", URL: req.URL, Err: fs.ErrExist}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// Append sends s to be added to what the URL names.
func (w *Writer) Append(ctx context.Context, s *Source) error {
	count := &counted{}
	body, done := w.body(ctx, s, count)
	var added url.URL
	r, err := w.engine.Do(ctx, &access.Request{Op: access.Append, Body: body, URL: w.to, Size: s.Size, Login: w.env.Login()})
	done()
	if err == nil {
		added = r.URL
	}
	line := change{Op: "append", From: render.Value(s.From), URL: w.to.Redacted(), Added: added.Redacted(), Bytes: &count.n}
	if err := w.report(line, err); err != nil || added.IsZero() || w.options.JSON {
		return err
	}
	return w.env.Line(render.Clean(added.Redacted()))
}

// body returns a Reader of s that counts and shows the bytes. It is a Seeker if s is a
// regular file.
func (w *Writer) body(ctx context.Context, s *Source, count *counted) (io.Reader, func()) {
	show, done := w.env.Progress(io.Discard, s.Size)
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
	count.Reader = cli.UntilDone(ctx, s)
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
