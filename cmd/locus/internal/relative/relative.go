// Package relative is the verb relative: shorten URLs to references relative to a base
// URL.
package relative

import (
	"context"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
)

// Options are the flags and arguments of relative.
type Options struct {
	Args []string `args:"1-"` // the base and the URLs; no URLs: the lines of stdin
	As   string   `flag:"as"`
}

// Verb describes relative.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "relative",
		Summary:  "shorten URLs to references relative to a base URL",
		Synopsis: "locus relative [--as KIND] BASE [URL…]",
		Description: "Write one reference a line for each URL, or for each line of stdin: the shortest that\n" +
			"resolves to URL against BASE.",
		Kinds:    text.RFCs(),
		Examples: []string{"locus relative https://example.org/a/b/c https://example.org/a/d"},
	})
}

// Run shortens URLs.
func Run(_ context.Context, e *cli.Env, o Options) error {
	by := text.By{As: o.As}
	base, err := by.ReadBase(o.Args[0])
	if err != nil {
		return err
	}
	return text.Each(e, o.Args[1:], func(arg string) (string, error) {
		u, err := by.Standard().Parse(arg)
		if err != nil {
			return "", cli.Explain(err)
		}
		return base.Relative(u)
	})
}
