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

// Set returns u with one part set to a value, or without it if value is nil. All
// other bytes stay as they are. The result is read by u's standard.
//
// A generic part is named "scheme", "user", "password", "host", "port", "path",
// "query" or "fragment". In its value, bytes that may not stand there are escaped,
// and escapes stay as they are: "a b" and "a%20b" become "a%20b", and "a%" becomes
// "a%25". In a URL of whatwg.Standard, the setter of browsers reads the value instead:
// "a%" stays "a%".
//
// A part of the view is named "SCHEME.FIELD", as in the JSON of the view:
// "ftp.type", "gopher.selector". Its value is decoded, and is escaped as the
// scheme needs: in "ftp.name", "a/b" becomes "a%2Fb" and "%" always becomes
// "%25". Some parts are lists, written as in a URL. Each item is escaped like a
// generic part. "ftp.dirs" and "file.segments" have "/" between the items,
// "z39.50s.databases" and "z39.50s.rs" have "+", "prospero.fields" and
// "z39.50s.extensions" have ";".
//
// The error wraps [ErrNoPart] if u has no part of that name, and is a
// [*url.SyntaxError] if the value cannot stand there.
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

// ErrNoPart is the error of [Set] if a URL has no part of that name.
var ErrNoPart = errors.New("no such part")

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
		if n == url.Scheme || n == url.Port || keep == (url.Set{}) { // no escapes there, or nothing at all
			return u.With(n, url.Some(*value))
		}
		var b builder
		b.written(*value, keep)
		return u.With(n, url.Some(b.String()))
	}
	return url.URL{}, fmt.Errorf("%q: %w", part, ErrNoPart)
}

// isWHATWG reports whether u is a URL of browsers, and not of an RFC.
func isWHATWG(u url.URL) bool {
	std := u.Standard()
	return std != url.RFC3986 && std != url.RFC1738 && std != url.RFC1630
}

// setWHATWG sets a part as browsers do. Their setters escape what they must.
func setWHATWG(u url.URL, n url.PartName, value *string) (url.URL, error) {
	if value == nil {
		return u.Without(n)
	}
	return u.With(n, url.Some(*value))
}

// needsHost reports whether a URL of the scheme must have a host. Without one,
// browsers would take what follows for the host.
func needsHost(scheme string) bool {
	known := facts.Of(scheme)
	return known.Has(facts.Host) && !known.Has(facts.EmptyHost) && known.Protocol != "nntp"
}

// noHost says that u must keep its host.
func noHost(u url.URL) error {
	p := u.Parts()
	p.User, p.Password, p.Host, p.Port = url.Part{}, url.Part{}, url.Some(""), url.Part{}
	return &url.SyntaxError{
		Text: p.String(), Offset: len(p.Scheme.Text) + len("://"), Standard: u.Standard(),
		Rule: "RFC 1738 §3.1", Want: "a host",
	}
}

// allowed returns what may stand for itself in a part, by the standard and, in
// a query, by the productions of the schemes that have one.
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

// rewrite returns u, whose view is v, with what makes its view the edited one.
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

// respell returns after, with what it has in common with before, at its start
// and its end, spelt as in original. The original means what before means.
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

// tokens divides a text into bytes and escapes.
func tokens(s string) []string {
	list := make([]string, 0, len(s))
	for s != "" {
		n := escapeLen(s)
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

// optionalPart is the part that a value of Set stands for.
func optionalPart(value *string) url.Part {
	if value == nil {
		return url.Part{}
	}
	return url.Some(*value)
}

// items reads a list that is written with a separator between its items. Each
// item is as it may stand in a URL.
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
