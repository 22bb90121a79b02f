package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/render"
	"locus/transfer"
	"locus/url"
)

func (p *process) mirrorCommand() *cli.Command {
	flags := append(treeFlags(), &cli.BoolFlag{Name: "delete", Usage: "delete what is in DIR and no more below URL, if all of that could be read"})
	return &cli.Command{
		Name:      "mirror",
		Usage:     "let a folder have what is below a URL",
		UsageText: "locus mirror [--delete] [--dry-run] [--include PATTERN…] [--exclude PATTERN…] [--level N] [-j N] [--json] [FLAG…] URL DIR",
		Description: "What is below the URL of an ftp directory, a folder (file), a gopher menu, or a\n" +
			"page (http, https: what links lead to in its directory, and no higher) comes\n" +
			"into DIR: only what is new or has changed, by size and time of change or ETag.\n" +
			"Times of change are kept. No host is left, and no link to a directory followed.\n" +
			"robots.txt is obeyed for what links lead to, unless --ignore-robots.\n\n" +
			"Whatever happens, a file under its name is complete. The same command goes on\n" +
			"with what an earlier one left, which is in DIR/.locus-mirror until all is done.\n\n" +
			"--delete deletes nothing unless every directory could be read to its end.\n\n" +
			"A tree of more than --max-entries files, directories and links, or that needs more\n" +
			"than 1 GiB for temporary files in DIR/.locus-mirror, is refused. With --dry-run\n" +
			"they are in TMPDIR.\n\n" +
			"A PATTERN is matched against paths below the URL: * any octets but slashes, ?\n" +
			"one, [a-z] one of these, ** between slashes any directories. Without a slash it\n" +
			"is matched against the last name, and with one at its end only by directories.\n" +
			"doc/transfer.md says how names are made safe.\n\n" +
			"With --json each event is an object on stdout: {\"event\",\"url\",\"name\",\"done\",\n" +
			"\"size\"}, with \"error\", \"wait\" and \"exit\" where they apply. The exit status is 1\n" +
			"if any file failed, or --delete deleted nothing because of a failure.",
		Flags:    openFlags(append(flags, fileFlags()...)...),
		Metadata: example("locus mirror --dry-run file:///etc/apt apt", "locus mirror --delete ftp://ftp.example.org/pub/ pub"),
		Action:   p.mirror,
	}
}

func (p *process) mirror(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 2, 2)
	if err != nil {
		return err
	}
	u, err := url.Parse(args[0])
	if err != nil {
		return explain(err)
	}
	m, err := p.mirrorer(c)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	defer m.teller.close()
	ctx, cancel := deadline(ctx, m.timeout)
	defer cancel()
	return m.mirror(ctx, u, args[1])
}

// A mirrorer mirrors as the flags say.
type mirrorer struct {
	*fetcher
	options transfer.MirrorOptions
	json    bool
}

func (p *process) mirrorer(c *cli.Command) (*mirrorer, error) {
	o, err := p.opener(c)
	if err != nil {
		return nil, err
	}
	f, err := p.fetcher(c, o)
	if err != nil {
		return nil, err
	}
	m := &mirrorer{fetcher: f, json: c.Bool("json"), options: transfer.MirrorOptions{
		Options: f.options, Jobs: f.jobs, Login: f.login,
		Filter: transfer.Filter{Include: c.StringSlice("include"), Exclude: c.StringSlice("exclude")},
		Delete: c.Bool("delete"), DryRun: c.Bool("dry-run"), Listings: c.Bool("listings"), Portable: c.Bool("portable"),
		IgnoreRobots: c.Bool("ignore-robots"),
	}}
	if err := m.options.Filter.Check(); err != nil {
		return nil, misuse("%v", err)
	}
	if c.IsSet("level") {
		level, err := parseNumber("level", c.String("level"), 0, 1<<20)
		if err != nil {
			return nil, err
		}
		m.options.Level = int(level)
	}
	if c.IsSet("max-entries") {
		most, err := parseNumber("max-entries", c.String("max-entries"), 1, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		m.options.MaxEntries = int(most)
	}
	if m.options.Delete && m.options.Level > 0 {
		return nil, misuse("--delete wants all levels: it does not go with --level")
	}
	return m, nil
}

// event tells people of what else is of interest than transfers. What fails
// because ctx has ended is said once for all, in the end.
func (m *mirrorer) event(ctx context.Context, e transfer.Event) {
	m.teller.event(e)
	switch {
	case e.Kind == transfer.Failed && ctx.Err() == nil:
		m.teller.report(e.Err)
	case m.json:
	case e.Kind == transfer.WouldFetch:
		m.line("get", e.Name)
	case e.Kind == transfer.WouldDelete:
		m.line("delete", e.Name)
	}
}

// line writes what a dry run would do.
func (m *mirrorer) line(what, name string) {
	m.teller.above(func() { fmt.Fprintf(m.out, "%s\t%s\n", what, render.Clean(name)) })
}

// mirror mirrors u into a folder, which it makes if need be.
func (m *mirrorer) mirror(ctx context.Context, u url.URL, dir string) error {
	if !u.IsAbs() {
		return &hinted{
			fmt.Errorf("mirror %s: it has no scheme", u.Redacted()),
			"a whole URL starts with its scheme, as in ftp://example.org/pub/",
		}
	}
	if m.options.DryRun {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			empty, err := os.MkdirTemp("", "locus")
			if err != nil {
				return err
			}
			defer os.Remove(empty)
			dir = empty
		}
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	options := m.options
	if options.DryRun {
		temporary, err := os.OpenRoot(os.TempDir())
		if err != nil {
			return err
		}
		defer temporary.Close()
		options.Spool = temporary
	}
	options.Event = func(e transfer.Event) { m.event(ctx, e) }
	report, err := transfer.Mirror(ctx, m.opener, u, root, options)
	if report.Disallowed > 0 {
		m.teller.report(&hinted{
			fmt.Errorf("%s: links not followed because of robots.txt: %d", u.Redacted(), report.Disallowed),
			"--ignore-robots follows them",
		})
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &timeoutError{u, m.timeout, ctx.Err()}
	case ctx.Err() != nil && !m.options.DryRun:
		return &hinted{errInterrupted, "the same command goes on where it ended"}
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	case report.NotDeleted != nil:
		m.teller.report(fmt.Errorf("nothing was deleted: %w", report.NotDeleted))
		return errReported
	case report.Failed > 0:
		return errReported
	}
	return nil
}

// treeName returns the name for a folder with what is below u: the last name in
// its path, or else its host.
func treeName(u url.URL) (string, error) {
	trimmed := u
	if path := strings.TrimRight(u.Path(), "/"); path != u.Path() {
		shorter, err := u.With(url.Path, url.Some(path))
		if err != nil {
			return "", err
		}
		trimmed = shorter
	}
	if name, err := fileName(trimmed); err == nil {
		return name, nil
	}
	host, _ := u.Host()
	if port, ok := u.Port(); ok && port != "" {
		host += "_" + port
	}
	if host == "" || !isPlain(host) || strings.HasPrefix(host, ".") || !filepath.IsLocal(host) {
		return "", fmt.Errorf("%s: its end is no name for a folder", u.Redacted())
	}
	return host, nil
}
