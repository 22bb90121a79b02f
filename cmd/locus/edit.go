package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/scheme"
	"locus/url"
	"locus/url/query"
)

func (p *process) editCommand() *cli.Command {
	return &cli.Command{
		Name:      "edit",
		Usage:     "set or remove parts of a URL",
		UsageText: "locus edit [FLAG…] URL",
		Description: "PART is scheme, user, password, host, port, path, query or fragment, or a part of the\n" +
			"URL's meaning as parse --json names it, such as ftp.type or gopher.selector.\n\n" +
			"Parts are removed first, then set from left to right. Characters that a part cannot\n" +
			"hold are escaped. Escapes in VALUE stay as they are, except in parts of the meaning,\n" +
			"whose values are plain text. Lists such as ftp.dirs and file.segments are written as\n" +
			"in a URL. By rfc1738 and rfc1630 the result must fit its scheme.\n\n" +
			"A query such as q=1&lang=en consists of pairs. After the parts, pairs are removed, set,\n" +
			"added and sorted, in this order. Their NAME and VALUE are plain text, and are escaped\n" +
			"as needed. In PATTERN * stands for any characters.",
		Flags: flags("as set unset unset-query set-query add-query sort-query"),
		Metadata: kinds(rfcStandards,
			"locus edit ftp://ftp.example.org/a/b --set port=2121 --set ftp.type=i",
			"locus edit 'https://example.org/?q=1#top' --set 'path=/a b' --unset query",
			"locus edit 'https://example.org/?q=1&utm_source=x' --unset-query 'utm_*' --set-query q=2"),
		Action: p.edit,
	}
}

func (p *process) edit(_ context.Context, c *cli.Command) error {
	std, err := standard(c)
	if err != nil {
		return err
	}
	args, err := arguments(c, 1, 1)
	if err != nil {
		return err
	}
	u, err := scheme.Read(std, args[0])
	if err != nil {
		return explain(err)
	}
	for _, part := range c.StringSlice("unset") {
		if u, err = scheme.Set(u, part, nil); err != nil {
			return unknownPart(err)
		}
	}
	for _, set := range c.StringSlice("set") {
		part, value, ok := strings.Cut(set, "=")
		if !ok {
			return misuse("--set wants PART=VALUE")
		}
		if u, err = scheme.Set(u, part, &value); err != nil {
			return unknownPart(err)
		}
	}
	if u, err = editQuery(c, u); err != nil {
		return explain(err)
	}
	if err := scheme.Judge(u); err != nil {
		return explain(err)
	}
	return p.line(u.String())
}

// editQuery changes the pairs of u's query as the flags say. It removes a query that
// has lost its last pair.
func editQuery(c *cli.Command, u url.URL) (url.URL, error) {
	text, hasQuery := u.Query()
	pairs := query.Parse(text)
	for _, pattern := range c.StringSlice("unset-query") {
		pairs = pairs.DelFunc(func(p query.Pair) bool { return matchesName(pattern, p.Name) })
	}
	for _, set := range c.StringSlice("set-query") {
		name, value, ok := strings.Cut(set, "=")
		if !ok || name == "" {
			return u, misuse("--set-query wants NAME=VALUE")
		}
		pairs = pairs.Set(name, value)
	}
	for _, add := range c.StringSlice("add-query") {
		name, value, ok := strings.Cut(add, "=")
		if !ok || name == "" {
			return u, misuse("--add-query wants NAME=VALUE")
		}
		pairs = pairs.Add(name, value)
	}
	if c.Bool("sort-query") {
		pairs = pairs.Sort()
	}
	switch edited := pairs.String(); {
	case edited == text:
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
		return &usageError{text: err.Error(), hint: "locus help edit lists the parts"}
	}
	return err
}
