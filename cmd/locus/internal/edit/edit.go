// Package edit implements the verb edit: set or remove parts of URLs.
package edit

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/internal/edit"
	"locus/scheme"
	"locus/url"
)

// Options are the flags and arguments of edit.
type Options struct {
	URLs []string `args:"0-"` // without URLs: the lines of stdin
	text.By
	Unset      []string `flag:"unset"`
	Set        []string `flag:"set"`
	AppendPath []string `flag:"append-path"`
	UnsetQuery []string `flag:"unset-query"`
	SetQuery   []string `flag:"set-query"`
	AddQuery   []string `flag:"add-query"`
	SortQuery  bool     `flag:"sort-query"`
	Iterate    []string `flag:"iterate"`
}

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb edit.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "edit",
		Summary:     "set or remove parts of URLs",
		Synopsis:    "locus edit [FLAG…] [URL…]",
		Description: description,
		Common:      "set unset append-path set-query unset-query iterate",
		Kinds:       text.All(),
		Examples: []string{
			"locus edit ftp://ftp.example.org/a/b --set port=2121 --set ftp.type=i",
			"locus edit 'https://example.org/?q=1#top' --set 'path=/a b' --unset query",
			"locus edit 'https://example.org/?q=1&utm_source=x' --unset-query 'utm_*' --set-query q=2",
			"locus edit '' --set scheme=https --set host=example.org --append-path docs",
			"locus edit http://example.org/ --iterate 'port=80 8080'",
		},
	})
}

// Run edits URLs, and writes a line for each result. With --iterate a URL has several results.
func Run(_ context.Context, e *cli.Env, o Options) error {
	edits, err := o.edits()
	if err != nil {
		return err
	}
	return e.ConvertEach(o.URLs, func(arg string) (string, error) {
		u, err := o.Read(arg)
		if err != nil {
			return "", err
		}
		edited, err := edits.Apply(u)
		const listsParts = "locus help edit lists the parts"
		switch {
		case !errors.Is(err, scheme.ErrNoPart):
		case o.setsOther(u):
			return "", &cli.Hinted{Err: err, Hint: listsParts}
		default:
			return "", &cli.UsageError{Text: err.Error(), Hint: listsParts}
		}
		var lines []string
		for _, u := range edited {
			lines = append(lines, u.String())
		}
		return strings.Join(lines, "\n"), err
	})
}

// setsOther reports whether a flag names a part such as ftp.type of a scheme that is not the scheme
// of u. That is not a misuse, because other URLs of the same command may have the part.
func (o Options) setsOther(u url.URL) bool {
	isOther := func(text string) bool {
		part, _, _ := strings.Cut(text, "=")
		i := strings.LastIndexByte(part, '.') // such as "z39.50s.databases"
		if i < 0 || part[:i] == u.Scheme() {
			return false
		}
		_, isKnown := scheme.Lookup(part[:i])
		return isKnown
	}
	return slices.ContainsFunc(o.Set, isOther) || slices.ContainsFunc(o.Unset, isOther) || slices.ContainsFunc(o.Iterate, isOther)
}

// edits returns the changes that the flags ask for. A value without its NAME or VALUE is a
// UsageError.
func (o Options) edits() (edits edit.Edits, err error) {
	edits = edit.Edits{Unset: o.Unset, AppendPath: o.AppendPath, UnsetQuery: o.UnsetQuery, SortQuery: o.SortQuery}
	for _, name := range o.AppendPath {
		if name == "" || name == "." || name == ".." {
			return edits, cli.Misuse("--append-path must be the name of a file or folder, not %q", name)
		}
	}
	if slices.Contains(o.UnsetQuery, "") {
		return edits, cli.Misuse(`--unset-query must not be empty`)
	}
	if edits.Set, err = pairs("set", "PART", o.Set); err != nil {
		return edits, err
	}
	if edits.SetQuery, err = pairs("set-query", "NAME", o.SetQuery); err != nil {
		return edits, err
	}
	if edits.AddQuery, err = pairs("add-query", "NAME", o.AddQuery); err != nil {
		return edits, err
	}
	for _, text := range o.Iterate {
		part, values, _ := strings.Cut(text, "=")
		var choice []edit.Pair
		for value := range strings.FieldsSeq(values) {
			choice = append(choice, edit.Pair{Name: part, Value: value})
		}
		if choice == nil {
			return edits, cli.Misuse("--iterate must be PART=VALUE…")
		}
		edits.Choices = append(edits.Choices, choice)
	}
	return edits, nil
}

// pairs parses texts, which are the values NAME=VALUE of a flag. what stands for NAME in a
// UsageError.
func pairs(flag, what string, texts []string) ([]edit.Pair, error) {
	var all []edit.Pair
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, cli.Misuse("--%s must be %s=VALUE", flag, what)
		}
		all = append(all, edit.Pair{Name: name, Value: value})
	}
	return all, nil
}
