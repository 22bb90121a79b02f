package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

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
func (p *process) urls(ctx context.Context, c *cli.Command) (iter.Seq[given], error) {
	input := c.String("input")
	if c.NArg() == 0 && !c.IsSet("input") {
		_, err := arguments(c, 1, -1)
		return nil, err
	}
	var r *source
	if c.IsSet("input") {
		var err error
		if r, err = p.source(input); err != nil {
			return nil, err
		}
	}
	return func(yield func(given) bool) {
		for _, arg := range c.Args().Slice() {
			if !expand(c, arg, yield) {
				return
			}
		}
		if r == nil {
			return
		}
		defer r.Close()
		defer context.AfterFunc(ctx, func() { r.Close() })()
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxInput)
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			if line != "" && line[0] != '#' && !expand(c, line, yield) {
				return
			}
		}
		if err := lines.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
			yield(given{err: fmt.Errorf("read %q: %w", input, err)})
		}
	}, nil
}

// expand yields the URLs that a text stands for. It returns false if yield did.
func expand(c *cli.Command, text string, yield func(given) bool) bool {
	if c.Bool("globoff") || !strings.ContainsAny(text, "[]{}") {
		return yield(parsed(text))
	}
	g, err := transfer.ParseGlob(text)
	if err != nil {
		hint := `a URL writes "[" as %5B and "{" as %7B; --globoff takes them as they are`
		return yield(given{err: &hinted{fmt.Errorf("%q: %w", hideLogin(text), err), hint}})
	}
	for one := range g.All() {
		if !yield(parsed(one)) {
			return false
		}
	}
	return true
}

func parsed(text string) given {
	u, err := url.Parse(scheme.Unprefix(text))
	if err != nil {
		err = explain(err)
	}
	return given{u, err}
}

// hideLogin removes the login from a text that may be a URL.
func hideLogin(text string) string {
	before, rest, ok := strings.Cut(text, "//")
	authority, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); ok && at >= 0 {
		text = before + "//…" + authority[at:]
		if slash {
			text += "/" + path
		}
	}
	return text
}
