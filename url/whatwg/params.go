package whatwg

import (
	"slices"
	"strings"
	"unicode/utf16"

	"locus/internal/ascii"
)

// Params is the standard's URLSearchParams: the pairs of a query in order, which String formats as
// application/x-www-form-urlencoded. Names may repeat. nil has no pairs. Params are not safe for concurrent use if one
// of the methods changes them.
type Params []Pair

// A Pair is a name and its value, decoded.
type Pair struct{ Name, Value string }

// ParseParams parses a query, with or without the "?" before it. Bytes that are not UTF-8 become U+FFFD. ParseParams
// never fails.
func ParseParams(query string) Params {
	var ps Params
	for pair := range strings.SplitSeq(strings.TrimPrefix(query, "?"), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		ps = append(ps, Pair{decodeForm(name), decodeForm(value)})
	}
	return ps
}

// decodeForm decodes a name or a value of application/x-www-form-urlencoded, with a space for "+", and U+FFFD for bytes
// that are not UTF-8.
func decodeForm(s string) string {
	return toUTF8(ascii.Unescape(strings.ReplaceAll(s, "+", " ")))
}

// String formats the pairs as application/x-www-form-urlencoded.
func (ps Params) String() string {
	var b []byte
	for i, p := range ps {
		if i > 0 {
			b = append(b, '&')
		}
		b = appendForm(b, p.Name)
		b = append(b, '=')
		b = appendForm(b, p.Value)
	}
	return string(b)
}

// appendForm appends s as application/x-www-form-urlencoded writes it, with "+" for a space.
func appendForm(b []byte, s string) []byte {
	start := len(b)
	b = appendEncoded(b, s, formKept)
	for i, c := range b[start:] {
		if c == ' ' {
			b[start+i] = '+'
		}
	}
	return b
}

// Get returns the value of the first pair with that name, and reports whether there is such a pair.
func (ps Params) Get(name string) (value string, ok bool) {
	for _, p := range ps {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// GetAll returns the values of all pairs with that name, in order.
func (ps Params) GetAll(name string) []string {
	var values []string
	for _, p := range ps {
		if p.Name == name {
			values = append(values, p.Value)
		}
	}
	return values
}

// Has reports whether there is a pair with that name.
func (ps Params) Has(name string) bool {
	_, ok := ps.Get(name)
	return ok
}

// Append adds a pair at the end.
func (ps *Params) Append(name, value string) { *ps = append(*ps, Pair{name, value}) }

// Delete removes all pairs with that name.
func (ps *Params) Delete(name string) {
	*ps = slices.DeleteFunc(*ps, func(p Pair) bool { return p.Name == name })
}

// Set sets the value of the first pair with that name and removes the others. If there is no such pair, Set adds one
// at the end.
func (ps *Params) Set(name, value string) {
	i := slices.IndexFunc(*ps, func(p Pair) bool { return p.Name == name })
	if i < 0 {
		ps.Append(name, value)
		return
	}
	(*ps)[i].Value = value
	rest := slices.DeleteFunc((*ps)[i+1:], func(p Pair) bool { return p.Name == name })
	*ps = (*ps)[:i+1+len(rest)]
}

// Sort sorts the pairs by the UTF-16 code units of their names. Pairs with the same name keep their order.
func (ps Params) Sort() {
	slices.SortStableFunc(ps, func(a, b Pair) int {
		return slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
	})
}
