// Package download fetches and sends files and trees for get, mirror and put, and shows the
// progress.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"net/netip"
	"os"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/internal/render"
	"locus/internal/typo"
	"locus/limit"
	"locus/proto/file"
	"locus/transfer"
	"locus/url"
)

// A Fetcher downloads into files. [New] makes one. Change Options and Jobs only before the first
// use.
type Fetcher struct {
	Options transfer.Options // of each file; Digest and Size come from the [File]
	Jobs    int              // how many files are fetched at the same time

	env      *cli.Env
	engine   access.Engine
	timeout  time.Duration // of each URL; 0: no limit
	reporter *reporter
	login    access.Login
	lookup   func(ctx context.Context, host string) ([]netip.Addr, error) // finds the addresses of a host; nil behind a proxy
}

// LimitSize makes f refuse files of more than *limit bytes. nil means no limit. A limit of 0 is a
// UsageError, because no file could be fetched.
func (f *Fetcher) LimitSize(limit *int64) error {
	if limit == nil {
		return nil
	}
	if *limit == 0 {
		return cli.Misuse("--max-size 0 would refuse every file")
	}
	f.Options.MaxSize = *limit
	return nil
}

// New returns a Fetcher that opens URLs with client, within the limits of o. It sets the limits of
// client, too. timeout is the time for each URL; 0 means no limit.
func New(e *cli.Env, client *cli.Client, o cli.Files, timeout time.Duration) *Fetcher {
	client.Limit(o.Fetch)
	f := &Fetcher{Jobs: cmp.Or(o.Jobs, 4), env: e, engine: client, timeout: timeout, reporter: newReporter(e, o.JSON)}
	f.Options = transfer.Options{Retry: client.RetryPolicy(o.Retry), Split: o.Split, Sync: o.Sync, Event: f.reporter.event}
	if client.Proxy == nil {
		f.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	f.login = e.LoginBy(f.reporter.asking(e.PasswordPrompt()))
	return f
}

// A File is a file to fetch, or an error that says why it cannot be fetched.
type File struct {
	transfer.File
	Unnamed bool  // the user did not name URL, so only .netrc has passwords for it
	Err     error // why it cannot be fetched; nil if it can
}

// Fetch downloads files into root, several at a time. It reports the error of a file, and continues
// with the others. At the end it returns ErrReported if a file failed, ErrInterrupted if ctx is
// done, and otherwise nil.
func (f *Fetcher) Fetch(ctx context.Context, root *os.Root, files iter.Seq[File]) error {
	defer f.reporter.close()
	failed, partial := false, false // partial: a file was left that is not complete
	transfer.GetFiles(ctx, f.engine, root, f.prepared(files), f.Jobs, f.Options, func(_ transfer.File, err error, hasPart bool) {
		if err == nil {
			return
		}
		failed, partial = true, partial || hasPart
		if hasPart && cli.Hint(err) == "" {
			err = &cli.Hinted{Err: err, Hint: resumeHint}
		}
		if ctx.Err() == nil {
			f.reporter.report(err)
		}
	})
	switch {
	case ctx.Err() != nil && partial:
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: resumeHint}
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case failed:
		return cli.ErrReported
	}
	return nil
}

// prepared yields files with the timeout and the logins of the user, together with their errors.
func (f *Fetcher) prepared(files iter.Seq[File]) iter.Seq2[transfer.File, error] {
	return func(yield func(transfer.File, error) bool) {
		for file := range files {
			file.Timeout, file.Note, file.OtherLogin = f.timeout, f.reporter.report, f.env.OtherLogin()
			if file.Login = f.login; file.Unnamed {
				file.Login = file.OtherLogin
			}
			if !yield(file.File, file.Err) {
				return
			}
		}
	}
}

const resumeHint = "--continue resumes it"

// timed returns the engine of f, limited to the time that the user allows for each URL.
func (f *Fetcher) timed() access.Engine {
	return limit.Timed{Engine: f.engine, Timeout: f.timeout}
}

// MirrorOptions select the files that Mirror copies and deletes.
type MirrorOptions struct {
	cli.Tree
	cli.Sharded
	cli.Offline
	Delete    bool
	MaxDelete *int // nil: no limit
}

// Mirror copies everything below u into the folder dir, which it makes, except in a dry run. It
// reports files that fail, and then returns ErrReported. A pattern of o that is invalid is a
// UsageError.
func (f *Fetcher) Mirror(ctx context.Context, u url.URL, dir string, o MirrorOptions) error {
	defer f.reporter.close()
	if !u.IsAbs() {
		return f.noScheme(u)
	}
	options := transfer.MirrorOptions{
		TreeOptions: f.treeOptions(o.Divide(o.Files()), o.Delete, o.MaxDelete),
		Split:       f.Options.Split, SplitSize: f.Options.SplitSize, MaxSize: f.Options.MaxSize, Sync: f.Options.Sync,
		Level: o.Level, MaxFiles: o.MaxFiles, MaxTotal: o.MaxTotal, Listings: o.Listings, IgnoreRobots: o.IgnoreRobots, Portable: o.Portable,
		Parts: o.PageRequisites, Convert: o.ConvertLinks, OtherHosts: o.OtherHosts,
	}
	options.DryRun, options.MaxEntries, options.Lookup = o.DryRun, o.MaxEntries, f.lookup
	if err := options.Filter.Check(); err != nil {
		return cli.Misuse("%v", err)
	}
	if err := f.checkOverlap(u, dir, options); err != nil {
		return err
	}
	_, err := f.env.Stat(dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if options.DryRun {
		if isNew {
			if dir, err = os.MkdirTemp("", "locus"); err != nil {
				return err
			}
			defer os.Remove(dir)
		}
		spool, err := os.OpenRoot(os.TempDir())
		if err != nil {
			return err
		}
		defer spool.Close()
		options.TempDir = spool
	}
	root, err := f.env.MakeRoot(dir, 0o777)
	if err != nil {
		return err
	}
	defer root.Close()
	var away elsewhere
	options.Event = func(e transfer.Event) {
		away.count(e)
		f.treeEvent(ctx, e, "get")
	}
	report, err := transfer.Mirror(ctx, f.timed(), u, root, options)
	if report.Disallowed > 0 {
		f.reporter.report(&cli.Hinted{
			Err:  fmt.Errorf("%s: links not followed because of robots.txt: %d", u.Redacted(), report.Disallowed),
			Hint: "--ignore-robots follows them",
		})
	}
	if others := report.OmittedElsewhere; others > 0 && (!f.env.Quiet || err != nil) {
		away.report(f.reporter, u)
		f.reporter.report(&cli.Hinted{
			Err:  fmt.Errorf("%s: links to other servers that are not in the copy: %d", u.Redacted(), others),
			Hint: "--other-hosts PATTERN also fetches the files that they name",
		})
	}
	if report.Missing > 0 {
		f.reporter.report(missingParts(u, report))
	}
	err = f.result(ctx, err, ended{o.DryRun, report.Failed, report.NotDeleted, report.Summary(o.DryRun, "fetched", "to fetch")})
	if err != nil && isNew && !o.DryRun {
		_ = os.Remove(f.env.Path(dir)) // succeeds only if the folder is empty
	}
	return err
}

// treeOptions returns the options for copying a tree. files selects files, and deletes says whether
// files that the source lacks are deleted, but at most *maxDelete files. A nil maxDelete means no
// limit, and 0 allows no deletion.
func (f *Fetcher) treeOptions(files transfer.Filter, deletes bool, maxDelete *int) transfer.TreeOptions {
	o := transfer.TreeOptions{Retry: f.Options.Retry, Event: f.Options.Event, Login: f.login, Filter: files, Jobs: f.Jobs, Delete: deletes}
	if maxDelete != nil {
		o.MaxDelete, o.DeleteNone = *maxDelete, *maxDelete == 0
	}
	return o
}

// noScheme returns the error for u, a reference without a scheme. Its hint helps if u is the name
// of a folder or looks like a URL with a typo.
func (f *Fetcher) noScheme(u url.URL) error {
	hint := "a URL starts with its scheme, as in ftp://example.org/pub/"
	if info, err := f.env.Stat(u.String()); err == nil && info.IsDir() {
		hint = "the URL of this folder is " + f.env.FileURL(u.String()).String()
	}
	if meant, ok := typo.URL(u.Redacted()); ok {
		hint = "did you mean " + meant + "?"
	}
	return &cli.Hinted{Err: fmt.Errorf("mirror %s: it has no scheme", u.Redacted()), Hint: hint}
}

// checkOverlap returns an error if u is a file URL whose folder must not be mirrored into dir,
// because one contains the other. See [transfer.MirrorOptions.CheckOverlap].
func (f *Fetcher) checkOverlap(u url.URL, dir string, o transfer.MirrorOptions) error {
	source := file.PathOf(u)
	if source == "" {
		return nil
	}
	target, err := f.env.Abs(dir)
	if err != nil {
		return err
	}
	return o.CheckOverlap(f.env.FileURL(file.RealPath(source)), f.env.FileURL(file.RealPath(target)))
}

// An ended says how the copying of a tree has ended.
type ended struct {
	dryRun     bool
	failed     int   // files and directories
	notDeleted error // the reason if files were not deleted
	summary    string
}

// result reports how the copying of a tree has ended, and returns the error of the verb. err is the
// error of the copying; an interrupt by the user takes precedence.
func (f *Fetcher) result(ctx context.Context, err error, e ended) error {
	if ctx.Err() == nil && err == nil && e.notDeleted != nil {
		f.reporter.report(fmt.Errorf("nothing was deleted: %w", e.notDeleted))
	}
	f.reporter.summarize(e.summary, e.failed > 0)
	switch {
	case ctx.Err() != nil && !e.dryRun:
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: "run the same command again to resume"}
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case err != nil:
		return err
	case e.notDeleted != nil || e.failed > 0:
		return cli.ErrReported
	}
	return nil
}

// missingParts returns the error for files that pages load and that are not in the copy. It adds a
// hint if some of them are on other hosts.
func missingParts(u url.URL, report transfer.Report) error {
	err := fmt.Errorf("%s: files that pages load and that are not in the copy: %d", u.Redacted(), report.Missing)
	if report.MissingElsewhere == 0 {
		return err
	}
	return &cli.Hinted{Err: err, Hint: "--other-hosts PATTERN also fetches from other hosts"}
}

// treeEvent shows an event of copying a tree. It reports failures, and, unless --quiet is given,
// the files that the copy lacks. In a dry run without --json it writes a line to stdout for each
// action that would be done: verb ("get" or "put") or "delete". After the end of ctx it does not
// report failures, because the caller reports that end.
func (f *Fetcher) treeEvent(ctx context.Context, e transfer.Event, verb string) {
	r := f.reporter
	r.event(e)
	what := map[transfer.Kind]string{transfer.WouldFetch: verb, transfer.WouldDelete: "delete"}[e.Kind]
	switch {
	case e.Kind == transfer.Failed && ctx.Err() == nil && verb == "put" && e.Name != ".":
		r.report(fmt.Errorf("%s: %w", e.Name, e.Err))
	case e.Kind == transfer.Failed && ctx.Err() == nil:
		r.report(e.Err)
	case e.Kind == transfer.Omitted && !r.env.Quiet && !errors.Is(e.Err, transfer.ErrOtherHost):
		r.report(fmt.Errorf("note: %s is not in the copy: %w", e.URL.Redacted(), e.Err))
	case e.Kind == transfer.Missing && !r.env.Quiet:
		r.report(fmt.Errorf("%s loads %s: %w", render.Clean(e.Name), e.URL.Redacted(), e.Err))
	case what != "" && r.json == nil:
		r.above(func() { fmt.Fprintf(r.env.Out, "%s\t%s\n", what, render.Clean(e.Name)) })
	}
}
