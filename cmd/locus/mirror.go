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
	return &cli.Command{
		Name:      "mirror",
		Usage:     "copy everything below a URL into a folder",
		UsageText: "locus mirror [FLAG…] URL DIR",
		Description: "Copy an ftp directory, a folder (file), a gopher menu, or a web page and the pages\n" +
			"that it links to in its folder, into DIR. Copy only what is new or has changed. The\n" +
			"same command resumes an interrupted copy.\n\n" +
			"A change shows in size, time of change or ETag. Times of change are kept. Only the\n" +
			"host of URL is read, and links to directories are not followed. robots.txt is obeyed\n" +
			"unless --ignore-robots is given.\n\n" +
			"A file is always complete under its name. Unfinished work is in DIR/.locus-mirror\n" +
			"until the copy is done. --delete deletes nothing unless every folder could be read.\n\n" +
			"The copy fails if the tree has more than --max-entries entries, or needs more than\n" +
			"1 GiB of temporary files in DIR/.locus-mirror (with --dry-run: in TMPDIR).\n\n" +
			"PATTERN matches paths below URL: * any characters except slashes, ? one character,\n" +
			"[a-z] one of these, ** between slashes any folders. A pattern without a slash matches\n" +
			"the last name. One that ends in a slash matches folders only.\n\n" +
			"With --json each event is an object on stdout: {\"event\",\"url\",\"name\",\"done\",\"size\"},\n" +
			"with \"error\", \"wait\" and \"exit\" where they apply. The exit status is 1 if a file\n" +
			"failed, or if --delete deleted nothing because of a failure.",
		Flags: flags("delete " + treeFlags + fileFlags + accessFlags),
		Metadata: details("delete dry-run include exclude level jobs quiet",
			"locus mirror --dry-run file:///etc/apt apt", "locus mirror --delete ftp://ftp.example.org/pub/ pub"),
		Action: p.mirror,
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
	defer m.reporter.close()
	return m.mirror(ctx, u, args[1])
}

// A mirrorer makes the mirrors that the flags ask for.
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
		Filter: filterOf(c),
		Delete: c.Bool("delete"), DryRun: c.Bool("dry-run"), Listings: c.Bool("listings"), Portable: c.Bool("portable"),
		IgnoreRobots: c.Bool("ignore-robots"),
	}}
	if err := m.options.Filter.Check(); err != nil {
		return nil, misuse("%v", err)
	}
	if m.options.Level, err = levelOf(c); err != nil {
		return nil, err
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

// event reports failures, and what a dry run would do. When ctx has ended, failures
// are not reported: the command reports the end itself, once.
func (m *mirrorer) event(ctx context.Context, e transfer.Event) {
	m.reporter.event(e)
	switch {
	case e.Kind == transfer.Failed && ctx.Err() == nil:
		m.reporter.report(e.Err)
	case m.json:
	case e.Kind == transfer.WouldFetch:
		m.line("get", e.Name)
	case e.Kind == transfer.WouldDelete:
		m.line("delete", e.Name)
	}
}

// line writes what a dry run would do with a file.
func (m *mirrorer) line(what, name string) {
	m.reporter.above(func() { fmt.Fprintf(m.out, "%s\t%s\n", what, render.Clean(name)) })
}

// mirror copies everything below u into a folder. It makes the folder.
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
	report, err := transfer.Mirror(ctx, timed{m.opener, m.timeout}, u, root, options)
	if report.Disallowed > 0 {
		m.reporter.report(&hinted{
			fmt.Errorf("%s: links not followed because of robots.txt: %d", u.Redacted(), report.Disallowed),
			"--ignore-robots follows them",
		})
	}
	switch {
	case ctx.Err() != nil && !m.options.DryRun:
		return &hinted{errInterrupted, "the same command resumes it"}
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	case report.NotDeleted != nil:
		m.reporter.report(fmt.Errorf("nothing was deleted: %w", report.NotDeleted))
		return errReported
	case report.Failed > 0:
		return errReported
	}
	return nil
}

// treeName returns the name of the folder for everything below u: the last name in its
// path, or else its host.
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
