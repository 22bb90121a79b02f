// Package url parses and formats URLs as text. Parsing divides a text into parts without changing a byte, so
// formatting the URL returns the same text.
//
// A [URL] is a text and the offsets of its parts, as a [Standard] divides it: RFC 3986, RFC 1738 or RFC 1630. Nothing
// is decoded, rewritten or lost. An absent part differs from an empty one.
//
//	https://user:pass@host.example:8042/over/there?name=ferret#nose
//	\___/   \__/ \__/ \__________/ \__/\_________/ \_________/ \__/
//	  |      |    |        |        |       |           |       |
//	Scheme  User Password Host     Port    Path       Query  Fragment
//	        \_________________________/
//	                 Authority
//
// [Parse] checks every byte against RFC 3986, and [Standard.Parse] against another standard. [Standard.Split] divides
// any text without checking it, and never fails. Package locus/scheme knows the meaning of the parts in the URLs of
// each scheme.
//
// The standards are the variables [RFC3986], [RFC1738] and [RFC1630]. The standard of browsers is in
// locus/url/whatwg. An error of Parse is a [*SyntaxError], which has the offset and the expectation. Methods such as
// [URL.Host] return a part and whether the URL has it:
//
//	host, ok := u.Host()
//
// [URL.Normalize] needs the facts of the scheme. scheme.Normalize(u, url.AllRewrites) knows them.
//
// # How the pieces work together
//
// A [Standard] (standard.go) has rules: the bytes that may stand in each part (escape.go, set.go), and the section that
// says so. By these rules, divide finds the offsets of a text, and check looks at every byte (parse.go, host.go). Most
// texts are valid by RFC 3986, so Parse first tries to do both in one pass (scan.go), which looks at many bytes at a
// time on processors with AVX2 (wide.go). A text that this pass refuses takes the slow way, which also finds the reason
// for the [SyntaxError] (errors.go).
//
// Resolve joins a base and a reference, by RFC 3986 (resolve.go) or by the older partial forms (partial.go). Relative
// tries the shortest reference for which Resolve finds the URL again (relative.go). A changed URL is built from its
// parts and then read again, so that no part can become another one (edit.go). normalize.go writes the normal form of
// a URL, and equivalent.go compares two URLs without writing it. redact.go finds passwords, in any text. A standard of
// another package, such as locus/url/whatwg, brings its own parser (foreign.go).
//
// Notable divergences:
//   - RFC 3986: the zone of a scoped IPv6 literal is read as RFC 6874 writes
//     it, [fe80::1%25eth0].
//   - RFC 3986, RFC 1630: a text with a colon before any "/", "?" or "#" is
//     read as having a scheme, so the error in "1a:b" is at the "1" and not at
//     the colon.
//   - RFC 1738 §3.1 says that "//" announces the common Internet scheme syntax,
//     but §5 lets the part after an unknown scheme, a mail address and a
//     message-id start with "//". Here "//" is data in mailto and news URLs. In
//     an unknown scheme it announces a host if one follows.
//   - RFC 1738 §5 has no escapes in hosts, but by §2.2 letters, digits, "-" and "." mean the same
//     if they are encoded. The package reads such escapes. It refuses escaped digits in a port,
//     because RFC 3986 and browsers refuse them, and programs that disagree about a port connect to
//     different services.
//   - RFC 1738 §2.1 and §5 give "https" no grammar. Here it has the grammar of "http".
//   - RFC 1630: a scheme has no escapes, although the BNF's ialpha would allow them.
//   - RFC 1630 lets "@" stand in a host; here the first "@" of an authority
//     ends the login.
//   - RFC 1738 has no partial forms. The package uses the partial forms of RFC 1808 with it.
//   - RFC 1738 does not mention the segments "." and ".."; Normalize removes them
//     in http and file URLs, but not in ftp URLs, because there each segment is a
//     CWD command (§3.2.2).
//   - RFC 1630, partial forms: "/g" in magic://a/b/c//d/e/f is magic://a/g, as
//     its example shows. Its wording says the opposite.
//   - RFC 1630 does not mention an empty partial form. Here it resolves to the base.
//   - RFC 1630 removes every "/." of a path. Here the slash before the path stays, because a file URL
//     needs it.
//   - RFC 3986 §5.2: a path that would be read as a host is written "/.//…".
package url

import (
	"strings"
)

// A URL is the text of a URL or of a relative reference, together with the offsets of its parts as one [Standard]
// divides it.
//
// A URL is an immutable value: it may be copied, compared with ==, used as a map key and shared between goroutines.
// Two URLs are == if the same text was read by the same standard; [URL.Difference] compares their meaning. The zero
// URL is the empty reference of RFC 3986.
type URL struct {
	text string
	// Each offset points just past the delimiter that announces the part. An offset of 0 therefore means that the part
	// is absent.
	scheme   int32 // past ":"
	auth     int32 // past "//"
	password int32 // past the ":" in the userinfo
	host     int32 // past "@": 0 if there is no userinfo
	port     int32 // past the ":" after the host
	path     int32 // where the path starts; there is always a path, so 0 is an offset too
	query    int32 // past "?"
	fragment int32 // past "#"
	std      Standard
}

// String returns the text that was parsed, unchanged.
func (u URL) String() string { return u.text }

// Standard returns the standard by which u was read.
func (u URL) Standard() Standard { return u.std }

// Scheme returns the scheme in lower case, without its colon. It returns "" if u is a relative reference. It allocates
// only if the scheme is written with capital letters.
func (u URL) Scheme() string { return lower(u.rawScheme()) }

// rawScheme returns the scheme as written, without its colon, or "" if u is a relative reference.
func (u URL) rawScheme() string {
	if u.scheme == 0 {
		return ""
	}
	return u.text[:u.scheme-1]
}

// User returns the user name as written (encoded), without the password. It reports whether the authority has a
// userinfo part.
func (u URL) User() (string, bool) { return u.get(User) }

// Password returns the password as written (encoded) and reports whether there is one.
func (u URL) Password() (string, bool) { return u.get(Password) }

// Host returns the host as written (encoded, with its brackets) and reports whether u has an authority. The host of
// "file:///etc" is present and empty.
func (u URL) Host() (string, bool) { return u.get(Host) }

// Port returns the port as written and reports whether there is a colon after the host. The port of "http://h:/" is
// present and empty.
func (u URL) Port() (string, bool) { return u.get(Port) }

// Path returns the path as written (encoded): the text between the scheme or authority and the query or fragment, with
// the slash at its start. Every URL has a path, which may be empty.
func (u URL) Path() string {
	return u.text[u.path:u.pathEnd()]
}

// Query returns the query as written (encoded), without its "?", and reports whether there is a "?".
func (u URL) Query() (string, bool) { return u.get(Query) }

// PathAndQuery returns the path and the query with the "?" between them: the text between the scheme or authority and
// the fragment. The text is the same whether or not the standard lets the scheme have a query.
func (u URL) PathAndQuery() string {
	return u.text[u.path:u.queryEnd()]
}

// Fragment returns the fragment as written (encoded), without its "#", and reports whether there is a "#".
func (u URL) Fragment() (string, bool) { return u.get(Fragment) }

// IsAbs reports whether u has a scheme.
func (u URL) IsAbs() bool { return u.scheme != 0 }

// IsZero reports whether u is the empty reference of any standard.
func (u URL) IsZero() bool { return u.text == "" }

// Parts returns the parts of u, as written.
func (u URL) Parts() Parts {
	return Parts{
		Scheme: u.Part(Scheme), User: u.Part(User), Password: u.Part(Password), Host: u.Part(Host), Port: u.Part(Port),
		Path: u.Path(), Query: u.Part(Query), Fragment: u.Part(Fragment),
	}
}

// MarshalText returns the text of u, including its password.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// UnmarshalText parses text by the standard of u, which for the zero URL is RFC 3986. To read back a URL of another
// standard, call UnmarshalText on a URL of that standard. After an error, u is unchanged.
func (u *URL) UnmarshalText(text []byte) error {
	v, err := u.std.Parse(string(text))
	if err != nil {
		return err
	}
	*u = v
	return nil
}

// lower returns s with the letters A–Z in lower case. It returns s itself if there are no such letters.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}
