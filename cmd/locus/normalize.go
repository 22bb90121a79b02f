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
		Usage:     "write URLs in the one way that means the same",
		UsageText: "locus normalize [--as STANDARD] URL…",
		Description: "It writes one URL a line: scheme and host in lower case, escapes only where they\n" +
			"are needed, no dot segments where the scheme is hierarchical, no default port.\n\n" +
			"By whatwg it is the URL Standard's href, of any text that a browser takes for a\n" +
			"URL.",
		Flags:    []cli.Flag{asBrowsersFlag()},
		Metadata: example("locus normalize HTTP://Example.ORG:80/a/../%7Eb"),
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
