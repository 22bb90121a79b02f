package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// The productions for specific URL schemes in the BNF of RFC 1630, as amended by its prose and examples:
//
//	httpaddress     "http://" hostport [ "/" path ] [ "?" search ]
//	ftpaddress      "ftp://" login "/" path [ ";type=" ftptype ]
//	afsaddress      "afs://" cellname "/" path            ; a "historical note"
//	newsaddress     "news:" ( "*" | group | article )
//	nntpaddress     "nntp:" [ "//" hostport "/" ] group "/" digits   ; the host by the prose
//	midaddress      "mid:" addr-spec
//	cidaddress      "cid:" content-identifier
//	mailtoaddress   "mailto:" xalphas "@" hostname
//	waisindex       "wais://" hostport "/" database [ "?" search ]
//	waisdoc         "wais://" hostport "/" database "/" wtype "/" wpath
//	wpath           digits "=" path ";" [ wpath ]
//	prosperolink    "prospero://" hostport "/" hsoname [ "%00" version [ attributes ] ]
//	telnetaddress   "telnet://" login                     ; rlogin and tn3270 too
//	gopheraddress   "gopher://" hostport [ "/" [ gtype [ gcommand ] ] ]
//	fileaddress     "file://" [ host ] "/" path           ; by the prose
//	group           ialpha [ "." group ]
//	article         xalphas "@" host
//	search          xalphas [ "+" search ]
//	path            *( xpalphas | "/" )

var (
	xalpha1630 = url.Set{}.With(xalpha)
	path1630   = url.Set{}.With(xalpha + "/")
)

const wantXalpha = `a letter, a digit, one of $-_@.&+!*"'(), or an escape`

// httpaddress requires a host, and no user. A path and a search may follow the host.
func httpaddress(s *scanner) {
	s.hostport()
	if s.nextIs('/') {
		s.run(path1630)
	}
	s.search1630()
}

// search1630 scans [ "?" search ], and requires the end of the text after it. A search must not be empty.
func (s *scanner) search1630() {
	if s.take('?') {
		s.require(s.run(xalpha1630), "a word of a search")
	}
	s.end(wantXalpha)
}

// ftpaddress requires a host and a path. A login may stand before the host, and a type after the path.
func ftpaddress(s *scanner) {
	s.login()
	s.slash("the path")
	s.run(path1630)
	if s.nextIs(';') {
		s.ftptype(codes1630)
		return
	}
	s.end(wantXalpha)
}

// fileaddress requires "//", a host, which may be empty, and a path of RFC 1630. It refuses a host or a path that
// ParseFile refuses.
func fileaddress(s *scanner) {
	s.fileHost()
	s.run(path1630)
	s.end(wantXalpha)
}

// afsaddress requires "//", a cell and a path. It refuses a URL that ParseAFS refuses.
func afsaddress(s *scanner) {
	_, err := ParseAFS(s.u)
	s.failAs(err)
	if host, _ := s.u.Host(); host == "" {
		s.failAs(noSlashes(s.u, s.rule, "a cell"))
	}
	s.slash("the path")
	s.run(path1630)
	s.end(wantXalpha)
}

// gopheraddress requires a host. A "/", a type and a selector may follow it, and the type must not be "/".
func gopheraddress(s *scanner) {
	s.hostport()
	s.require(!s.take('/') || !s.nextIs('/'), "a gopher type")
	s.run(path1630)
	s.end(wantXalpha)
}

// mailtoaddress requires an "@", text before the last "@", and after it a host name that starts with a letter.
func mailtoaddress(s *scanner) {
	s.opaque("an address")
	s.run(xalpha1630)
	s.end(wantXalpha)
	s.beforeAt(`the text before the "@" of an address`)
	s.ialpha("a letter that starts a host name")
}

// beforeAt moves the scanner back to the byte after the last "@" of the text that it has scanned. It records an error
// if there is no "@", and an error that wants want if the text before the "@" is empty.
func (s *scanner) beforeAt(want string) {
	at := strings.LastIndexByte(s.s[:s.i], '@')
	s.require(at >= 0, `an "@" in the address`)
	s.i = max(at, 0)
	s.require(at != 0, want)
	s.take('@')
}

// ialpha scans a letter and any xalphas after it. If the next byte is not a letter, it records an error that wants
// want.
func (s *scanner) ialpha(want string) {
	s.require(!s.atEnd() && isAlpha.Has(s.s[s.i]), want)
	s.run(xalpha1630)
}

// newsaddress requires "*", a group or, if the text contains an "@", a message-id.
func newsaddress(s *scanner) {
	s.opaque(`"*", a group or a message-id`)
	at := strings.LastIndexByte(s.s, '@')
	switch {
	case s.s == "*":
	case at < 0:
		s.ialpha(`"*", a message-id or a letter that starts a group`)
		s.end(wantXalpha)
	default:
		s.run(xalpha1630)
		s.require(s.i > at, wantXalpha)
		s.beforeAt(`the text before the "@" of a message-id`)
		s.host()
	}
}

// nntpaddress requires a group and the number of an article. A server may stand before the group.
func nntpaddress(s *scanner) {
	if _, ok := s.u.Host(); ok {
		s.hostport()
		s.slash("the group")
	}
	s.ialpha("a letter that starts a group")
	s.slash("the article's number")
	s.article()
}

// midaddress requires an addr-spec of RFC 822 that is written in xalphas.
func midaddress(s *scanner) {
	s.opaque("a message-id")
	s.run(xalpha1630)
	end := s.i
	n, want := checkAddresses(ascii.Unescape(s.s[:end]), false)
	if want != "" && (end == len(s.s) || encodedOffset(s.s, n) < end) {
		s.i = encodedOffset(s.s, n)
		s.fail(want)
	}
	s.end(wantXalpha)
}

// cidaddress requires a content-id of xalphas.
func cidaddress(s *scanner) {
	s.opaque("a content-id")
	s.require(s.run(xalpha1630), "a content-id")
	s.end(wantXalpha)
}

// telnetaddress requires a host and allows a login. It requires the end of the URL after the host and the port.
func telnetaddress(s *scanner) {
	s.login()
	s.end("the end of the URL after the host and port")
}

// waisaddress requires a database. A search may follow it, or the type and the document-id of a document.
func waisaddress(s *scanner) {
	s.hostport()
	s.slash("the database")
	s.require(s.run(xalpha1630), "a database")
	if !s.take('/') {
		s.search1630()
		return
	}
	s.require(s.run(xalpha1630), "the type of a document")
	s.slash("the document-id")
	for s.err == nil {
		s.require(s.plain(isDigit), "the digits of a field number")
		s.require(s.take('='), `a "=" after the field number`)
		s.run(path1630)
		s.require(s.take(';'), `a ";" after the content of the field`)
		if s.atEnd() {
			return
		}
	}
}

// prosperolink requires a host and the name of an object. "%00", a version and attributes may follow the name.
func prosperolink(s *scanner) {
	s.hostport()
	s.slash("the name of the object")
	name, version, versioned := strings.Cut(s.s[s.i:], nul)
	s.run(path1630)
	if !versioned || s.i < 1+len(name) {
		s.end(wantXalpha)
		return
	}
	s.i = len(s.s) - len(version)
	s.require(s.plain(isDigit), `the digits of a version after "%00"`)
	s.plain(inAlphanum)
	s.end("a letter or digit after the version")
}
