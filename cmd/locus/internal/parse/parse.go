// Package parse implements the verb parse: split URLs into parts, and say whether they are valid.
package parse

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/describe"
	"locus/cmd/locus/internal/text"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// Options are the flags and arguments of parse.
type Options struct {
	URLs []string `args:"0-"` // without URLs: the lines of stdin
	text.By
	Base  *string `flag:"base"`
	Parts string  `flag:"parts"`
	JSON  bool    `flag:"json"`
	Given cli.Given
}

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb parse.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "parse",
		Summary:     "split URLs into parts, and say whether they are valid",
		Synopsis:    "locus parse [FLAG…] [URL…]",
		Description: description,
		Kinds:       text.All(),
		Usages:      [][2]string{{"base", "with --as whatwg, resolve relative references against `URL`"}},
		Examples: []string{
			"locus parse 'ftp://ftp.example.org/%2Fetc/motd;type=a'",
			"echo 'gopher://example.org/7search%09words' | locus parse --as rfc1738 --json",
			`locus parse --as whatwg --base https://example.org/a/ '..\b?q#f'`,
			"locus parse --parts '{host}:{port}' https://example.org/",
		},
	})
}

// Run describes each URL, valid or not. If URLs are invalid, the error says how many.
func Run(_ context.Context, e *cli.Env, o Options) error {
	if err := o.Given.Check(cli.Rule{Flags: "parts", Excludes: "json"}); err != nil {
		return err
	}
	read, name, err := o.reader()
	if err != nil {
		return err
	}
	write, err := o.writer(e)
	if err != nil {
		return err
	}
	total, invalid := 0, 0
	err = e.EachText(o.URLs, func(text string) error {
		d := read(text)
		total++
		if d.Err != nil {
			invalid++
		}
		return write(d)
	})
	if err == nil && invalid > 0 {
		err = fmt.Errorf("invalid by %s: %d of %d", name, invalid, total)
	}
	return err
}

// reader returns a function that reads a text and describes it, and the name of the standard by
// which it reads, for errors.
func (o Options) reader() (func(text string) describe.Description, string, error) {
	if o.Name() != "whatwg" {
		if o.Base != nil {
			return nil, "", cli.Misuse("--base needs --as whatwg")
		}
		return func(text string) describe.Description {
			u, err := o.Read(text)
			return describe.Of(o.Standard(), text, u, err)
		}, o.Standard().String(), nil
	}
	var base url.URL
	if o.Base != nil {
		var err error
		if base, err = o.Read(*o.Base); err != nil {
			return nil, "", err
		}
	}
	return func(text string) describe.Description { return describe.Browser(base, o.guess(text)) }, "the URL Standard", nil
}

// guess returns text unchanged or, with --guess, the URL that a person who typed text probably
// meant. It also returns text unchanged if it finds no such URL.
func (o Options) guess(text string) string {
	if !o.Guess {
		return text
	}
	u, err := iri.ParseTyped(scheme.Unprefix(text))
	if err != nil {
		return text // the description will say why it is invalid
	}
	return u.String()
}

// writer returns a function that writes a description to e.Out: as JSON, in the format of --parts,
// or as text. An invalid format is a UsageError.
func (o Options) writer(e *cli.Env) (func(describe.Description) error, error) {
	switch {
	case o.JSON:
		enc := render.NewEncoder(e.Out)
		return func(d describe.Description) error { return enc.Encode(d.JSON(o.Name())) }, nil
	case o.Parts != "":
		return partsWriter(e, o.Parts)
	}
	isFirst := true
	return func(d describe.Description) error {
		if !isFirst {
			e.Out.WriteByte('\n')
		}
		isFirst = false
		return d.WriteText(e.Out)
	}, nil
}

// partsWriter returns a function that writes a line in the format text for each description. It
// reports an invalid URL instead. An invalid format is a UsageError.
func partsWriter(e *cli.Env, text string) (func(describe.Description) error, error) {
	format, err := describe.ParseFormat(text)
	wrong, _ := errors.AsType[*describe.FormatError](err)
	switch {
	case wrong != nil && wrong.IsUnclosed:
		return nil, cli.Misuse("--parts needs a } after {%s", wrong.Part)
	case err != nil:
		return nil, &cli.UsageError{Text: "--parts: " + err.Error(), Hint: "locus help --all parse lists the parts"}
	}
	return func(d describe.Description) error {
		if d.Err != nil {
			e.Report(d.Err)
			return nil //nolint:nilerr // Run counts and reports the error
		}
		line, err := format.Text(d)
		if err != nil {
			return err
		}
		return e.Line(line)
	}, nil
}
