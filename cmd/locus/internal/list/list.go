// Package list has the verbs ls and stat: list and describe resources without fetching them.
package list

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/internal/render"
	"locus/proto/nntp"
	"locus/proto/z3950"
	"locus/url"
)

// LsOptions are the flags and arguments of ls.
type LsOptions struct {
	URLs    []string `args:"1-"`
	Long    bool     `flag:"long"`
	JSON    bool     `flag:"json"`
	MinRate int64    `flag:"min-rate"`
	cli.Replay
	cli.Access
	Given cli.Given
}

// Ls returns the verb ls.
func Ls() *cli.Verb {
	return cli.New(RunLs, cli.Verb{
		Name:     "ls",
		Summary:  "list folders, menus and newsgroups",
		Synopsis: "locus ls [-l] [--json] [FLAG…] URL…",
		Description: "Write one entry per line: title, kind, size in bytes, time of change in UTC, and URL.\n" +
			"A terminal gets only name, size and time, in lines as wide as the terminal or $COLUMNS.\n" +
			"The kind of an entry takes the place of an unknown size. With -l, write everything in\n" +
			"the order of ls -l, also to a terminal. If a URL has no entries, such as the URL of a\n" +
			"file, list the URL itself.\n\n" +
			"In pages that web servers make of folders, ~ marks a rounded size, and ? a time in an\n" +
			"unknown time zone. Books of a library catalogue have author and date instead, and\n" +
			"terms of its indexes the number of records.\n\n" +
			"An object of --json is {\"title\",\"url\",\"type\",\"size\",\"mtime\"}, with null for\n" +
			"unknown values, and \"rough_size\" and \"rough_mtime\" for values that are not exact. A\n" +
			"library catalogue adds \"author\", \"date\" and \"records\". Passwords are not shown.\n" +
			"A news article lists the groups and articles that it refers to.",
		Common:   "long json max-time proxy allow-port",
		Examples: []string{"locus ls file:///", "locus ls --json gopher://gopher.example.org/"},
	})
}

// RunLs writes the entries of the folder, menu or newsgroup at each URL, or else an entry for the
// URL itself.
func RunLs(ctx context.Context, e *cli.Env, o LsOptions) error {
	if err := o.Given.Check(cli.Rule{Flags: "long", Excludes: "json"}); err != nil {
		return err
	}
	client, err := e.Client(o.Access, o.URLs)
	if err != nil {
		return err
	}
	if err := e.OpenArchive(client, o.Replay); err != nil {
		return err
	}
	client.MinRate = o.MinRate
	write := writer(e, o.JSON, o.Long)
	return e.EachURL(ctx, o.URLs, o.Replay.Parse, o.Timeout, func(ctx context.Context, u url.URL) error {
		r, err := client.Do(ctx, &access.Request{URL: u, Login: e.Login(), List: true})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if r.List != nil {
			return access.Entries(r.List, hintMore(e, write))
		}
		if _, ok := nntp.ArticleOf(r); ok {
			return access.Entries(nntp.Links(r.Body, u), write)
		}
		return write(render.EntryOf(r))
	})
}

// StatOptions are the flags and arguments of stat.
type StatOptions struct {
	URLs []string `args:"1-"`
	JSON bool     `flag:"json"`
	cli.Replay
	cli.Access
}

// Stat returns the verb stat.
func Stat() *cli.Verb {
	return cli.New(RunStat, cli.Verb{
		Name:     "stat",
		Summary:  "show size, type and time without fetching",
		Synopsis: "locus stat [--json] [FLAG…] URL…",
		Description: "Write one line for each URL, as ls does, without fetching the content. If a protocol\n" +
			"cannot do that, open the URL and close it again.",
		Common:   "json max-time proxy allow-port",
		Examples: []string{"locus stat file:///etc/hosts", "locus stat --json https://example.org/"},
	})
}

// RunStat writes the attributes of the resource at each URL.
func RunStat(ctx context.Context, e *cli.Env, o StatOptions) error {
	client, err := e.Client(o.Access, o.URLs)
	if err != nil {
		return err
	}
	if err := e.OpenArchive(client, o.Replay); err != nil {
		return err
	}
	write := writer(e, o.JSON, false)
	return e.EachURL(ctx, o.URLs, o.Replay.Parse, o.Timeout, func(ctx context.Context, u url.URL) error {
		entry, err := attributes(ctx, client, &access.Request{URL: u, Login: e.Login(), List: true})
		if err != nil {
			return err
		}
		entry.Title = cmp.Or(entry.Title, render.Title(u))
		return write(entry)
	})
}

// attributes returns the attributes of the resource that req opens. If the protocol cannot tell
// them without opening the resource, it opens and closes the resource.
func attributes(ctx context.Context, engine access.Engine, req *access.Request) (access.Entry, error) {
	r, err := engine.Do(ctx, req.WithOp(access.Stat))
	if err == nil {
		return r.Entry, nil
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return access.Entry{}, err
	}
	if r, err = engine.Do(ctx, req); err != nil {
		return access.Entry{}, err
	}
	return render.EntryOf(r), r.Body.Close()
}

// writer returns a function that writes entries to stdout: in the long form, as JSON, or as text.
// On a terminal it shows each entry at once.
func writer(e *cli.Env, json, long bool) render.Func {
	write := render.JSON(e.Out)
	switch {
	case long:
		write = render.Long(e.Out)
	case !json:
		return e.Entries()
	}
	if cli.IsTerminal(e.Stdout) {
		return e.Flushed(write)
	}
	return write
}

// hintMore returns a function that calls write. If a search found more documents than it returned,
// the function also tells the user how to list more.
func hintMore(e *cli.Env, write render.Func) render.Func {
	return func(entry access.Entry) error {
		if err := write(entry); err != nil {
			return err
		}
		if hint := cli.Hint(entry.Incomplete); hint != "" {
			e.Say("hint: " + hint)
		}
		if more := z3950.MoreOf(entry); more != nil && more.Hits > 0 {
			e.Say(fmt.Sprintf("hint: to list more records, use --max-hits N, such as --max-hits %d", more.Hits))
		}
		return nil
	}
}
