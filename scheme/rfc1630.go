package scheme

import (
	"strings"

	"locus/internal/ascii"
)

// The productions of RFC 1630's BNF for specific URL schemes, as its prose and
// examples amend it:
//
//	httpaddress     "http://" hostport [ "/" path ] [ "?" search ]
//	ftpaddress      "ftp://" login "/" path [ ";type=" ftptype ]
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
	xalpha1630 = ascii.Bytes(xalpha)
	path1630   = ascii.Bytes(xalpha + "/")
)

const wantXalpha = `a letter, a digit, one of $-_@.&+!*"'(), or an escape`

func httpaddress(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if s.at('/') {
		s.run(path1630)
	}
	return s.search1630()
}

// search1630 reads [ "?" search ] at the end.
func (s *scanner) search1630() error {
	if s.take('?') && !s.run(xalpha1630) {
		return s.fail("a word of a search")
	}
	return s.end(wantXalpha)
}

func ftpaddress(s *scanner) error {
	if err := s.login(); err != nil {
		return err
	}
	if err := s.slash("the path"); err != nil {
		return err
	}
	s.run(path1630)
	if s.done() {
		return nil
	}
	if !s.at(';') {
		return s.fail(wantXalpha)
	}
	return s.ftptype(codes1630)
}

func fileaddress(s *scanner) error {
	if _, ok := s.u.Host(); !ok {
		return noSlashes(s.u, s.rule, "a host or the path")
	}
	if _, err := ParseFile(s.u); err != nil {
		return err
	}
	s.run(path1630)
	return s.end(wantXalpha)
}

func gopheraddress(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if s.take('/') && s.at('/') {
		return s.fail("a gopher type")
	}
	s.run(path1630)
	return s.end(wantXalpha)
}

func mailtoaddress(s *scanner) error {
	if err := s.opaque("an address"); err != nil {
		return err
	}
	at := strings.LastIndexByte(s.s, '@')
	s.run(xalpha1630)
	switch {
	case !s.done():
		return s.fail(wantXalpha)
	case at < 0:
		return s.fail(`an "@" in the address`)
	}
	s.i = at
	if at == 0 {
		return s.fail(`what stands before the "@" of an address`)
	}
	s.i++
	return s.ialpha("a letter that starts a host name")
}

// ialpha wants a letter and then any xalphas.
func (s *scanner) ialpha(want string) error {
	if s.done() || !isAlpha.Has(s.s[s.i]) {
		return s.fail(want)
	}
	s.run(xalpha1630)
	return nil
}

func newsaddress(s *scanner) error {
	if err := s.opaque(`"*", a group or a message-id`); err != nil {
		return err
	}
	if s.s == "*" {
		return nil
	}
	at := strings.LastIndexByte(s.s, '@')
	if at < 0 {
		if err := s.ialpha(`"*", a message-id or a letter that starts a group`); err != nil {
			return err
		}
		return s.end(wantXalpha)
	}
	s.run(xalpha1630)
	if s.i <= at {
		return s.fail(wantXalpha)
	}
	s.i = at
	if at == 0 {
		return s.fail(`what stands before the "@" of a message-id`)
	}
	s.i++
	return s.host()
}

func nntpaddress(s *scanner) error {
	if _, ok := s.u.Host(); ok {
		if err := s.hostport(); err != nil {
			return err
		}
		if err := s.slash("the group"); err != nil {
			return err
		}
	}
	if err := s.ialpha("a letter that starts a group"); err != nil {
		return err
	}
	if err := s.slash("the article's number"); err != nil {
		return err
	}
	if !s.plain(isDigit) {
		return s.fail("a digit of the article's number")
	}
	return s.end("a digit of the article's number")
}

func midaddress(s *scanner) error {
	if err := s.opaque("a message-id"); err != nil {
		return err
	}
	s.run(xalpha1630)
	end := s.i
	n, want := judgeAddresses(unescape(s.s[:end]), false)
	if want != "" && (end == len(s.s) || written(s.s, n) < end) {
		s.i = written(s.s, n)
		return s.fail(want)
	}
	return s.end(wantXalpha)
}

func cidaddress(s *scanner) error {
	if err := s.opaque("a content-id"); err != nil {
		return err
	}
	if !s.run(xalpha1630) {
		return s.fail("a content-id")
	}
	return s.end(wantXalpha)
}

func telnetaddress(s *scanner) error {
	if err := s.login(); err != nil {
		return err
	}
	return s.end("the end of the URL after the host and port")
}

func waisaddress(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if err := s.slash("the database"); err != nil {
		return err
	}
	if !s.run(xalpha1630) {
		return s.fail("a database")
	}
	if !s.take('/') {
		return s.search1630()
	}
	if !s.run(xalpha1630) {
		return s.fail("the type of a document")
	}
	if err := s.slash("the document-id"); err != nil {
		return err
	}
	for {
		if !s.plain(isDigit) {
			return s.fail("the digits of a field number")
		}
		if !s.take('=') {
			return s.fail(`a "=" after the field number`)
		}
		s.run(path1630)
		if !s.take(';') {
			return s.fail(`a ";" after the content of the field`)
		}
		if s.done() {
			return nil
		}
	}
}

func prosperolink(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if err := s.slash("the name of the object"); err != nil {
		return err
	}
	name, version, versioned := strings.Cut(s.s[s.i:], nul)
	s.run(path1630)
	if !versioned || s.i < 1+len(name) {
		return s.end(wantXalpha)
	}
	s.i = len(s.s) - len(version)
	if !s.plain(isDigit) {
		return s.fail(`the digits of a version after "%00"`)
	}
	s.plain(inAlphanum)
	return s.end("a letter or digit after the version")
}
