// Package resolve is the verb resolve: resolve references against a base URL.
package resolve

import (
	"context"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
)

// Options are the flags and arguments of resolve.
type Options struct {
	Args []string `args:"1-"` // the base and the references; no references: the lines of stdin
	As   string   `flag:"as"`
}

// Verb describes resolve.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "resolve",
		Summary:  "resolve references against a base URL",
		Synopsis: "locus resolve [--as KIND] BASE [REF…]",
		Description: "Write one URL a line for each REF, or for each line of stdin. With --as whatwg,\n" +
			"resolve as browsers do.",
		Kinds:    text.All(),
		Examples: []string{"locus resolve https://example.org/a/b/c ../d '?q' //example.net/"},
	})
}

// Run resolves references.
func Run(_ context.Context, e *cli.Env, o Options) error {
	by := text.By{As: o.As}
	base, err := by.ReadBase(o.Args[0])
	if err != nil {
		return err
	}
	return text.Each(e, o.Args[1:], func(ref string) (string, error) {
		u, err := by.Resolve(base, ref)
		return u.String(), err
	})
}
