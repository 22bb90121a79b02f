package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"locus/render"
	"locus/scheme"
	"locus/url"
)

func (p *process) equalCommand() *cli.Command {
	return &cli.Command{
		Name:      "equal",
		Usage:     "say whether two URLs mean the same",
		UsageText: "locus equal [--as KIND] A B",
		Description: "The exit status is 0 if A and B mean the same, and 1 if not. If not, write the first\n" +
			"part that differs. Nothing is fetched: the standard and the scheme decide.",
		Flags:    flags("as"),
		Metadata: kinds(rfcStandards, "locus equal http://example.org:80/%7Ea HTTP://EXAMPLE.org/~a"),
		Action:   p.equal,
	}
}

func (p *process) equal(_ context.Context, c *cli.Command) error {
	std, err := standard(c)
	if err != nil {
		return err
	}
	args, err := arguments(c, 2, 2)
	if err != nil {
		return err
	}
	a, err := scheme.Read(std, args[0])
	if err != nil {
		return explain(err)
	}
	b, err := scheme.Read(std, args[1])
	if err != nil {
		return explain(err)
	}
	d, differ := scheme.Difference(a, b)
	if !differ {
		return nil
	}
	if d.Part == url.Password {
		fmt.Fprintln(p.out, "password: they differ")
		return errReported
	}
	fmt.Fprintf(p.out, "%s: %s, %s\n", d.Part, rest(a, d.Part, d.A), rest(b, d.Part, d.B))
	return errReported
}

// rest says what stands in a part of u from an offset on.
func rest(u url.URL, n url.PartName, offset int) string {
	_, end, ok := u.Span(n)
	switch {
	case !ok:
		return "none"
	case offset >= end:
		return fmt.Sprintf("nothing at offset %d", offset)
	}
	return fmt.Sprintf("%q at offset %d", render.Clean(u.String()[offset:end]), offset)
}
