package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"locus/url"
)

func (p *process) relativeCommand() *cli.Command {
	return &cli.Command{
		Name:        "relative",
		Usage:       "shorten URLs to references relative to a base URL",
		UsageText:   "locus relative [--as KIND] BASE URL…",
		Description: "Write one reference a line: the shortest that resolves to URL against BASE.",
		Flags:       flags("as"),
		Metadata:    kinds(rfcStandards, "locus relative https://example.org/a/b/c https://example.org/a/d"),
		Action:      p.relative,
	}
}

func (p *process) relative(ctx context.Context, c *cli.Command) error {
	std, err := standard(c)
	if err != nil {
		return err
	}
	return p.againstBase(ctx, c, read(std), func(base url.URL, arg string) (string, error) {
		u, err := std.Parse(arg)
		if err != nil {
			return "", explain(err)
		}
		return base.Relative(u)
	})
}
