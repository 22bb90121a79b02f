// Package upload has the common parts of the verbs that write, copy or delete resources.
package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/internal/facts"
	"locus/internal/render"
	"locus/limit"
	"locus/retry"
	"locus/transfer"
	"locus/url"
)

// ReplaceNote is the paragraph of help texts that says when a file is replaced.
const ReplaceNote = "A file (file, ftp, sftp, nfs) is replaced at once, when all bytes have arrived, and\n" +
	"stays unchanged after an error. Exceptions are --ftp-direct, sftp servers that cannot\n" +
	"rename a file over another, and http, https and titan, where the server decides."

// RetryNote is the paragraph of help texts about retries.
const RetryNote = "Temporary failures are retried from the start. Stdin, posts to newsgroups, and\n" +
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

// Run uploads files to the URL that is the last of args. op says whether a file is replaced
// (access.Put) or gets the content at its end (access.Append).
func Run(ctx context.Context, e *cli.Env, op access.Op, args []string, a cli.Access, o Options) error {
	to, err := url.Parse(args[len(args)-1])
	switch {
	case err != nil:
		return cli.Explain(err)
	case !to.IsAbs():
		return &cli.UsageError{Text: op.String() + " needs a URL as its last argument", Hint: "locus cp also takes the name of a file there"}
	}
	client, err := e.Client(a, args)
	if err != nil {
		return err
	}
	w := &writer{env: e, engine: client, op: op, options: o, to: to}
	return w.run(ctx, client, args, a.Timeout, func(name string) (source, error) { return fileSource(e, name), nil })
}

// Copy copies files and resources to the URL or file that is the last of args. Each of the others
// is a file or a URL. minRate is the least rate in bytes a second: see --min-rate.
func Copy(ctx context.Context, e *cli.Env, args []string, a cli.Access, o Options, minRate int64) error {
	to, err := parseURLOrFile(e, args[len(args)-1])
	if err != nil {
		return err
	}
	client, err := e.Client(a, args)
	if err != nil {
		return err
	}
	client.MinRate = minRate
	w := &writer{env: e, engine: client, op: access.Put, options: o, to: to}
	from := copier{e, retry.Engine{Engine: client, Policy: o.Policy(), Notify: e.Note}, transfer.IsFolder(to)}
	return w.run(ctx, client, args, a.Timeout, from.source)
}

// A writer uploads to a URL.
type writer struct {
	env     *cli.Env
	engine  access.Engine
	op      access.Op
	options Options
	to      url.URL                   // a file, or a folder that ends in "/"
	ifMatch access.Validator          // of --if-match
	report  func(change, error) error // see reporter
}

// run uploads each of args except the last, which is the target. sourceOf returns the source of an
// argument, and timeout is the time for each. It returns an error in the flags or names before the first
// upload. Later it reports each error and continues, and the result is like the result of Env.Each.
func (w *writer) run(ctx context.Context, client *cli.Client, args []string, timeout time.Duration, sourceOf func(string) (source, error)) error {
	var err error
	if w.ifMatch, err = condition(w.to, w.options.IfMatch); err != nil {
		return err
	}
	if err := w.options.Upload.Set(&client.Engines.FTP); err != nil {
		return err
	}
	args = args[:len(args)-1]
	switch {
	case w.op != access.Put || len(args) < 2:
	case transfer.HasFolders(w.to) && !transfer.IsFolder(w.to):
		return cli.Misuse("to upload several files, the URL must be a folder, and end in /")
	case w.options.IfMatch != nil:
		return cli.Misuse("--if-match takes only one file")
	}
	if transfer.IsFolder(w.to) {
		if err := checkNames(args, sourceOf); err != nil {
			return err
		}
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
			return &cli.Hinted{Err: fmt.Errorf("timed out after %v: %w", timeout, err), Hint: "to give it more time, use a longer --max-time"}
		}
		return err
	})
}

// checkNames returns a UsageError if two of args have the same file name, because in a folder one
// would replace the other.
func checkNames(args []string, sourceOf func(string) (source, error)) error {
	taken := make(map[string]bool)
	for _, arg := range args {
		s, err := sourceOf(arg)
		if err != nil || s.name == "" {
			continue // run reports the error later
		}
		if taken[s.name] {
			return cli.Misuse("%s: another file has the same name %q", s.from, s.name)
		}
		taken[s.name] = true
	}
	return nil
}

// upload opens s and uploads it: to w.to or, if that is a folder, to a file in it. If the target is
// a newsgroup, it posts s. It writes the URL of an addition or a post to stdout.
func (w *writer) upload(ctx context.Context, s source) error {
	line := change{Op: w.op.String(), From: render.Value(s.from), URL: w.to.Redacted()}
	opened, err := s.open(ctx)
	if err != nil {
		return w.report(line, err)
	}
	u := transfer.Upload{
		Engine: w.engine, Op: access.Append, To: w.to, Login: w.env.Login(),
		Retry: w.options.Policy(), Note: w.env.Note,
		Progress: func(size int64) (io.Writer, func()) { return w.env.Progress(io.Discard, size) },
	}
	if w.op == access.Put && facts.Of(w.to.Scheme()).Protocol != "nntp" {
		u.Op, u.Preserve, u.IfAbsent, u.IfMatch = access.Put, w.options.Preserve, w.options.NoClobber, w.ifMatch
		if u.To, err = transfer.FileIn(w.to, opened.Name); err != nil {
			opened.Body.Close()
			return err
		}
	}
	done, err := u.Do(ctx, opened)
	if u.Op == access.Put && errors.Is(err, fs.ErrNotExist) && transfer.HasFolders(u.To) && cli.Hint(err) == "" {
		err = &cli.Hinted{Err: err, Hint: "if its folder is missing, make it with locus mkdir URL"}
	}
	if failed, ok := errors.AsType[*access.Error](err); ok && u.Op == access.Append && failed.Op == u.Op.String() {
		failed.Op = w.op.String() // the verb that the user typed
	}
	line.Op, line.URL, line.Bytes = u.Op.String(), u.To.Redacted(), &done.Bytes
	if u.Op == access.Append || u.To.Scheme() == "titan" { // the page has a gemini URL, which the server may choose
		line.Added = done.URL.Redacted()
	}
	if err := w.report(line, err); err != nil || line.Added == "" || w.options.JSON {
		return err
	}
	return w.env.Line(render.Clean(line.Added))
}
