package get

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/command"
	"locus/cmd/locus/internal/console"
	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/urllist"
	"locus/limit"
	"locus/url"
)

// A given is a URL from the user, or the reason why it is invalid.
type given struct {
	url url.URL
	err error
}

// urls opens the file of --input, and returns a sequence of the URLs in the arguments, followed by
// the URLs in the file. An error in the sequence is about one URL, or about reading the file.
func (g *getter) urls(ctx context.Context) (iter.Seq[given], error) {
	from := urllist.Source{Texts: g.URLs, Name: g.Input, Literal: g.GlobOff}
	if g.From != "" {
		from.Parse = g.Replay.Parse
	}
	if g.Given["input"] {
		in, err := g.OpenInput(ctx, g.Input)
		if err != nil {
			return nil, cli.FileError("--input", err)
		}
		from.List = struct {
			io.Reader
			io.Closer
		}{console.UntilDone(ctx, in), in}
	}
	return func(yield func(given) bool) {
		for u, err := range from.All() {
			if !yield(given{u, explain(err)}) {
				return
			}
		}
	}, nil
}

// explain returns err, the error of a URL, with a hint how to write the URL. It returns nil for
// nil.
func explain(err error) error {
	glob, ok := errors.AsType[*urllist.GlobError](err)
	if !ok {
		return cli.Explain(err)
	}
	return &cli.Hinted{
		Err:  fmt.Errorf("%q: %w", flags.HideLogin(glob.Text), err),
		Hint: `write "[" as %5B and "{" as %7B, or use --globoff`,
	}
}

// each calls do for each URL, with a context that ends after the timeout. It reports errors and
// continues, and returns ErrReported at the end: see [command.EachOf]. Without --input it asks the
// user, on a terminal, whether the correction of an invalid URL is meant.
func (g *getter) each(ctx context.Context, urls iter.Seq[given], timeout time.Duration, do func(context.Context, url.URL) error) error {
	return command.EachOf(ctx, g.Env.Env, urls, func(one given) error {
		u, err := one.url, one.err
		if err != nil && !g.Given["input"] { // the answer could be a line of --input
			u, err = g.Instead(ctx, err)
		}
		if err != nil {
			return err
		}
		return limit.Within(ctx, timeout, u, do)
	})
}
