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
	"locus/console"
	"locus/internal/facts"
	"locus/limit"
	"locus/render"
	"locus/retry"
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
	to, err := url.Parse(args[len(args)-1])
	switch {
	case err != nil:
		return cli.Explain(err)
	case !to.IsAbs():
		return &cli.UsageError{Text: op.String() + " wants a URL at the end", Hint: "locus cp takes names of files there, too"}
	}
	client, err := e.Client(a, args)
	if err != nil {
		return err
	}
	w := &writer{env: e, engine: client, op: op, options: o, to: to}
	return w.run(ctx, client, args, a.Timeout, func(name string) (*source, error) { return fileSource(e, name), nil })
}

// Copy copies files and what URLs name. The last of args is a file or a URL, too. minRate
// is the MinRate of the client.
func Copy(ctx context.Context, e *cli.Env, args []string, a cli.Access, o Options, minRate int64) error {
	to, err := parsePlace(e, args[len(args)-1])
	if err != nil {
		return err
	}
	client, err := e.Client(a, args)
	if err != nil {
		return err
	}
	client.MinRate = minRate
	w := &writer{env: e, engine: client, op: access.Put, options: o, to: to}
	from := copier{e, retry.Engine{Engine: client, Policy: o.Policy(), Notify: e.Note}, isFolder(to)}
	return w.run(ctx, client, args, a.Timeout, from.source)
}

// A writer uploads to a URL.
type writer struct {
	env     *cli.Env
	engine  access.Engine
	op      access.Op
	options Options
	to      url.URL
	report  func(change, error) error
}

// run uploads each of args but the last, whose sources sourceOf returns. It continues
// after errors.
func (w *writer) run(ctx context.Context, client *cli.Client, args []string, timeout time.Duration, sourceOf func(string) (*source, error)) error {
	if err := setCondition(&access.Request{URL: w.to}, w.options.IfMatch); err != nil {
		return err
	}
	if err := w.options.Upload.Set(&client.Engines.FTP); err != nil {
		return err
	}
	args = args[:len(args)-1]
	switch {
	case w.op != access.Put || len(args) < 2:
	case hasFolders(w.to) && !isFolder(w.to):
		return cli.Misuse("several files need a folder: a URL that ends in /")
	case w.options.IfMatch != nil:
		return cli.Misuse("--if-match takes one file")
	}
	w.report = reporter(w.env, w.options.JSON)
	ctx, stop := w.env.UntilInterrupted(ctx)
	defer stop()
	return w.env.Each(ctx, args, func(arg string) error {
		s, err := sourceOf(arg)
		if err != nil {
			return err
		}
		ctx, cancel := limit.Deadline(ctx, timeout)
		defer cancel()
		err = w.upload(ctx, s)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &cli.Hinted{Err: fmt.Errorf("not done after %v: %w", timeout, err), Hint: "a longer --max-time gives it more time"}
		}
		return err
	})
}

// upload opens s and uploads it. To a newsgroup, it is posted.
func (w *writer) upload(ctx context.Context, s *source) error {
	if err := s.open(ctx); err != nil {
		return w.report(change{Op: w.op.String(), From: render.Value(s.from), URL: w.to.Redacted()}, err)
	}
	defer func() { s.Close() }() // of the one that was opened last
	if w.op == access.Append || isNews(w.to) {
		return w.add(ctx, s)
	}
	return w.put(ctx, s)
}

// isFolder reports whether u ends in "/", before a query or a type code, in a scheme with
// folders.
func isFolder(u url.URL) bool {
	path, _, _ := strings.Cut(u.Path(), ";")
	return strings.HasSuffix(path, "/") && hasFolders(u)
}

func hasFolders(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Hierarchical) }

func isNews(u url.URL) bool { return facts.Of(u.Scheme()).Protocol == "nntp" }

// urlOf returns the URL to store a file with a name at.
func (w *writer) urlOf(name string) (url.URL, error) {
	if !isFolder(w.to) {
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

// put stores s.
func (w *writer) put(ctx context.Context, s *source) error {
	to, err := w.urlOf(s.name)
	if err != nil {
		return err
	}
	req := &access.Request{Op: access.Put, URL: to, Login: w.env.Login()}
	if w.options.Preserve {
		req.ModTime = s.modTime
	}
	if err := setCondition(req, w.options.IfMatch); err != nil {
		return err
	}
	count := &counted{}
	if err = w.checkAbsent(ctx, req); err == nil {
		err = w.send(ctx, s, req, count)
	}
	return w.report(change{Op: "put", From: render.Value(s.from), URL: to.Redacted(), Bytes: &count.n}, err)
}

// send uploads s. It retries after a failure that may pass, if that is safe.
func (w *writer) send(ctx context.Context, s *source, req *access.Request, count *counted) error {
	policy := w.options.Policy()
	if s.once || req.IfAbsent || !req.IfMatch.IsZero() {
		policy.Retries = -1
	}
	first := true
	var unread error // a failure of the source, which was retried already
	err := policy.Do(ctx, func(ctx context.Context) error {
		if !first {
			s.Close()
			if err := s.open(ctx); err != nil {
				return err
			}
		}
		first = false
		sent := *req
		var done func()
		sent.Body, done = w.body(ctx, s, count)
		defer done()
		sent.Size = s.size
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
func (w *writer) checkAbsent(ctx context.Context, req *access.Request) error {
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

// add sends s to be added to what the URL names.
func (w *writer) add(ctx context.Context, s *source) error {
	count := &counted{}
	body, done := w.body(ctx, s, count)
	var added url.URL
	r, err := w.engine.Do(ctx, &access.Request{Op: access.Append, Body: body, URL: w.to, Size: s.size, Login: w.env.Login()})
	done()
	if err == nil {
		added = r.URL
	}
	line := change{Op: "append", From: render.Value(s.from), URL: w.to.Redacted(), Added: added.Redacted(), Bytes: &count.n}
	if err := w.report(line, err); err != nil || added.IsZero() || w.options.JSON {
		return err
	}
	return w.env.Line(render.Clean(added.Redacted()))
}

// body returns a Reader of s that counts and shows the bytes. It is a Seeker if s is a
// regular file.
func (w *writer) body(ctx context.Context, s *source, count *counted) (io.Reader, func()) {
	show, done := w.env.Progress(io.Discard, s.size)
	*count = counted{Reader: s, shown: show}
	if s.file == nil {
		return count, done
	}
	if info, err := s.file.Stat(); err == nil && info.Mode().IsRegular() {
		return struct {
			*counted
			io.Seeker
		}{count, s.file}, done
	}
	count.Reader = console.UntilDone(ctx, s)
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
