package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"locus/url"
)

func (p *process) relativeCommand() *cli.Command {
	return &cli.Command{
		Name:      "relative",
		Usage:     "shorten URLs to what resolves back to them",
		UsageText: "locus relative [--as STANDARD] BASE URL…",
		Description: "It writes one reference a line, the shortest that stands for the URL in the\n" +
			"context of BASE.",
		Flags:    []cli.Flag{asFlag()},
		Metadata: example("locus relative https://example.org/a/b/c https://example.org/a/d"),
		Action:   p.relative,
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
		return std.Relative(base, u)
	})
}
