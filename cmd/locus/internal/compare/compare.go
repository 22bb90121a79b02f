// Package compare implements the verb compare: show where thirteen parsers read URLs differently.
package compare

import (
	"context"
	"fmt"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/compare"
	"locus/internal/render"
)

// Options are the flags and arguments of compare.
type Options struct {
	URLs []string `args:"0-"` // without URLs: the lines of stdin
	Lint bool     `flag:"lint"`
	JSON bool     `flag:"json"`
}

// Verb returns the verb compare.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "compare",
		Summary:  "show where thirteen parsers read URLs differently",
		Synopsis: "locus compare [--lint] [--json] [URL…]",
		Description: "Show the parts of each URL. A part that parsers in use read differently is marked\n" +
			"with \"!\", and so is the place that a reading leads to: scheme, host and port. The\n" +
			"exit status is 1 if the parsers disagree about where a URL leads. On a terminal,\n" +
			"values that differ from the value that browsers read are underlined. Without URL, read\n" +
			"URLs from stdin, one per line.\n\n" +
			"With --lint, write the reasons for the differences instead (backslash, userinfo,\n" +
			"ipv4-shorthand, idna, …), and exit with 1 for every difference. doc/compare.md\n" +
			"explains the reasons. A note is not a failure, because only an old RFC, or a parser that\n" +
			"is not listed here, reads the URL differently.\n\n" +
			"A reading can lead to a place although its parser rejects the URL, because other\n" +
			"programs are less strict. The parsers, and the software that reads as they do:\n\n",
		Details: software,
		Examples: []string{
			`locus compare 'https://example.org/a?b#c'`,
			`locus compare --lint 'http://good.example\@evil.example/' || echo do not open it`,
		},
	})
}

// software returns a list of the parsers for the help. Each line has the name of a parser,
// and the software that reads URLs in the same way.
func software() string {
	var b strings.Builder
	for p := compare.RFC1738; p.Software() != ""; p++ {
		fmt.Fprintf(&b, "  %-14s  %s\n", p, p.Software())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Run writes for each URL how the parsers read it. The error says over how many URLs the parsers
// disagree.
func Run(_ context.Context, e *cli.Env, o Options) error {
	underline := cli.IsTerminal(e.Stdout)
	write := func(c compare.Comparison) error { return render.WriteComparison(e.Out, c, underline) }
	switch {
	case o.JSON:
		write = func(c compare.Comparison) error { return render.WriteComparisonJSON(e.Out, c) }
	case o.Lint:
		write = func(c compare.Comparison) error { return render.WriteReasons(e.Out, c, underline) }
	}
	total, differing := 0, 0
	err := e.EachText(o.URLs, func(text string) error {
		c := compare.Read(text)
		total++
		if _, agreed := c.Agree(); !agreed || o.Lint && len(c.Classes()) > 0 {
			differing++
		}
		return write(c)
	})
	if err == nil && differing > 0 {
		err = fmt.Errorf("parsers disagree about %d of %d URLs", differing, total)
	}
	return err
}
