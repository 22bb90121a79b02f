// Package edit is the verb edit: set or remove parts of URLs.
package edit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/scheme"
	"locus/url"
	"locus/url/query"
)

// Options are the flags and arguments of edit.
type Options struct {
	URLs []string `args:"0-"` // none: the lines of stdin
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

// description is that of the verb in its help.
//
//go:embed description.txt
var description string

// Verb describes edit.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "edit",
		Summary:     "set or remove parts of URLs",
		Synopsis:    "locus edit [FLAG…] [URL…]",
		Description: description,
		Common:      "set unset append-path set-query iterate guess",
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

// Run edits URLs.
func Run(_ context.Context, e *cli.Env, o Options) error {
	return text.Each(e, o.URLs, func(arg string) (string, error) {
		u, err := o.Read(arg)
		if err != nil {
			return "", err
		}
		var lines []string
		err = iterate(o.Iterate, o.Set, func(sets []string) error {
			edited, err := o.edit(u, sets)
			lines = append(lines, edited.String())
			return withoutValues(u, err, sets)
		})
		return strings.Join(lines, "\n"), err
	})
}

// withoutValues returns err without the URL that was edited, if one of sets may hold a
// password. In that URL it may be escaped, so that nothing recognizes it.
func withoutValues(u url.URL, err error, sets []string) error {
	syntax, ok := errors.AsType[*url.SyntaxError](err)
	if !ok || !slices.ContainsFunc(sets, func(set string) bool { return strings.Contains(set, "@") }) {
		return err
	}
	return fmt.Errorf("edit %s: %s", u.Redacted(), syntax.Detail())
}

// iterate calls do with each combination of one VALUE of each "PART=VALUE VALUE…", as
// values of --set after those in set.
func iterate(texts, set []string, do func(set []string) error) error {
	if len(texts) == 0 {
		return do(set)
	}
	part, values, ok := strings.Cut(texts[0], "=")
	if !ok || strings.TrimSpace(values) == "" {
		return cli.Misuse("--iterate wants PART=VALUE…")
	}
	for value := range strings.FieldsSeq(values) {
		if err := iterate(texts[1:], append(set[:len(set):len(set)], part+"="+value), do); err != nil {
			return err
		}
	}
	return nil
}

// edit returns u with the parts changed. sets are the values of --set and --iterate.
func (o Options) edit(u url.URL, sets []string) (url.URL, error) {
	var err error
	for _, part := range o.Unset {
		if u, err = scheme.Set(u, part, nil); err != nil {
			return u, unknownPart(err)
		}
	}
	for _, set := range sets {
		part, value, ok := strings.Cut(set, "=")
		if !ok {
			return u, cli.Misuse("--set wants PART=VALUE")
		}
		if u, err = scheme.Set(u, part, &value); err != nil {
			return u, unknownPart(err)
		}
	}
	if len(o.AppendPath) > 0 {
		if u, err = u.JoinPath(o.AppendPath...); err != nil {
			return u, err
		}
	}
	if u, err = o.editQuery(u); err == nil {
		err = scheme.Judge(u)
	}
	return u, cli.Explain(err)
}

// editQuery changes the pairs of u's query. It removes a query that has lost its last
// pair.
func (o Options) editQuery(u url.URL) (url.URL, error) {
	old, hasQuery := u.Query()
	pairs := query.Parse(old)
	for _, pattern := range o.UnsetQuery {
		pairs = pairs.DelFunc(func(p query.Pair) bool { return matchesName(pattern, p.Name) })
	}
	for _, set := range o.SetQuery {
		name, value, ok := strings.Cut(set, "=")
		if !ok || name == "" {
			return u, cli.Misuse("--set-query wants NAME=VALUE")
		}
		pairs = pairs.Set(name, value)
	}
	for _, add := range o.AddQuery {
		name, value, ok := strings.Cut(add, "=")
		if !ok || name == "" {
			return u, cli.Misuse("--add-query wants NAME=VALUE")
		}
		pairs = pairs.Add(name, value)
	}
	if o.SortQuery {
		pairs = pairs.Sort()
	}
	switch edited := pairs.String(); {
	case edited == old:
		return u, nil
	case edited == "" && hasQuery:
		return u.Without(url.Query)
	case u.Standard() == url.RFC1738:
		return scheme.Set(u, "query", &edited) // it escapes "/" and "?", which may not stand there
	default:
		return u.With(url.Query, url.Some(edited))
	}
}

// matchesName reports whether name matches pattern, in which "*" stands for any
// characters.
func matchesName(pattern, name string) bool {
	literal, rest, hasStar := strings.Cut(pattern, "*")
	if !hasStar {
		return name == pattern
	}
	name, ok := strings.CutPrefix(name, literal)
	for ok && rest != "" {
		literal, rest, hasStar = strings.Cut(rest, "*")
		if !hasStar {
			return strings.HasSuffix(name, literal)
		}
		_, name, ok = strings.Cut(name, literal)
	}
	return ok
}

// unknownPart makes an error about a part that does not exist one of misuse.
func unknownPart(err error) error {
	if errors.Is(err, scheme.ErrNoPart) {
		return &cli.UsageError{Text: err.Error(), Hint: "locus help edit lists the parts"}
	}
	return err
}
