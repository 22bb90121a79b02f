package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"locus/scheme"
	"locus/url"
)

func (p *process) normalizeCommand() *cli.Command {
	return &cli.Command{
		Name:      "normalize",
		Usage:     "write URLs in their normal form",
		UsageText: "locus normalize [--as KIND] URL…",
		Description: "Write one URL a line: scheme and host in lower case, no needless escapes, no dot\n" +
			"segments in hierarchical schemes, no default port. With --as whatwg, write the href\n" +
			"that browsers show.",
		Flags:    flags("as"),
		Metadata: kinds(allStandards, "locus normalize HTTP://Example.ORG:80/a/../%7Eb"),
		Action:   p.normalize,
	}
}

func (p *process) normalize(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 1, -1)
	if err != nil {
		return err
	}
	if byBrowsers(c) {
		return p.each(ctx, args, func(arg string) error {
			u, err := browsed(arg)
			if err != nil {
				return err
			}
			return p.line(u.String())
		})
	}
	std, err := standard(c)
	if err != nil {
		return err
	}
	return p.each(ctx, args, func(arg string) error {
		u, err := scheme.Read(std, arg)
		if err != nil {
			return explain(err)
		}
		return p.line(scheme.Normalize(u, url.AllRewrites).String())
	})
}
