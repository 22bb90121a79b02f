package scheme

import (
	"strings"

	"locus/url"
)

// The productions of RFC 1738 §5. Each is drawn at the view of its scheme.
// That every byte is an xchar, and that the host is one, url has judged.

var (
	fpath1738   = url.Octets(uchar + "?:@&=" + "/")
	hpath1738   = url.Octets(uchar + ";:@&=" + "/")
	search1738  = url.Octets(uchar + ";:@&=")
	article1738 = url.Octets(uchar + ";/?:&=")
	group1738   = url.Octets(alpha + digits + "-.+_")
	uchar1738   = url.Octets(uchar)
	field1738   = url.Octets(uchar + "?:@&")
	isAlpha     = url.Octets(alpha)
)

func httpurl(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	s.run(hpath1738)
	if s.take('?') {
		s.run(search1738)
		return s.end(`a byte of a search, in which "/" and "?" are encoded`)
	}
	return s.end("a byte of a path")
}

func ftpurl(s *scanner) error {
	if err := s.login(); err != nil {
		return err
	}
	s.run(fpath1738)
	if s.done() {
		return nil
	}
	return s.ftptype(codes1738)
}

// ftptype reads ";type=" and a code that starts with one of codes, at the end.
func (s *scanner) ftptype(codes string) error {
	n, want := ftpType(s.s[s.i:], codes)
	if want == "" {
		return nil
	}
	s.i += n
	return s.fail(want)
}

func fileurl(s *scanner) error {
	if _, ok := s.u.Authority(); !ok {
		return noSlashes(s.u, s.rule, "a host or the path")
	}
	if _, err := ParseFile(s.u); err != nil {
		return err
	}
	s.run(fpath1738)
	return s.end(`a byte of a path, in which ";" is encoded`)
}

func gopherurl(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	var v Gopher
	if bad, rule, want := v.path(s.s); want != "" {
		return pathFail(s.u, bad, rule, want)
	}
	return nil
}

func mailtourl(s *scanner) error {
	v, err := ParseMailto(s.u)
	if err != nil {
		return err
	}
	for i := range len(v.Address) {
		if v.Address[i] >= 0x80 {
			s.i = written(s.s, i)
			return s.fail("an ASCII character of an address (RFC 822 §3.3)")
		}
	}
	return nil
}

func newsurl(s *scanner) error {
	if err := s.opaque(`"*", a group or a message-id`); err != nil {
		return err
	}
	at := strings.LastIndexByte(s.s, '@')
	switch {
	case s.s == "*":
		return nil
	case at < 0:
		if err := s.group1738(`"*", a message-id or `); err != nil {
			return err
		}
		return s.end(`a letter, a digit, "-", ".", "+" or "_" of a group`)
	}
	if !s.run(article1738) || !s.take('@') {
		return s.fail(`a byte of a message-id before its "@"`)
	}
	return s.host()
}

// group1738 reads group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ].
func (s *scanner) group1738(or string) error {
	if first := s.i; !s.letters(group1738) || !isAlpha.Has(unescape(s.s[first:s.i])[0]) {
		s.i = first
		return s.fail(or + "a letter that starts a group")
	}
	return nil
}

func nntpurl(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if err := s.slash("the group"); err != nil {
		return err
	}
	if err := s.group1738(""); err != nil {
		return err
	}
	if s.take('/') {
		if !s.plain(isDigit) {
			return s.fail("a digit of the article's number")
		}
		return s.end("a digit of the article's number")
	}
	return s.end(`a letter, a digit, "-", ".", "+" or "_" of a group`)
}

func telneturl(s *scanner) error {
	if err := s.login(); err != nil {
		return err
	}
	s.take('/')
	return s.end(`the end of the URL after the host, port and "/"`)
}

func waisurl(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if err := s.slash("the database"); err != nil {
		return err
	}
	s.run(uchar1738)
	switch {
	case s.take('?'):
		s.run(search1738)
		return s.end(`a byte of a search, in which "/" and "?" are encoded`)
	case s.take('/'):
		s.run(uchar1738)
		if err := s.slash("the document-id"); err != nil {
			return err
		}
		s.run(uchar1738)
	}
	return s.end("a letter, a digit, one of \"$-_.+!*'(),\" or an escape")
}

func prosperourl(s *scanner) error {
	if err := s.hostport(); err != nil {
		return err
	}
	if err := s.slash("the name of the object"); err != nil {
		return err
	}
	s.run(fpath1738)
	for s.take(';') {
		s.run(field1738)
		if !s.take('=') {
			return s.fail(`a "=" after the name of the field`)
		}
		s.run(field1738)
	}
	return s.end("a byte of a field")
}
