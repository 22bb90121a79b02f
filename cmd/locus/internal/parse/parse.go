// Package parse is the verb parse: split URLs into parts, and say whether they are valid.
package parse

import (
	"context"
	"fmt"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/render"
	"locus/url"
)

// Options are the flags and arguments of parse.
type Options struct {
	URLs []string `args:"0-"` // none: the lines of stdin
	text.By
	Base  *string `flag:"base"`
	Parts string  `flag:"parts"`
	JSON  bool    `flag:"json"`
}

// Verb describes parse.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "parse",
		Summary:  "split URLs into parts, and say whether they are valid",
		Synopsis: "locus parse [FLAG…] [URL…]",
		Description: "Without URL, read URLs from stdin, one a line, and write one answer for each line.\n" +
			"The exit status is 1 if a URL is invalid.\n\n" +
			"By rfc1738 and rfc1630 a URL must also fit its scheme. By rfc3986 a URL that does\n" +
			"not fit its scheme is valid, and the line \"problem\" says why.\n\n" +
			"By whatwg a URL is read as browsers read it. The answer has the attributes of the\n" +
			"browsers' API (href, origin, protocol, …) and the validation errors of the URL\n" +
			"Standard. Only whatwg takes --base.\n\n" +
			"--parts writes FORMAT with the parts of each URL: {scheme}, {user}, {password}, {host},\n" +
			"{port}, {path}, {query}, {fragment} and {url}. {port} is the scheme's own port if the\n" +
			"URL has none. {query:NAME} is the first value of NAME in the query, decoded, and\n" +
			"{ftp.type} a part of the meaning, as --json names it.",
		Kinds: text.All(),
		Examples: []string{
			"locus parse 'ftp://ftp.example.org/%2Fetc/motd;type=a'",
			"echo 'gopher://example.org/7search%09words' | locus parse --as rfc1738 --json",
			`locus parse --as whatwg --base https://example.org/a/ '..\b?q#f'`,
			"locus parse --parts '{host}:{port}' https://example.org/",
		},
	})
}

// Run writes what each URL consists of.
func Run(_ context.Context, e *cli.Env, o Options) error {
	judge, name, err := o.judge()
	if err != nil {
		return err
	}
	write, err := o.writer(e)
	if err != nil {
		return err
	}
	total, invalid := 0, 0
	err = text.Lines(e, o.URLs, func(text string) error {
		v := judge(text)
		total++
		if v.err != nil {
			invalid++
		}
		return write(v)
	})
	if err == nil && invalid > 0 {
		err = fmt.Errorf("invalid by %s: %d of %d", name, invalid, total)
	}
	return err
}

// writer returns the function that writes verdicts.
func (o Options) writer(e *cli.Env) (func(verdict) error, error) {
	switch {
	case o.JSON && o.Parts != "":
		return nil, cli.Misuse("--parts and --json exclude each other")
	case o.JSON:
		enc := render.NewEncoder(e.Out)
		return func(v verdict) error { return enc.Encode(v.answer(o.Name())) }, nil
	case o.Parts != "":
		return partsWriter(e, o.Parts)
	}
	return textAnswers(e), nil
}

// judge returns the function that judges texts, and the name of the standard.
func (o Options) judge() (func(text string) verdict, string, error) {
	if o.Name() != "whatwg" {
		if o.Base != nil {
			return nil, "", cli.Misuse("--base goes with --as whatwg")
		}
		return func(text string) verdict { return judge(o.By, text) }, o.Standard().String(), nil
	}
	var base url.URL
	if o.Base != nil {
		var err error
		if base, err = o.Read(*o.Base); err != nil {
			return nil, "", err
		}
	}
	return func(text string) verdict { return browse(base, text) }, "the URL Standard", nil
}

// textAnswers returns a function that writes verdicts as text.
func textAnswers(e *cli.Env) func(verdict) error {
	first := true
	return func(v verdict) error {
		if !first {
			e.Out.WriteByte('\n')
		}
		first = false
		if v.err != nil {
			return mark(e, v.err)
		}
		if v.browsing != nil {
			return browserParts(e, v)
		}
		return parts(e, v)
	}
}

// parts writes the parts of a URL, each on a line of its own.
func parts(e *cli.Env, v verdict) error {
	fmt.Fprintln(e.Out, render.Clean(v.text))
	row := func(name, value string) { fmt.Fprintf(e.Out, "  %-9s %s\n", name, render.Clean(value)) }
	for n := url.Scheme; n <= url.Fragment; n++ {
		part := v.parts.Part(n)
		switch {
		case part.Present:
			row(n.String(), part.Text)
		case n == url.Port && v.port != 0 && v.parts.Host.Present:
			row("port", fmt.Sprintf("%d, by default", v.port))
		}
	}
	if text := v.viewText(); text != "" {
		row("means", text)
	}
	if v.viewErr != nil {
		row("problem", reason(v.viewErr))
	}
	return nil
}

// mark writes an invalid text with a mark under the first invalid byte.
func mark(e *cli.Env, err *url.SyntaxError) error {
	_, writeErr := fmt.Fprintf(e.Out, "%s\n  offset %d, %s\n", err.Mark(), err.Offset, err.Rule)
	return writeErr
}
