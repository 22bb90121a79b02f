package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"locus/scheme"
	"locus/url"
)

func (p *process) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:        "resolve",
		Usage:       "resolve references against a base URL",
		UsageText:   "locus resolve [--as KIND] BASE REF…",
		Description: "Write one URL a line for each REF. With --as whatwg, resolve as browsers do.",
		Flags:       flags("as"),
		Metadata:    kinds(allStandards, "locus resolve https://example.org/a/b/c ../d '?q' //example.net/"),
		Action:      p.resolve,
	}
}

func (p *process) resolve(ctx context.Context, c *cli.Command) error {
	if byBrowsers(c) {
		return p.againstBase(ctx, c, browsed, func(base url.URL, ref string) (string, error) {
			u, err := browsedRef(base, ref)
			return u.String(), err
		})
	}
	std, err := standard(c)
	if err != nil {
		return err
	}
	return p.againstBase(ctx, c, read(std), func(base url.URL, ref string) (string, error) {
		u, err := base.Resolve(ref)
		if err == nil {
			err = scheme.Judge(u)
		}
		if err != nil {
			return "", explain(err)
		}
		return u.String(), nil
	})
}

// read returns what reads a URL by a standard and by what its scheme says.
func read(std url.Standard) func(string) (url.URL, error) {
	return func(text string) (url.URL, error) { return scheme.Read(std, text) }
}

// againstBase parses the first argument as the base, calls do for each other argument,
// and writes the results.
func (p *process) againstBase(ctx context.Context, c *cli.Command, parse func(string) (url.URL, error), do func(base url.URL, arg string) (string, error)) error {
	args, err := arguments(c, 2, -1)
	if err != nil {
		return err
	}
	base, err := parse(args[0])
	if err != nil {
		return explain(err)
	}
	return p.each(ctx, args[1:], func(arg string) error {
		result, err := do(base, arg)
		if err != nil {
			return err
		}
		return p.line(result)
	})
}

// line writes a line to stdout.
func (p *process) line(text string) error {
	p.out.WriteString(text)
	return p.out.WriteByte('\n')
}
