// Package query parses and edits the query of a URL as a list of names and values.
package query

import (
	"iter"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Pairs are the names and values of a query, in order. Repeated names, empty values, pairs without "=" and empty pairs
// are kept to the byte. Names and values are passed and returned decoded.
//
//	name=ferret&colour=purple&&flag&empty=
//	\__/ \____/                \__/
//	name  value                a name with no value
//
// There are two conventions for "+" in a query: by RFC 3986 it stands for itself, and in an HTML form for a space.
// [Parse] and [ParseForm] choose between them. The text that the methods write means the same by RFC 3986, RFC 1738
// and RFC 1630. A "+" is written "%2B", because that means the same by both conventions.
//
// Pairs are an immutable, comparable value, so the editing methods return new Pairs. The zero Pairs are the pairs of
// the empty query, with the convention of RFC 3986.
//
// The Params of url/whatwg are the lists of browsers. Unlike Pairs, they convert the query to UTF-8 and write every
// pair anew.
type Pairs struct {
	text string
	form bool
}

// A Pair is a decoded name and its decoded value. The value is absent if the pair has no "=".
type Pair struct {
	Name  string
	Value url.Part
}

// Parse parses a query, without its "?", in which "+" stands for itself. It never fails, because a "%" that starts no
// escape stands for itself. Parse(s).String() == s.
func Parse(query string) Pairs { return Pairs{text: query} }

// ParseForm parses a query, without its "?", in which "+" stands for a space. It never fails. ParseForm(s).String() ==
// s.
func ParseForm(query string) Pairs { return Pairs{text: query, form: true} }

// String returns the query as written, for [url.URL.With].
func (ps Pairs) String() string { return ps.text }

// All returns the pairs in order, without empty pairs ("&&").
func (ps Pairs) All() iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for raw := range strings.SplitSeq(ps.text, "&") {
			if raw != "" && !yield(ps.decode(raw)) {
				return
			}
		}
	}
}

// Get returns the value of the first pair with that name, and reports whether there is such a pair. The value is "" if
// the pair has no "=".
func (ps Pairs) Get(name string) (value string, ok bool) {
	for p := range ps.All() {
		if p.Name == name {
			return p.Value.Text, true
		}
	}
	return "", false
}

// Values returns the values of all pairs with that name, in order. The value of a pair without "=" is "".
func (ps Pairs) Values(name string) []string {
	var values []string
	for p := range ps.All() {
		if p.Name == name {
			values = append(values, p.Value.Text)
		}
	}
	return values
}

// Add returns ps with the pair name=value added at the end.
func (ps Pairs) Add(name, value string) Pairs { return ps.Append(Pair{name, url.Some(value)}) }

// Append returns ps with p added at the end. It returns ps itself if p has neither a name nor a value.
func (ps Pairs) Append(p Pair) Pairs {
	raw := ps.encode(p)
	switch {
	case raw == "":
	case ps.text == "":
		ps.text = raw
	default:
		ps.text += "&" + raw
	}
	return ps
}

// Set returns ps with a new value for the first pair with that name, and without the other pairs with that name. If
// there is no such pair, Set adds one at the end.
func (ps Pairs) Set(name, value string) Pairs {
	found := false
	set := ps.edit(func(p Pair, raw string) (string, bool) {
		if p.Name != name {
			return raw, true
		}
		first := !found
		found = true
		rawName, _, _ := strings.Cut(raw, "=")
		return rawName + "=" + ps.escape(value), first
	})
	if !found {
		return ps.Add(name, value)
	}
	return set
}

// Del returns ps without the pairs with that name.
func (ps Pairs) Del(name string) Pairs {
	return ps.DelFunc(func(p Pair) bool { return p.Name == name })
}

// DelFunc returns ps without the pairs for which del returns true.
func (ps Pairs) DelFunc(del func(Pair) bool) Pairs {
	return ps.edit(func(p Pair, raw string) (string, bool) { return raw, !del(p) })
}

// Sort returns ps sorted by name, without empty pairs ("&&"). Pairs with the same name keep their order.
func (ps Pairs) Sort() Pairs {
	raws := slices.DeleteFunc(strings.Split(ps.text, "&"), func(raw string) bool { return raw == "" })
	slices.SortStableFunc(raws, func(a, b string) int { return strings.Compare(ps.decode(a).Name, ps.decode(b).Name) })
	ps.text = strings.Join(raws, "&")
	return ps
}

// edit returns ps with the text of each pair replaced by the text that change returns. raw is the text of p as written.
// A pair for which change returns false is removed. Empty pairs ("&&") stay.
func (ps Pairs) edit(change func(p Pair, raw string) (string, bool)) Pairs {
	var kept []string
	for raw := range strings.SplitSeq(ps.text, "&") {
		keep := true
		if raw != "" {
			raw, keep = change(ps.decode(raw), raw)
		}
		if keep {
			kept = append(kept, raw)
		}
	}
	ps.text = strings.Join(kept, "&")
	return ps
}

// decode decodes raw, the text of one pair. The name ends at the first "=".
func (ps Pairs) decode(raw string) Pair {
	name, value, ok := strings.Cut(raw, "=")
	return Pair{ps.unescape(name), url.Part{Text: ps.unescape(value), Present: ok}}
}

// unescape decodes a name or a value. In a form, "+" becomes a space.
func (ps Pairs) unescape(s string) string {
	if ps.form {
		s = strings.ReplaceAll(s, "+", " ")
	}
	return ascii.Unescape(s)
}

// encode returns the text of p in a query: the escaped name and, if the value is present, "=" and the escaped value.
func (ps Pairs) encode(p Pair) string {
	raw := ps.escape(p.Name)
	if p.Value.Present {
		raw += "=" + ps.escape(p.Value.Text)
	}
	return raw
}

// pairKeep are the bytes that need no escape in names and values for any reader. It lacks the bytes that separate
// pairs anywhere, and the bytes that the URL Standard escapes.
var pairKeep = url.RFC3986.Allowed(url.Query).Intersect(url.RFC1738.Allowed(url.Query)).Intersect(url.RFC1630.Allowed(url.Query)).Without("&=+;'")

// escape escapes s for the name or the value of a pair. In a form, a space becomes "+".
func (ps Pairs) escape(s string) string {
	s = url.Escape(s, pairKeep)
	if ps.form {
		s = strings.ReplaceAll(s, "%20", "+")
	}
	return s
}
