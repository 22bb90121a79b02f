// Package ls is the verb ls: list folders, menus and newsgroups.
package ls

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/proto/nntp"
	"locus/render"
	"locus/url"
)

// Options are the flags and arguments of ls.
type Options struct {
	URLs []string `args:"1-"`
	cli.Listing
	MinRate int64 `flag:"min-rate"`
	cli.Access
}

// Verb describes ls.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "ls",
		Summary:  "list folders, menus and newsgroups",
		Synopsis: "locus ls [-l] [--json] [FLAG…] URL…",
		Description: "Write one entry a line: title, kind, size in bytes, time of change in UTC, and URL.\n" +
			"With -l, write them in the order of ls -l. If a URL has no entries, such as that\n" +
			"of a file, list the URL itself.\n\n" +
			"An object of --json is {\"title\",\"url\",\"type\",\"size\",\"mtime\"}, with null for what is\n" +
			"unknown. Passwords are not shown. A news article lists the groups and articles that it\n" +
			"refers to.",
		Common:   "long json max-time proxy allow-port",
		Examples: []string{"locus ls file:///", "locus ls --json gopher://gopher.example.org/"},
	})
}

// Run lists URLs.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	client, err := e.Client(o.Access, o.URLs)
	if err != nil {
		return err
	}
	client.MinRate = o.MinRate
	write := o.Listing.Writer(e)
	return e.EachURL(ctx, o.URLs, o.Timeout, func(ctx context.Context, u url.URL) error {
		r, err := client.Do(ctx, &access.Request{URL: u, Login: e.Login()})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if r.List != nil {
			return access.Entries(r.List, write)
		}
		if _, ok := r.Sys.(nntp.Article); ok {
			return access.Entries(nntp.Links(r.Body, u), write)
		}
		return write(render.EntryOf(r))
	})
}
