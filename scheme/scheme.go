// Package scheme defines the meaning of URLs, scheme by scheme: it has facts about each scheme, and a typed view of
// its URLs in which every part is decoded exactly once.
//
//	u, _ := url.Parse("ftp://host.dom/%2Fetc/motd;type=a")
//	v, _ := scheme.ParseFTP(u)      // v.Dirs = ["/etc"], v.Name = "motd", v.Type = "a"
//	v.URL()                         // ftp://host.dom/%2Fetc/motd;type=a
//
// A view reads the URLs of all three standards. It accepts syntax that only a later standard allows, such as an IPv6
// host or a "~". [Judge] is strict: it checks a URL by the grammar that RFC 1738 §5 or RFC 1630 has for its scheme.
// The document is the standard by which the URL was read.
//
// A view has no fragment, because a fragment does not change which resource a URL names. If RFC 1738 gives a scheme no
// query, "?" is data, by every standard.
//
// # How the pieces work together
//
// [Lookup] reads a table, which is made at the first use from the facts of internal/facts and the parser and the
// grammars of each scheme (table.go). [Parse] calls the parser of the URL's scheme. The parser takes the parts that
// package url has found, checks the host and the port (host.go), cuts the rest at its delimiters, and decodes each part
// last, so that an escaped delimiter stays data. The view's method URL escapes the parts again (text.go). Each scheme
// has both in a file with the type of its view, such as ftp.go, and the two are inverse.
//
// [Judge] runs a production (rfc1738.go, rfc1630.go) on a scanner, which keeps the first error (judge.go). It needs a
// grammar besides the parser, because a parser accepts the URLs of three standards. fields.go lists the parts of each
// view by name: [JSON] shows the list, and [Set] changes one part and keeps the spelling of the others (edit.go).
// derive.go makes the URLs of searches and citations through views. normalize.go tells package url which rewrites keep
// the meaning. A view is a value, and only the table is kept between calls, so all of this may run in any goroutine.
//
// Notable divergences:
//   - RFC 1738 §5 has port = digits; a view refuses port 0 and ports over 65535.
//   - RFC 1738 §5 gives https, ftps, nntps and snews no grammar; each has the grammar of http, ftp,
//     nntp or news. Under RFC 1630, rlogin has the grammar of telnet.
//   - RFC 1738 §5 gives a gopher search the grammar of an http search, without "/" and "?", but
//     §3.4.1 says that no character is reserved in the gopher path. A view reads both, and writes a
//     search in the form of §5.
//   - RFC 1738 §5 has no escapes in groups, article numbers, ";type=" and type codes, but by §2.2
//     letters, digits and marks mean the same if they are encoded. A view reads such escapes.
//   - RFC 1738 §3.9 does not mention "+" in a wais search. By RFC 1630 it is a
//     space, and the programs that wrote wais URLs agreed. Here it is a space by
//     every standard.
//   - RFC 2056 has no login in z39.50s and z39.50r URLs, and no searches. A view reads a
//     user and a password as in ftp URLs, and the keywords query, scan, sort, record and
//     from.
//   - RFC 1738 §3.5 has the addresses of RFC 822, in ASCII. A view also reads the
//     addresses of RFC 6532.
//   - RFC 1738 §5 lets a gopher selector be any xchars, but §3.4.1 forbids 09, 0A
//     and 0D in it. A view follows §3.4.1. In a Gopher+ string, only the filled-in
//     form of §3.4.9 may have CR and LF.
//   - RFC 1738 §5 has encoded822addr = 1*xchar, "further defined in RFC 822":
//     the address must be an addr-spec of RFC 822 §6.1, without the comments and
//     white space that RFC 822 lets stand between its words.
//   - RFC 1630 writes ftp's type code in the BNF as "ftptype" with a mandatory format and in the
//     prose as ";type=" and RFC 959's code, whose format may be missing. This package follows the
//     prose.
//   - RFC 1630 lets "@" stand in any name. Here the last "@" of an address or a
//     message-id comes before its host, and a group has no "@".
//   - RFC 1630's prose has a news server in nntp URLs, and its BNF does not. This package reads both.
//   - RFC 1630's BNF reserves ";", "/", "?" and ":" in the part after an unknown scheme. Here they may
//     stand there, because only that scheme could say what they mean.
//   - RFC 1630's BNF lets only the last segment of a path be empty. Its examples have other empty
//     segments ("magic://a/b/c//d/e/f"), and this package follows them.
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

// A View is the meaning of a URL of one scheme: FTP, HTTP, Gopher and so on. Its parts are decoded. URL is the inverse
// of the parser: ParseFTP(v.URL()) == v. To get the parts by their names as JSON, marshal [JSON] of the view and not
// the view itself.
//
// URL returns the zero URL for a view that has no URL, such as one that would need more than 2 GiB.
type View interface {
	URL() url.URL
}

// A Scheme has the facts about a scheme. The zero Scheme is the result for an unknown scheme.
type Scheme struct {
	Name   string // in lower case: "ftp"
	Port   uint16 // the default port; 0 if there is none
	Secure string // the same protocol over TLS: "ftps"; "" if there is none
	Spec   string // where it is defined, such as "RFC 1738 §3.2"
	Flags  Flags

	// Delims are the bytes of ";/?:@=&" that the scheme reserves (RFC 1738 §2.2). A reserved byte has a different
	// meaning when it is escaped.
	Delims string

	// Parse maps a URL to its view. The URL method of the view is the inverse. If Parse is nil, the scheme has no
	// view, and [Parse] returns errors.ErrUnsupported.
	Parse func(url.URL) (View, error)

	// Judge checks a URL by the scheme's own production in the document by which the URL was read. If Judge is nil,
	// only the generic syntax is checked.
	Judge func(url.URL) error
}

// Flags describe the kind of a scheme.
type Flags uint32

const (
	// Hierarchical says that "/" in the path separates the levels of a
	// hierarchy, in which the segments "." and ".." move (RFC 1738 §2.3).
	Hierarchical = Flags(facts.Hierarchical)
	// Relative says that partial forms may be resolved against URLs of the scheme.
	Relative = Flags(facts.Relative)
	// Object says that a URL names something that can be retrieved.
	Object = Flags(facts.Object)
	// Upload says that a URL names something that can only be stored, as by titan.
	Upload = Flags(facts.Upload)
	// Session says that a URL names an interactive service.
	Session = Flags(facts.Session)
	// Address says that a URL names an address, which cannot be retrieved.
	Address = Flags(facts.Address)
	// TLS says that the protocol runs inside TLS or SSH.
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
	{Upload, "upload"},
	{Session, "session"},
	{Address, "address"},
	{TLS, "tls"},
	{EmptyPathIsRoot, "empty-path-is-root"},
	{Reserved, "reserved"},
	{Experimental, "experimental"},
}

// String returns the names of the flags of f, separated by commas, such as "hierarchical,object". It returns "" for 0.
func (f Flags) String() string {
	var names []string
	for _, known := range flagNames {
		if f.Has(known.flag) {
			names = append(names, known.name)
		}
	}
	return strings.Join(names, ",")
}

// A Table has schemes that a program adds to the schemes of this package, or that replace them, by name in lower case.
// The zero Table adds no schemes. Several goroutines may use a Table at once if none of them changes it.
type Table map[string]Scheme

// Lookup returns the facts about a scheme, or false for an unknown name. The name may have capital letters. Every name
// that starts with "x-" is known as an experimental scheme.
func Lookup(name string) (Scheme, bool) { return Table(nil).Lookup(name) }

// Lookup returns the scheme with that name in t or, if t does not have it, in this package. Every name that starts with
// "x-" is an experimental scheme. Lookup returns false for an unknown name.
func (t Table) Lookup(name string) (Scheme, bool) {
	name = strings.ToLower(name)
	if s, ok := t[name]; ok {
		return s, true
	}
	if s, ok := known.Get()[name]; ok {
		return s, true
	}
	if strings.HasPrefix(name, "x-") {
		return Scheme{Name: name, Spec: "RFC 1738 §4", Flags: Experimental}, true
	}
	return Scheme{}, false
}

// All returns every scheme of this package, sorted by name.
func All() []Scheme {
	schemes := known.Get()
	all := make([]Scheme, 0, len(schemes))
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		all = append(all, schemes[name])
	}
	return all
}

// Parse returns the view of u. If u does not fit its scheme, the error is a [*url.SyntaxError] at the first wrong
// byte. The error wraps errors.ErrUnsupported if the scheme has no view, because the scheme is unknown or its name is
// only reserved.
func Parse(u url.URL) (View, error) { return Table(nil).Parse(u) }

// Parse is like the function [Parse], but a scheme in t replaces the scheme of the package with the same name.
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

// noView is the error for a URL without a view. Its text is the reason.
type noView string

// Error returns the reason, and says that the scheme has no view.
func (why noView) Error() string { return string(why) + ": no view of its URLs" }

// Unwrap returns errors.ErrUnsupported.
func (why noView) Unwrap() error { return errors.ErrUnsupported }

// Judge checks u by the grammar of its scheme in the standard by which u was read: RFC 1738 §5, or the BNF of RFC 1630
// with the corrections in its prose. The error is a [*url.SyntaxError] at the first byte that no URL of the scheme can
// have there.
//
// Judge returns nil for a relative reference, and for a scheme without a grammar in the standard. RFC 3986 and the URL
// Standard have no grammars of schemes.
func Judge(u url.URL) error { return Table(nil).Judge(u) }

// Judge is like the function [Judge], but a scheme in t replaces the scheme of the package with the same name.
func (t Table) Judge(u url.URL) error {
	if std := u.Standard(); std != url.RFC1738 && std != url.RFC1630 {
		return nil
	}
	if s, ok := t.Lookup(u.Scheme()); ok && s.Judge != nil {
		return s.Judge(u)
	}
	return nil
}
