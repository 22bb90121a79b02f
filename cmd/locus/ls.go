package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/proto/nntp"
	"locus/render"
	"locus/url"
)

func (p *process) lsCommand() *cli.Command {
	return &cli.Command{
		Name:      "ls",
		Usage:     "list what is in directories, menus and newsgroups",
		UsageText: "locus ls [--json] [--timeout D] [--allow-port N…] URL…",
		Description: "For people: title, kind, size in octets, time of change in UTC, URL. As JSON:\n" +
			"{\"title\",\"url\",\"type\",\"size\",\"mtime\"}, with null for what is unknown. Passwords\n" +
			"are not shown. Of an article of news come the groups and articles that it leads\n" +
			"to. What else is no listing is listed as itself.",
		Flags:    openFlags(minRateFlag(), jsonFlag()),
		Metadata: example("locus ls file:///", "locus ls --json gopher://gopher.example.org/"),
		Action:   p.ls,
	}
}

func (p *process) ls(ctx context.Context, c *cli.Command) error {
	o, err := p.opener(c)
	if err != nil {
		return err
	}
	write := p.entries(c)
	return p.eachURL(ctx, c, func(ctx context.Context, u url.URL) error {
		r, err := o.Do(ctx, &access.Request{URL: u, Login: p.login()})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if l := r.List; l != nil {
			return access.Entries(l, write)
		}
		if _, ok := r.Sys.(nntp.Article); ok {
			return access.Entries(nntp.Links(r.Body, u), write)
		}
		return write(render.EntryOf(r))
	})
}

// entries returns what writes entries to stdout as the flags say.
func (p *process) entries(c *cli.Command) render.Func {
	write := render.Text(p.out)
	if c.Bool("json") {
		write = render.JSON(p.out)
	}
	if isTerminal(p.stdout) {
		return p.flushed(write)
	}
	return write
}
