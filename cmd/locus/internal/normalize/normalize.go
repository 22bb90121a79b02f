// Package normalize is the verb normalize: write URLs in their normal form.
package normalize

import (
	"context"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/scheme"
	"locus/url"
)

// Options are the flags and arguments of normalize.
type Options struct {
	URLs []string `args:"0-"` // none: the lines of stdin
	text.By
}

// Verb describes normalize.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "normalize",
		Summary:  "write URLs in their normal form",
		Synopsis: "locus normalize [--as KIND] [--guess] [URL…]",
		Description: "Write one URL a line: scheme and host in lower case, no needless escapes, no dot\n" +
			"segments in hierarchical schemes, no default port. With --as whatwg, write the href\n" +
			"that browsers show. Without URL, read URLs from stdin, one a line.",
		Kinds:    text.All(),
		Examples: []string{"locus normalize HTTP://Example.ORG:80/a/../%7Eb"},
	})
}

// Run writes URLs in their normal form.
func Run(_ context.Context, e *cli.Env, o Options) error {
	return text.Each(e, o.URLs, func(arg string) (string, error) {
		u, err := o.Read(arg)
		if err != nil {
			return "", err
		}
		return scheme.Normalize(u, url.AllRewrites).String(), nil
	})
}
