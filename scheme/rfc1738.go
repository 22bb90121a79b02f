package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// The productions of RFC 1738 §5. The comment of each view has the production of its scheme. Package url has checked
// that every byte is an xchar and that the host is valid.

var (
	fpath1738   = url.Set{}.With(uchar + "?:@&=" + "/")
	hpath1738   = url.Set{}.With(uchar + ";:@&=" + "/")
	search1738  = url.Set{}.With(uchar + ";:@&=")
	article1738 = url.Set{}.With(uchar + ";/?:&=")
	group1738   = url.Set{}.With(alpha + digits + "-.+_")
	uchar1738   = url.Set{}.With(uchar)
	field1738   = url.Set{}.With(uchar + "?:@&")

	extension2056 = field1738.With("=/")
	isAlpha       = url.Set{}.With(alpha)
)

// httpurl requires a host, and no user. A path and a search may follow the host.
func httpurl(s *scanner) {
	s.hostport()
	s.run(hpath1738)
	if s.take('?') {
		s.run(search1738)
		s.end(`a byte of a search, in which "/" and "?" are encoded`)
	}
	s.end("a byte of a path")
}

// ftpurl requires a host. A login may stand before the host, and a path and a type after it.
func ftpurl(s *scanner) {
	s.login()
	s.run(fpath1738)
	if !s.atEnd() {
		s.ftptype(codes1738)
	}
}

// ftptype requires the text that is left to be ";type=" and a type code whose first letter is in codes.
func (s *scanner) ftptype(codes string) {
	if n, want := ftpType(s.s[s.i:], codes); want != "" {
		s.i += n
		s.fail(want)
	}
}

// fileurl requires "//", a host, which may be empty, and a path without a ";". It refuses a host or a path that
// ParseFile refuses.
func fileurl(s *scanner) {
	s.fileHost()
	s.run(fpath1738)
	s.end(`a byte of a path, in which ";" is encoded`)
}

// fileHost records an error if the URL has no "//", or if ParseFile refuses its host or its path.
func (s *scanner) fileHost() {
	if _, ok := s.u.Host(); !ok {
		s.failAs(noSlashes(s.u, s.rule, "a host or the path"))
	}
	_, err := ParseFile(s.u)
	s.failAs(err)
}

// gopherurl requires a host, and no user. It refuses a text after the host that ParseGopher refuses.
func gopherurl(s *scanner) {
	s.hostport()
	var v Gopher
	if bad, rule, want := v.path(s.s); want != "" {
		s.failAs(pathFail(s.u, bad, rule, want))
	}
}

// mailtourl refuses an address that ParseMailto refuses, and an address with a character beyond ASCII, because RFC 822
// allows only ASCII.
func mailtourl(s *scanner) {
	v, err := ParseMailto(s.u)
	s.failAs(err)
	if n := strings.IndexFunc(v.Address, func(c rune) bool { return c >= 0x80 }); n >= 0 {
		s.i = encodedOffset(s.s, n)
		s.fail("an ASCII character of an address (RFC 822 §3.3)")
	}
}

// newsurl requires "*", a group or, if the text contains an "@", a message-id.
func newsurl(s *scanner) {
	s.opaque(`"*", a group or a message-id`)
	switch {
	case ascii.Unescape(s.s) == "*":
	case !strings.Contains(s.s, "@"):
		s.group1738(`"*", a message-id or `)
		s.end(`a letter, a digit, "-", ".", "+" or "_" of a group`)
	default:
		s.require(s.run(article1738) && s.take('@'), `a byte of a message-id before its "@"`)
		s.host()
	}
}

// group1738 scans group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]. If the group does not start with a letter,
// it records an error that wants a letter. or is a text for the error that names the alternatives to a group.
func (s *scanner) group1738(or string) {
	if first := s.i; !s.letters(group1738) || !isAlpha.Has(ascii.Unescape(s.s[first:s.i])[0]) {
		s.i = first
		s.fail(or + "a letter that starts a group")
	}
}

// nntpurl requires a host and a group. The number of an article may follow the group.
func nntpurl(s *scanner) {
	s.hostport()
	s.slash("the group")
	s.group1738("")
	if s.take('/') {
		s.article()
	}
	s.end(`a letter, a digit, "-", ".", "+" or "_" of a group`)
}

// article requires the text that is left to be the number of an article. Its digits may be escaped, by RFC 1738 §2.2,
// but not under RFC 1630.
func (s *scanner) article() {
	const digit = "a digit of the article's number"
	skip := s.letters
	if s.u.Standard() == url.RFC1630 {
		skip = s.plain
	}
	s.require(skip(isDigit), digit)
	s.end(digit)
}

// telneturl requires a host. A login may stand before the host, and a "/" after the host and the port.
func telneturl(s *scanner) {
	s.login()
	s.take('/')
	s.end(`the end of the URL after the host, port and "/"`)
}

// waisurl requires a host and a "/". A database, which may be empty, follows the "/". A search may follow the database,
// or the type and the document-id of a document.
func waisurl(s *scanner) {
	s.hostport()
	s.slash("the database")
	s.run(uchar1738)
	switch {
	case s.take('?'):
		s.run(search1738)
		s.end(`a byte of a search, in which "/" and "?" are encoded`)
	case s.take('/'):
		s.run(uchar1738)
		s.slash("the document-id")
		s.run(uchar1738)
	}
	s.end("a letter, a digit, one of \"$-_.+!*'(),\" or an escape")
}

// z3950url requires a host, and no user, and checks the rest by RFC 2056: databases, a docid and keywords with values,
// all of which may be absent. The values may contain the bytes that values of prospero fields may contain, and "=" and
// "/".
func z3950url(s *scanner) {
	s.rule = z3950Rule
	s.hostport()
	if !s.take('/') {
		s.end(`a "/" before the database`)
		return
	}
	s.run(uchar1738)
	if s.take('?') {
		s.run(uchar1738)
	}
	for s.take(';') {
		s.require(s.run(uchar1738), "a keyword")
		s.require(s.take('='), `a "=" after the keyword`)
		s.run(extension2056)
	}
	s.end("a letter, a digit, one of \"$-_.+!*'(),\" or an escape")
}

// prosperourl requires a host and a "/". The name of an object, which may be empty, follows the "/", and fields may
// follow the name.
func prosperourl(s *scanner) {
	s.hostport()
	s.slash("the name of the object")
	s.run(fpath1738)
	for s.take(';') {
		s.run(field1738)
		s.require(s.take('='), `a "=" after the name of the field`)
		s.run(field1738)
	}
	s.end("a byte of a field")
}
