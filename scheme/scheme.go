// Package scheme says what the URLs of each scheme mean: facts about the
// scheme, and a typed view of its URLs in which every part is decoded, once.
//
//	u, _ := url.Parse("ftp://host.dom/%2Fetc/motd;type=a")
//	v, _ := scheme.ParseFTP(u)      // v.Dirs = ["/etc"], v.Name = "motd", v.Type = "a"
//	v.URL()                         // ftp://host.dom/%2Fetc/motd;type=a
//
// A view reads the URLs of all three standards, and has what only a later one allows,
// such as an IPv6 host or a "~". [Judge] is strict: it checks a URL by the grammar that
// RFC 1738 §5 or RFC 1630 has for its scheme, whichever of them the URL was read by.
//
// A view has no fragment, since a fragment does not change which resource a URL names.
// If RFC 1738 gives a scheme no query, "?" is data, by every standard.
//
// Notable divergences:
//   - RFC 1738 §5 has port = digits; a view refuses port 0 and ports over 65535.
//   - RFC 1738 §5 gives https, ftps, nntps and snews no grammar; each is judged
//     as its twin is. rlogin has telnet's, under RFC 1630.
//   - RFC 1738 §5 writes gopher's search as http's, without "/" and "?", though
//     §3.4.1 says that nothing is reserved in the gopher path. Both are read; a
//     view writes a search as §5 has it.
//   - RFC 1738 §5 has no escapes in groups and type codes, but by §2.2 letters,
//     digits and marks mean the same encoded. Such escapes are read.
//   - RFC 1738 §3.9 says nothing of "+" in a wais search. By RFC 1630 it is a
//     space, and the programs that wrote wais URLs agreed. Here it is a space by
//     every standard.
//   - RFC 2056 has no login in z39.50s and z39.50r URLs, and no searches. A view reads a
//     user and a password as in ftp URLs, and the keywords query, scan, sort, record and
//     from.
//   - RFC 1738 §3.5 has addresses of RFC 822, in ASCII. A view reads those of RFC
//     6532 too.
//   - RFC 1738 §5 lets a gopher selector be any xchars, but §3.4.1 forbids 09, 0A
//     and 0D in it. A view follows §3.4.1. In a Gopher+ string, only the filled-in
//     form of §3.4.9 may have CR and LF.
//   - RFC 1738 §5 has encoded822addr = 1*xchar, "further defined in RFC 822":
//     the address must be an addr-spec of RFC 822 §6.1, without the comments and
//     white space that RFC 822 lets stand between its words.
//   - RFC 1630 writes ftp's type code in the BNF as "ftptype" with a mandatory
//     format and in the prose as ";type=" and RFC 959's code, whose format may be
//     missing. The prose wins.
//   - RFC 1630 lets "@" stand in any name. Here the last "@" of an address or a
//     message-id comes before its host, and a group has no "@".
//   - RFC 1630's prose has a news server in nntp URLs, and its BNF has none. Both
//     are read.
//   - RFC 1630's BNF lets only the last segment of a path be empty. Its examples have
//     other empty ones ("magic://a/b/c//d/e/f"), and are followed.
package scheme

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// A View is what a URL of one scheme means: FTP, HTTP, Gopher … Its parts are
// decoded. URL is the inverse of the parser: ParseFTP(v.URL()) == v. For the parts
// by their names, as JSON, marshal [JSON] of the view and not the view itself.
//
// URL returns the zero URL for a view that no URL can have, such as one of
// more than 2 GiB.
type View interface {
	URL() url.URL
}

// A Scheme is what is known about a scheme. The zero Scheme is no scheme.
type Scheme struct {
	Name   string // in lower case: "ftp"
	Port   uint16 // the default port; 0 if its URLs name none
	Secure string // the same protocol over TLS: "ftps"; "" if there is none
	Spec   string // where it is defined, such as "RFC 1738 §3.2"
	Flags  Flags

	// Delims are those of ";/?:@=&" that the scheme reserves (RFC 1738 §2.2):
	// encoded, they mean something else than as they stand.
	Delims string

	// Parse maps a URL to its view, whose URL method maps it back. nil: there
	// is no view, and [Parse] gives errors.ErrUnsupported.
	Parse func(url.URL) (View, error)

	// Judge holds a URL to the scheme's own production in the document that
	// it was read by. nil: the generic syntax is all there is.
	Judge func(url.URL) error
}

// Flags say what kind of scheme it is.
type Flags uint32

const (
	// Hierarchical says that "/" in the path separates the levels of a
	// hierarchy, in which the segments "." and ".." move (RFC 1738 §2.3).
	Hierarchical = Flags(facts.Hierarchical)
	// Relative says that partial forms work.
	Relative = Flags(facts.Relative)
	// Object says that a URL names something that can be retrieved.
	Object = Flags(facts.Object)
	// Session says that a URL names an interactive service.
	Session = Flags(facts.Session)
	// Address says that a URL names an address, which nothing can retrieve.
	Address = Flags(facts.Address)
	// TLS says that the protocol runs inside TLS.
	TLS = Flags(facts.Encrypted)
	// EmptyPathIsRoot says that an empty path means the same as "/".
	EmptyPathIsRoot = Flags(facts.EmptyPathIsRoot)
	// Reserved says that RFC 1738 §4 or RFC 1630 reserves the name.
	Reserved = Flags(facts.Reserved)
	// Experimental says that the name starts with "x-" (RFC 1738 §4).
	Experimental Flags = 1 << 31
)

// Has reports whether f has every flag of g.
func (f Flags) Has(g Flags) bool { return f&g == g }

var flagNames = [...]struct {
	flag Flags
	name string
}{
	{Hierarchical, "hierarchical"},
	{Relative, "relative"},
	{Object, "object"},
	{Session, "session"},
	{Address, "address"},
	{TLS, "tls"},
	{EmptyPathIsRoot, "empty-path-is-root"},
	{Reserved, "reserved"},
	{Experimental, "experimental"},
}

// String returns the names of the flags, with commas between them.
func (f Flags) String() string {
	var names []string
	for _, known := range flagNames {
		if f.Has(known.flag) {
			names = append(names, known.name)
		}
	}
	return strings.Join(names, ",")
}

// A Table has schemes that a program adds to those of this package, or uses instead
// of them, by name in lower case. The zero Table adds nothing. Several goroutines may
// use a Table at once if none changes it.
type Table map[string]Scheme

// Lookup returns what is known about a scheme, whose name may be in upper
// case. Every name that starts with "x-" is known to be experimental.
func Lookup(name string) (Scheme, bool) { return Table(nil).Lookup(name) }

// Lookup returns the scheme of that name in t, or else that of the package.
func (t Table) Lookup(name string) (Scheme, bool) {
	name = strings.ToLower(name)
	if s, ok := t[name]; ok {
		return s, true
	}
	if s, ok := core[name]; ok {
		return s, true
	}
	if strings.HasPrefix(name, "x-") {
		return Scheme{Name: name, Spec: "RFC 1738 §4", Flags: Experimental}, true
	}
	return Scheme{}, false
}

// All returns every scheme that the package knows, in the order of their names.
func All() []Scheme {
	known := core
	all := make([]Scheme, 0, len(known))
	for _, name := range slices.Sorted(maps.Keys(known)) {
		all = append(all, known[name])
	}
	return all
}

// Parse returns the view of u. The error is a [*url.SyntaxError] that says
// where u does not fit its scheme. It wraps errors.ErrUnsupported if nothing says
// what the URLs of the scheme mean: it is unknown, or its name is only reserved.
func Parse(u url.URL) (View, error) { return Table(nil).Parse(u) }

// Parse is the function [Parse], but a scheme in t counts before that of the package.
func (t Table) Parse(u url.URL) (View, error) {
	s, ok := t.Lookup(u.Scheme())
	switch {
	case !u.IsAbs():
		return nil, noView("a relative reference")
	case !ok:
		return nil, noView(fmt.Sprintf("unknown scheme %q", u.Scheme()))
	case s.Parse == nil && s.Flags.Has(Reserved):
		return nil, noView(fmt.Sprintf("the name %q is only reserved (%s)", s.Name, s.Spec))
	case s.Parse == nil:
		return nil, noView(fmt.Sprintf("scheme %q (%s)", s.Name, s.Spec))
	}
	return s.Parse(u)
}

// noView is the error for a URL without a view: the reason.
type noView string

func (why noView) Error() string { return string(why) + ": no view of its URLs" }
func (why noView) Unwrap() error { return errors.ErrUnsupported }

// Judge checks u by the grammar of its scheme in the standard that u was read by:
// RFC 1738 §5, or the BNF of RFC 1630 with the corrections in its prose. The error
// is a [*url.SyntaxError] at the first byte that no URL of the scheme can have there.
//
// It is nil for a relative reference, and for a scheme that has no grammar in the
// standard. RFC 3986 and the URL Standard have no grammar of any scheme.
func Judge(u url.URL) error { return Table(nil).Judge(u) }

// Judge is the function [Judge], but a scheme in t counts before that of the package.
func (t Table) Judge(u url.URL) error {
	if std := u.Standard(); std != url.RFC1738 && std != url.RFC1630 {
		return nil
	}
	if s, ok := t.Lookup(u.Scheme()); ok && s.Judge != nil {
		return s.Judge(u)
	}
	return nil
}
