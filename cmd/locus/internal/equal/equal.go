// Package equal is the verb equal: say whether two URLs mean the same.
package equal

import (
	"context"
	"fmt"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

// Options are the flags and arguments of equal.
type Options struct {
	URLs []string `args:"1-2"` // only one: the lines of stdin are compared with it
	As   string   `flag:"as"`
}

// Verb describes equal.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "equal",
		Summary:  "say whether two URLs mean the same",
		Synopsis: "locus equal [--as KIND] A [B]",
		Description: "The exit status is 0 if A and B mean the same, and 1 if not. If not, write the first\n" +
			"part that differs. Nothing is fetched: the standard and the scheme decide. Without B,\n" +
			"compare A with each line of stdin.",
		Kinds:    text.RFCs(),
		Examples: []string{"locus equal http://example.org:80/%7Ea HTTP://EXAMPLE.org/~a"},
	})
}

// Run compares two URLs.
func Run(_ context.Context, e *cli.Env, o Options) error {
	by := text.By{As: o.As}
	a, err := by.Read(o.URLs[0])
	if err != nil {
		return err
	}
	differ := false
	err = text.Lines(e, o.URLs[1:], func(arg string) error {
		b, err := by.Read(arg)
		if err != nil {
			return err
		}
		part, atA, atB, ok := scheme.Difference(a, b)
		if !ok {
			return nil
		}
		differ = true
		if part == url.Password { // it is not shown
			return e.Line("password: they differ")
		}
		return e.Line(fmt.Sprintf("%s: %s, %s", part, rest(a, part, atA), rest(b, part, atB)))
	})
	if err == nil && differ {
		return cli.ErrReported
	}
	return err
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
