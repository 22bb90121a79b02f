package download

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"locus/cmd/locus/internal/cli"
	"locus/render"
	"locus/transfer"
	"locus/url"
)

// MirrorOptions returns how to fetch a tree. It returns a UsageError if a pattern of o
// is invalid.
func (f *Fetcher) MirrorOptions(o cli.Tree) (transfer.MirrorOptions, error) {
	options := transfer.MirrorOptions{
		Options: f.Options, Jobs: f.Jobs, Login: f.login,
		Level: o.Level, MaxEntries: o.MaxEntries, Filter: transfer.Filter{Include: o.Include, Exclude: o.Exclude},
		DryRun: o.DryRun, Listings: o.Listings, IgnoreRobots: o.IgnoreRobots, Portable: o.Portable,
	}
	if err := options.Filter.Check(); err != nil {
		return options, cli.Misuse("%v", err)
	}
	return options, nil
}

// Mirror copies everything below u into a folder. It makes the folder, except in a dry
// run.
func (f *Fetcher) Mirror(ctx context.Context, u url.URL, dir string, options transfer.MirrorOptions) error {
	defer f.reporter.close()
	if !u.IsAbs() {
		return &cli.Hinted{
			Err:  fmt.Errorf("mirror %s: it has no scheme", u.Redacted()),
			Hint: "a whole URL starts with its scheme, as in ftp://example.org/pub/",
		}
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
	options.Event = func(e transfer.Event) { f.mirrorEvent(ctx, e) }
	report, err := transfer.Mirror(ctx, cli.Timed{Engine: f.engine, Timeout: f.timeout}, u, root, options)
	if report.Disallowed > 0 {
		f.reporter.report(&cli.Hinted{
			Err:  fmt.Errorf("%s: links not followed because of robots.txt: %d", u.Redacted(), report.Disallowed),
			Hint: "--ignore-robots follows them",
		})
	}
	switch {
	case ctx.Err() != nil && !options.DryRun:
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: "the same command resumes it"}
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case err != nil:
		return err
	case report.NotDeleted != nil:
		f.reporter.report(fmt.Errorf("nothing was deleted: %w", report.NotDeleted))
		return cli.ErrReported
	case report.Failed > 0:
		return cli.ErrReported
	}
	return nil
}

// mirrorEvent reports failures, and what a dry run would do. When ctx has ended,
// failures are not reported: Mirror returns the end itself.
func (f *Fetcher) mirrorEvent(ctx context.Context, e transfer.Event) {
	r := f.reporter
	r.event(e)
	what := map[transfer.Kind]string{transfer.WouldFetch: "get", transfer.WouldDelete: "delete"}[e.Kind]
	switch {
	case e.Kind == transfer.Failed && ctx.Err() == nil:
		r.report(e.Err)
	case what != "" && r.json == nil:
		r.above(func() { fmt.Fprintf(r.env.Out, "%s\t%s\n", what, render.Clean(e.Name)) })
	}
}
