// Package mirror implements the verb mirror: copy everything below a URL into a folder, or the other
// way.
package mirror

import (
	"context"
	_ "embed"
	"slices"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/url"
)

// Options are the flags and arguments of mirror.
type Options struct {
	FromAndTo []string `args:"2"`
	Delete    bool     `flag:"delete"`
	MaxSize   *int64   `flag:"max-size"` // nil: no limit
	cli.Deploy
	cli.Tree
	cli.Sharded
	cli.Offline
	cli.Files
	cli.Recording
	cli.Replay
	cli.Upload
	cli.Access
	Given cli.Given
}

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb mirror.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "mirror",
		Summary:     "copy everything below a URL into a folder, or the other way",
		Synopsis:    "locus mirror [FLAG…] URL DIR | DIR URL | URL URL",
		Description: description,
		Usages: [][2]string{
			{"max-time", "give each file and each listing at most `DURATION`, such as 30s (default: no limit)"},
			{"max-size", "skip files of more than `SIZE` bytes, such as 500K or 2G, and fail at the end"},
		},
		Common:     "delete dry-run include exclude page-requisites convert-links",
		Examples:   []string{"locus mirror --delete ftp://ftp.example.org/pub/ pub", "locus mirror --page-requisites --convert-links https://example.org/docs/ docs", "locus mirror --delete public ftp://me@example.org/www/"},
		GCPercent:  400, // the live heap of most copies is small, so fewer collections cost only a few megabytes
		MemoryGoal: 128 << 20,
	})
}

// Run copies everything below a URL into a folder or, if the last argument is a URL, everything
// below a folder or a URL to that URL.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	client, err := e.Client(o.Access, o.FromAndTo)
	if err != nil {
		return err
	}
	done, err := e.Archives(client, o.Recording, o.Replay)
	if err != nil {
		return err
	}
	if download.IsURL(o.FromAndTo[1]) { // from may be the URL of a folder of this machine
		client.Engines.Files = nil
	}
	return done(run(ctx, e, client, o))
}

// rules are the rules for flags that need other flags, or exclude them.
var rules = []cli.Rule{
	{Flags: "max-delete", Needs: "delete"},
	{Flags: "shard", Excludes: "delete", Text: "%s cannot be combined with --delete, because the files of other parts would look deleted"},
	{Flags: "shard", Excludes: "page-requisites convert-links", Text: "%s cannot be combined with --page-requisites and --convert-links, because a page may need files of other parts"},
}

// run checks that the flags go together, and copies everything below a URL into a folder or, if the
// last argument is a URL, to that URL.
func run(ctx context.Context, e *cli.Env, client *cli.Client, o Options) error {
	if err := o.Given.Check(rules...); err != nil {
		return err
	}
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	from, to := o.FromAndTo[0], o.FromAndTo[1]
	f := download.New(e, client, o.Files, o.Timeout)
	if download.IsURL(to) {
		return send(ctx, f, client, from, to, o)
	}
	if o.Delete && o.Level > 0 {
		return cli.Misuse("--delete cannot be combined with --level, because it needs every level")
	}
	toURL := cli.Rule{Flags: "replace-newer permissions skip-links manifest ftp-direct ftp-chmod", Text: "%s works only for copies to a URL"}
	if err := o.Given.Check(toURL); err != nil {
		return err
	}
	u, err := url.Parse(from)
	if err != nil {
		if u, err = e.Instead(ctx, err); err != nil {
			return err
		}
	}
	if len(o.OtherHosts) > 0 && !o.PageRequisites && !slices.Contains([]string{"gopher", "prospero", "wais"}, u.Scheme()) {
		return cli.Misuse("--other-hosts needs --page-requisites, or a gopher, prospero or wais URL")
	}
	web := []string{"http", "https"}
	switch {
	case o.PageRequisites && !slices.Contains(web, u.Scheme()):
		return cli.Misuse("--page-requisites works only for http and https")
	case o.ConvertLinks && !slices.Contains(append(web, "gemini"), u.Scheme()):
		return cli.Misuse("--convert-links works only for http, https and gemini")
	}
	if err := f.LimitSize(o.MaxSize); err != nil {
		return err
	}
	return f.Mirror(ctx, u, to, download.MirrorOptions{Tree: o.Tree, Sharded: o.Sharded, Offline: o.Offline, Delete: o.Delete, MaxDelete: o.MaxDelete})
}

// send checks that the flags are for copies to a URL, and copies everything below from, a folder or
// a URL, to the URL to.
func send(ctx context.Context, f *download.Fetcher, client *cli.Client, from, to string, o Options) error {
	intoFolder := cli.Rule{
		Flags: "level listings ignore-robots page-requisites convert-links other-hosts portable split sync max-size max-files max-total",
		Text:  "%s works only for copies into a folder",
	}
	if err := o.Given.Check(intoFolder); err != nil {
		return err
	}
	if err := o.Upload.Set(&client.Engines.FTP); err != nil {
		return err
	}
	return f.Send(ctx, from, to, download.SendOptions{
		Deploy: o.Deploy, Sharded: o.Sharded, Delete: o.Delete, DryRun: o.DryRun, MaxEntries: o.MaxEntries, Filter: o.Filter,
	})
}
