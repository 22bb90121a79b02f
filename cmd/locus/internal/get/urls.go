package get

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/console"
	"locus/internal/command"
	"locus/internal/flags"
	"locus/limit"
	"locus/scheme"
	"locus/transfer"
	"locus/url"
)

// A given is a URL from the user, or why it is invalid.
type given struct {
	url url.URL
	err error
}

// maxInput is the maximum length of a line of --input.
const maxInput = 1 << 20

// urls yields the URLs in the arguments, and then those in the file of --input: one a
// line, without empty lines and those that start with "#". It expands brackets and braces.
func (g *getter) urls(ctx context.Context) (iter.Seq[given], error) {
	var in *cli.Input
	if g.Given["input"] {
		var err error
		if in, err = g.OpenInput(g.Input); err != nil {
			return nil, err
		}
	}
	return func(yield func(given) bool) {
		for _, arg := range g.URLs {
			if !g.expand(arg, yield) {
				return
			}
		}
		if in == nil {
			return
		}
		defer in.Close()
		lines := bufio.NewScanner(console.UntilDone(ctx, in))
		lines.Buffer(nil, maxInput)
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			if line != "" && line[0] != '#' && !g.expand(line, yield) {
				return
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line has more than %d bytes", maxInput)
		}
		if err != nil {
			yield(given{err: fmt.Errorf("read %q: %w", g.Input, err)})
		}
	}, nil
}

// expand yields the URLs that a text stands for. It returns false if yield did.
func (g *getter) expand(text string, yield func(given) bool) bool {
	if g.GlobOff || !strings.ContainsAny(text, "[]{}") {
		return yield(parse(text))
	}
	glob, err := transfer.ParseGlob(text)
	if err != nil {
		return yield(given{err: &cli.Hinted{
			Err:  fmt.Errorf("%q: %w", flags.HideLogin(text), err),
			Hint: `a URL writes "[" as %5B and "{" as %7B; --globoff takes them as they are`,
		}})
	}
	for one := range glob.All() {
		if !yield(parse(one)) {
			return false
		}
	}
	return true
}

func parse(text string) given {
	u, err := url.Parse(scheme.Unprefix(text))
	if err != nil {
		err = cli.Explain(err)
	}
	return given{u, err}
}

// each calls do with each URL, and a context that ends after the timeout. It continues
// after errors.
func (g *getter) each(ctx context.Context, urls iter.Seq[given], timeout time.Duration, do func(context.Context, url.URL) error) error {
	return command.EachOf(ctx, g.Env.Env, urls, func(one given) error {
		if one.err != nil {
			return one.err
		}
		return limit.Within(ctx, timeout, one.url, do)
	})
}
