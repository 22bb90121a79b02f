package scheme

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
)

// Set returns u with one part set to a value, or removed if value is nil. All other bytes remain unchanged. The result
// is read by u's standard.
//
// A generic part is named "scheme", "user", "password", "host", "port", "path", "query" or "fragment". Set escapes
// bytes of its value that must not stand there, and keeps escapes: "a b" and "a%20b" become "a%20b", and "a%" becomes
// "a%25". In a URL of whatwg.Standard, the browsers' setter reads the value instead, so "a%" stays "a%".
//
// A part of the view is named "SCHEME.FIELD", with the names of the view's JSON: "ftp.type", "gopher.selector". Its
// value is decoded. Set escapes it as the scheme requires: in "ftp.name", "a/b" becomes "a%2Fb" and "%" always becomes
// "%25". Some parts are lists, which are written as in a URL, so that each item is escaped like a generic part.
// "ftp.dirs" and "file.segments" have "/" between the items, "z39.50s.databases" and "z39.50s.rs" have "+", and
// "prospero.fields" and "z39.50s.extensions" have ";".
//
// The error wraps [ErrNoPart] if u has no part with that name. It is a [*url.SyntaxError] if the value cannot stand
// there.
func Set(u url.URL, part string, value *string) (url.URL, error) {
	field, isOfScheme := strings.CutPrefix(part, u.Scheme()+".")
	if !strings.Contains(part, ".") {
		return setGeneric(u, part, value)
	}
	if !isOfScheme {
		return url.URL{}, fmt.Errorf("%q in a URL of scheme %q: %w", part, u.Scheme(), ErrNoPart)
	}
	v, err := Parse(u)
	if err != nil {
		return url.URL{}, err
	}
	view, ok := v.(listed)
	if !ok {
		return url.URL{}, fmt.Errorf("%q: %w", part, ErrNoPart)
	}
	edited, err := view.fields().set(field, value)
	if err != nil {
		return url.URL{}, fmt.Errorf("%q: %w", part, err)
	}
	return rewrite(u, v, edited, part)
}

// ErrNoPart is the error of [Set] if a URL has no part with that name.
var ErrNoPart = errors.New("no such part")

// setGeneric implements [Set] for a generic part. The error wraps [ErrNoPart] if no generic part has the name part.
func setGeneric(u url.URL, part string, value *string) (url.URL, error) {
	for n := url.Scheme; n <= url.Fragment; n++ {
		if n.String() != part {
			continue
		}
		if isWHATWG(u) {
			return setWHATWG(u, n, value)
		}
		if n == url.Host && (value == nil || *value == "") && needsHost(u.Scheme()) {
			return url.URL{}, noHost(u)
		}
		if value == nil {
			return u.Without(n)
		}
		keep := allowed(u, n)
		if n == url.Scheme || n == url.Port || keep == (url.Set{}) { // the part has no escapes, or must be empty
			return u.With(n, url.Some(*value))
		}
		var b builder
		b.written(*value, keep)
		return u.With(n, url.Some(b.String()))
	}
	return url.URL{}, fmt.Errorf("%q: %w", part, ErrNoPart)
}

// isWHATWG reports whether u is a URL of the browsers' standard and not of an RFC.
func isWHATWG(u url.URL) bool {
	std := u.Standard()
	return std != url.RFC3986 && std != url.RFC1738 && std != url.RFC1630
}

// setWHATWG returns u with one part set by the browsers' setter, which escapes the value where necessary. If value is
// nil, it removes the part.
func setWHATWG(u url.URL, n url.PartName, value *string) (url.URL, error) {
	if value == nil {
		return u.Without(n)
	}
	return u.With(n, url.Some(*value))
}

// needsHost reports whether a URL of the scheme must have a host. Without one, browsers would read the text after the
// slashes as the host.
func needsHost(scheme string) bool {
	known := facts.Of(scheme)
	return known.Has(facts.Host) && !known.Has(facts.EmptyHost) && known.Protocol != "nntp"
}

// noHost returns the error for a change that would remove the host of u. The error shows u without its authority.
func noHost(u url.URL) error {
	p := u.Parts()
	p.User, p.Password, p.Host, p.Port = url.Part{}, url.Part{}, url.Some(""), url.Part{}
	return &url.SyntaxError{
		Text: p.String(), Offset: len(p.Scheme.Text) + len("://"), Standard: u.Standard(),
		Rule: "RFC 1738 §3.1", Want: "a host",
	}
}

// allowed returns the bytes that may stand unescaped in the part n of u, by the standard of u and, in a query, by the
// productions of the schemes that have a query. A host may also contain "[", "]" and ":".
func allowed(u url.URL, n url.PartName) url.Set {
	keep := u.Standard().Allowed(n)
	switch {
	case n == url.Host:
		return keep.With("[]:")
	case n == url.Query && u.Standard() == url.RFC1738:
		return keep.Intersect(search1738)
	case n == url.Query && u.Standard() == url.RFC1630:
		return keep.Intersect(xalpha1630)
	}
	return keep
}

// rewrite returns the URL of u's standard whose view is edited. v is the view of u. Text that v and edited share keeps
// the spelling that it has in u. If the standard does not have such a URL, rewrite returns an error, which names part,
// the part that was edited.
func rewrite(u url.URL, v, edited View, part string) (url.URL, error) {
	before, after := v.URL(), edited.URL()
	p := u.Parts()
	was, is := before.Parts(), after.Parts()
	if is.User != was.User {
		p.User = is.User
	}
	if is.Password != was.Password {
		p.Password = is.Password
	}
	if is.Host != was.Host {
		p.Host = is.Host
	}
	p.Query = url.Part{}
	p.Path = respell(u.PathAndQuery(), before.PathAndQuery(), after.PathAndQuery())
	result, err := u.Standard().Parse(p.String())
	if err != nil {
		return url.URL{}, err
	}
	got, err := Parse(result)
	if err != nil {
		return url.URL{}, err
	}
	if !reflect.DeepEqual(got, edited) {
		return url.URL{}, fmt.Errorf("%q: the value cannot stand there", part)
	}
	return result, nil
}

// respell returns after with the text that it shares with before, at the start and at the end, spelled as in original.
// original and before must differ in escapes only; respell returns after unchanged if they differ more.
func respell(original, before, after string) string {
	if before == after {
		return original
	}
	o, b, a := tokens(original), tokens(before), tokens(after)
	isSame := func(s, t string) bool { return s == t || ascii.Unescape(s) == ascii.Unescape(t) }
	if !slices.EqualFunc(o, b, isSame) {
		return after
	}
	start := 0
	for start < min(len(b), len(a)) && b[start] == a[start] {
		start++
	}
	end := 0
	for end < min(len(b), len(a))-start && b[len(b)-1-end] == a[len(a)-1-end] {
		end++
	}
	return strings.Join(o[:start], "") + strings.Join(a[start:len(a)-end], "") + strings.Join(o[len(o)-end:], "")
}

// tokens splits s into single bytes and whole escapes such as "%2F".
func tokens(s string) []string {
	list := make([]string, 0, len(s))
	for s != "" {
		n := escapeLen(s)
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

// optionalPart converts a value of [Set] to a part. The part is absent if value is nil.
func optionalPart(value *string) url.Part {
	if value == nil {
		return url.Part{}
	}
	return url.Some(*value)
}

// items splits the list value at separator, and escapes in each item the bytes that must not stand in a URL. It
// returns nil for nil.
func items(value *string, separator string) []string {
	if value == nil {
		return nil
	}
	list := strings.Split(*value, separator)
	for i, item := range list {
		var b builder
		b.written(item, inWritten)
		list[i] = b.String()
	}
	return list
}
