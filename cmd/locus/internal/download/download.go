// Package download fetches and sends files and trees for get, mirror and put, and shows
// the progress.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/limit"
	"locus/render"
	"locus/transfer"
	"locus/url"
)

// A Fetcher downloads into files. [New] makes one; Options and Jobs may be changed
// before it is used.
type Fetcher struct {
	Options transfer.Options // of each file; Digest and Size are those of the [File]
	Jobs    int              // how many files are fetched at once

	env      *cli.Env
	engine   access.Engine
	timeout  time.Duration // of each URL; 0: no limit
	reporter *reporter
	login    cli.LoginFunc
}

// LimitSize refuses files of more than limit bytes; nil: none. For a limit of 0 it
// returns a UsageError: nothing could be fetched.
func (f *Fetcher) LimitSize(limit *int64) error {
	if limit == nil {
		return nil
	}
	if *limit == 0 {
		return cli.Misuse("--max-size 0 leaves no file to fetch")
	}
	f.Options.MaxSize = *limit
	return nil
}

// New returns a Fetcher that opens with client, within the limits of o.
func New(e *cli.Env, client *cli.Client, o cli.Files, timeout time.Duration) *Fetcher {
	client.Limit(o.Fetch)
	f := &Fetcher{Jobs: cmp.Or(o.Jobs, 4), env: e, engine: client, timeout: timeout, reporter: newReporter(e, o.JSON)}
	f.Options = transfer.Options{Retry: o.Policy(), Split: o.Split, Sync: o.Sync, Event: f.reporter.event}
	f.login = e.LoginBy(f.reporter.asking(e.PasswordPrompt()))
	return f
}

// A File is a file to fetch, or why it cannot be fetched.
type File struct {
	transfer.File
	Unnamed bool  // the user did not name URL, so only .netrc has passwords for it
	Err     error // nil: it can be fetched
}

// Fetch downloads files into root, several at once. It reports errors, and continues.
func (f *Fetcher) Fetch(ctx context.Context, root *os.Root, files iter.Seq[File]) error {
	defer f.reporter.close()
	var all sync.WaitGroup
	var failed, partial atomic.Bool // partial: a partial file is left
	// While Jobs files are received, as many others may be verified and renamed.
	started, receiving := make(chan struct{}, 2*f.Jobs), make(chan struct{}, f.Jobs)
	for file := range files {
		if ctx.Err() != nil {
			break
		}
		started <- struct{}{}
		receiving <- struct{}{}
		received := sync.OnceFunc(func() { <-receiving })
		all.Go(func() {
			defer func() { <-started }()
			defer received()
			err := f.fetchFile(ctx, root, file, received)
			if err == nil {
				return
			}
			if ctx.Err() == nil {
				f.reporter.report(err)
			}
			failed.Store(true)
			if file.Err == nil && hasPart(root, file) {
				partial.Store(true)
			}
		})
	}
	all.Wait()
	switch {
	case ctx.Err() != nil && partial.Load():
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: resumeHint}
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case failed.Load():
		return cli.ErrReported
	}
	return nil
}

// fetchFile downloads a file. It calls received when all bytes are here.
func (f *Fetcher) fetchFile(ctx context.Context, root *os.Root, file File, received func()) error {
	if file.Err != nil {
		f.reporter.event(transfer.Event{Kind: transfer.Failed, URL: file.URL, Size: -1, Err: file.Err})
		return file.Err
	}
	options := f.Options
	options.Received = received
	file.Timeout, file.Note, file.OtherLogin = f.timeout, f.reporter.report, f.env.LoginBy(nil)
	if file.Login = f.login; file.Unnamed {
		file.Login = file.OtherLogin
	}
	err := transfer.GetFile(ctx, f.engine, root, file.File, options)
	if err != nil && cli.Hint(err) == "" && hasPart(root, file) {
		return &cli.Hinted{Err: err, Hint: resumeHint}
	}
	return err
}

// timed returns the Engine, which gives each URL no more time than the user allows.
func (f *Fetcher) timed() access.Engine {
	return limit.Timed{Engine: f.engine, Timeout: f.timeout}
}

const resumeHint = "--continue resumes it"

// hasPart reports whether there is a partial file to resume.
func hasPart(root *os.Root, f File) bool {
	_, err := root.Lstat(f.Name + ".part")
	return err == nil
}

// MirrorOptions say what Mirror copies.
type MirrorOptions struct {
	cli.Tree
	cli.Offline
	Delete    bool
	MaxDelete int // 0: no limit
}

// Mirror copies everything below u into a folder. It makes the folder, except in a dry
// run. It returns a UsageError if a pattern of o is invalid.
func (f *Fetcher) Mirror(ctx context.Context, u url.URL, dir string, o MirrorOptions) error {
	defer f.reporter.close()
	if !u.IsAbs() {
		return &cli.Hinted{
			Err:  fmt.Errorf("mirror %s: it has no scheme", u.Redacted()),
			Hint: "a whole URL starts with its scheme, as in ftp://example.org/pub/",
		}
	}
	options := transfer.MirrorOptions{
		Options: f.Options, Jobs: f.Jobs, Login: f.login, Delete: o.Delete, MaxDelete: o.MaxDelete,
		Level: o.Level, MaxEntries: o.MaxEntries, MaxFiles: o.MaxFiles, MaxTotal: o.MaxTotal, Filter: o.Files(),
		DryRun: o.DryRun, Listings: o.Listings, IgnoreRobots: o.IgnoreRobots, Portable: o.Portable,
		Parts: o.PageRequisites, Convert: o.ConvertLinks, OtherHosts: o.OtherHosts,
	}
	if err := options.Filter.Check(); err != nil {
		return cli.Misuse("%v", err)
	}
	if options.DryRun {
		if _, err := f.env.Stat(dir); errors.Is(err, fs.ErrNotExist) {
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
		options.Spool = spool
	}
	root, err := f.env.MakeRoot(dir, 0o777)
	if err != nil {
		return err
	}
	defer root.Close()
	needsHosts := false // a page loads something from another host
	others := 0         // entries of other servers
	options.Event = func(e transfer.Event) {
		if e.Kind == transfer.Omitted && errors.Is(e.Err, transfer.ErrOtherHost) {
			others++
		}
		needsHosts = needsHosts || e.Kind == transfer.Missing && errors.Is(e.Err, transfer.ErrOtherHost)
		f.treeEvent(ctx, e, "get")
	}
	report, err := transfer.Mirror(ctx, f.timed(), u, root, options)
	if report.Disallowed > 0 {
		f.reporter.report(&cli.Hinted{
			Err:  fmt.Errorf("%s: links not followed because of robots.txt: %d", u.Redacted(), report.Disallowed),
			Hint: "--ignore-robots follows them",
		})
	}
	if others > 0 && !f.env.Quiet {
		f.reporter.report(&cli.Hinted{
			Err:  fmt.Errorf("%s: links to other servers that are not in the copy: %d", u.Redacted(), others),
			Hint: "--other-hosts PATTERN also fetches the files that they name",
		})
	}
	if report.Missing > 0 {
		f.reporter.report(missingParts(u, report.Missing, needsHosts))
	}
	return f.result(ctx, err, summary{
		verb: "fetched", planned: "to fetch", dryRun: o.DryRun, copied: report.Files, failed: report.Failed,
		unchanged: report.Skipped, deleted: report.Deleted, notDeleted: report.NotDeleted,
	})
}

// result reports how a copy of a tree ended, and returns the error for the exit status.
// err is that of the copy.
func (f *Fetcher) result(ctx context.Context, err error, s summary) error {
	if ctx.Err() == nil && err == nil && s.notDeleted != nil {
		f.reporter.report(fmt.Errorf("nothing was deleted: %w", s.notDeleted))
	}
	f.reporter.summarize(s)
	switch {
	case ctx.Err() != nil && !s.dryRun:
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: "the same command resumes it"}
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case err != nil:
		return err
	case s.notDeleted != nil || s.failed > 0:
		return cli.ErrReported
	}
	return nil
}

// missingParts says that pages load n files that are not in the copy; needsHosts: some of them
// from other hosts.
func missingParts(u url.URL, n int, needsHosts bool) error {
	err := fmt.Errorf("%s: files that pages load and that are not in the copy: %d", u.Redacted(), n)
	if !needsHosts {
		return err
	}
	return &cli.Hinted{Err: err, Hint: "--other-hosts PATTERN also fetches from other hosts"}
}

// treeEvent reports failures, and what a dry run would do: verb or delete. When ctx has
// ended, failures are not reported: the caller gets the end itself.
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
