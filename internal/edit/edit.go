// Package edit applies the same changes to many URLs.
package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"locus/scheme"
	"locus/url"
	"locus/url/query"
)

// A Pair is the name of a part, or of a pair of a query, and its new value.
type Pair struct{ Name, Value string }

// Edits are the changes to a URL, in their order. The zero Edits leave a URL unchanged.
type Edits struct {
	Unset      []string // the parts to remove, as scheme.Set names them
	Set        []Pair   // the parts to set
	Choices    [][]Pair // after Set, one Pair of each choice is set
	AppendPath []string // the segments to add to the path
	UnsetQuery []string // the names of pairs to remove from the query; "*" stands for any characters
	SetQuery   []Pair   // the pairs of the query to replace, or to add if they are missing
	AddQuery   []Pair   // the pairs to add to the query
	SortQuery  bool     // sort the pairs by their names
}

// Apply returns u with the changes: one URL for each combination of the Choices, in which the last
// choice changes fastest. If a change fails, it returns nil and the first error. The error wraps
// scheme.ErrNoPart for an unknown name of a part. It does not show values that may have a password.
func (e Edits) Apply(u url.URL) ([]url.URL, error) {
	var all []url.URL
	err := combinations(e.Choices, e.Set, func(sets []Pair) error {
		edited, err := e.apply(u, sets)
		all = append(all, edited)
		return withoutValues(u, err, sets)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// combinations calls do once for each way to take one Pair from each of choices, the last choice
// changing fastest. do gets set with these Pairs appended. combinations stops at the first error of
// do and returns it.
func combinations(choices [][]Pair, set []Pair, do func(set []Pair) error) error {
	if len(choices) == 0 {
		return do(set)
	}
	for _, pair := range choices[0] {
		if err := combinations(choices[1:], append(slices.Clip(set), pair), do); err != nil {
			return err
		}
	}
	return nil
}

// withoutValues returns err, or an error without the edited URL if err shows that URL and one of
// sets may have a password. The password may be escaped in that URL, so that Redacted would not
// find it. u is the URL before the edit.
func withoutValues(u url.URL, err error, sets []Pair) error {
	syntax, ok := errors.AsType[*url.SyntaxError](err)
	if !ok || !slices.ContainsFunc(sets, func(p Pair) bool { return strings.Contains(p.Value, "@") }) {
		return err
	}
	return fmt.Errorf("edit %s: %s", u.Redacted(), syntax.Detail())
}

// apply returns u with the changes of e, in the order of the fields of Edits, except that it sets
// the parts in sets instead of the parts in Set and Choices. It returns the first error of a
// change, or the error of scheme.Judge for the result.
func (e Edits) apply(u url.URL, sets []Pair) (url.URL, error) {
	var err error
	for _, part := range e.Unset {
		if u, err = scheme.Set(u, part, nil); err != nil {
			return u, err
		}
	}
	for _, p := range sets {
		if u, err = scheme.Set(u, p.Name, &p.Value); err != nil {
			return u, err
		}
	}
	if len(e.AppendPath) > 0 {
		if u, err = u.JoinPath(e.AppendPath...); err != nil {
			return u, err
		}
	}
	if u, err = e.editQuery(u); err != nil {
		return u, err
	}
	return u, scheme.Judge(u)
}

// editQuery returns u with the changes to its query: it removes, sets, adds and then sorts pairs. A
// query that has lost its last pair is removed together with its "?".
func (e Edits) editQuery(u url.URL) (url.URL, error) {
	old, hasQuery := u.Query()
	pairs := query.Parse(old)
	for _, pattern := range e.UnsetQuery {
		pairs = pairs.DelFunc(func(p query.Pair) bool { return matchesName(pattern, p.Name) })
	}
	for _, p := range e.SetQuery {
		pairs = pairs.Set(p.Name, p.Value)
	}
	for _, p := range e.AddQuery {
		pairs = pairs.Add(p.Name, p.Value)
	}
	if e.SortQuery {
		pairs = pairs.Sort()
	}
	switch edited := pairs.String(); {
	case edited == old:
		return u, nil
	case edited == "" && hasQuery:
		return u.Without(url.Query)
	case u.Standard() == url.RFC1738:
		return scheme.Set(u, "query", &edited) // it escapes "/" and "?", which a query by RFC 1738 must not have
	default:
		return u.With(url.Query, url.Some(edited))
	}
}

// matchesName reports whether the whole name matches pattern, in which "*" stands for any
// characters, also for none.
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
