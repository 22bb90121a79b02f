package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/proto/nntp"
	"locus/render"
	"locus/url"
)

func (p *process) lsCommand() *cli.Command {
	return &cli.Command{
		Name:      "ls",
		Usage:     "list folders, menus and newsgroups",
		UsageText: "locus ls [-l] [--json] [FLAG…] URL…",
		Description: "Write one entry a line: title, kind, size in bytes, time of change in UTC, and URL.\n" +
			"With -l, write them in the order of ls -l. If a URL has no entries, such as that\n" +
			"of a file, list the URL itself.\n\n" +
			"An object of --json is {\"title\",\"url\",\"type\",\"size\",\"mtime\"}, with null for what is\n" +
			"unknown. Passwords are not shown. A news article lists the groups and articles that it\n" +
			"refers to.",
		Flags:    flags("long json min-rate " + accessFlags),
		Metadata: details("long json timeout proxy allow-port", "locus ls file:///", "locus ls --json gopher://gopher.example.org/"),
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

// longText returns a Func that writes entries in the order of ls -l: kind, size, time
// of change in UTC, and title. "-" stands for what is unknown.
func longText(w io.Writer) render.Func {
	return func(e access.Entry) error {
		size, changed := "-", "-"
		if e.Size >= 0 {
			size = strconv.FormatInt(e.Size, 10)
		}
		if !e.ModTime.IsZero() {
			changed = e.ModTime.UTC().Format("2006-01-02 15:04")
		}
		_, err := fmt.Fprintf(w, "%-9s %12s  %-16s  %s\n", e.Kind, size, changed, render.Clean(e.Title))
		return err
	}
}

// entries returns a Func that writes entries to stdout as the flags say.
func (p *process) entries(c *cli.Command) render.Func {
	write := render.Text(p.out)
	switch {
	case c.Bool("json"):
		write = render.JSON(p.out)
	case c.Bool("long"):
		write = longText(p.out)
	}
	if isTerminal(p.stdout) {
		return p.flushed(write)
	}
	return write
}
