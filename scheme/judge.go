package scheme

import (
	"errors"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Read parses a text by a standard, and checks it by the grammar of its scheme, as
// [Judge] does. By RFC 1630 the text may have the prefix that [Unprefix] removes. The
// error is a [*url.SyntaxError] at the first byte that breaks a rule of either. Read
// takes linear time.
func Read(std url.Standard, text string) (url.URL, error) {
	if rest := Unprefix(text); std == url.RFC1630 && rest != text {
		u, err := Read(std, rest)
		if bad, ok := errors.AsType[*url.SyntaxError](err); ok {
			bad.Text, bad.Offset = text, bad.Offset+len(text)-len(rest)
		}
		return u, err
	}
	u, err := std.Parse(text)
	if bad, ok := errors.AsType[*url.SyntaxError](err); ok && std != url.RFC3986 {
		return url.URL{}, earlier(text, bad)
	}
	if err == nil {
		err = Judge(u)
	}
	if err != nil {
		return url.URL{}, err
	}
	return u, nil
}

// earlier returns where the text offends its scheme before it offends its
// standard at bad; else bad. What stands before bad is completed so that it can
// be judged: as it is, with a digit of a port, and with an "@", or with another
// host if there is half a one. It offends only if it does however it goes on.
func earlier(text string, bad *url.SyntaxError) *url.SyntaxError {
	before, std := text[:bad.Offset], bad.Standard
	withAt := before + "@h"
	if _, err := std.Parse(withAt); err != nil {
		withAt = before[:strings.IndexByte(before, '@')+1] + "h"
	}
	first := bad
	for _, whole := range []string{before, before + "1", withAt} {
		u, err := std.Parse(whole)
		if err != nil || !u.IsAbs() {
			continue
		}
		found, ok := errors.AsType[*url.SyntaxError](Judge(u))
		switch {
		case !ok || found.Offset >= bad.Offset || !strings.HasPrefix(before, whole[:min(found.Offset+1, len(whole))]):
			return bad
		case first == bad || found.Offset > first.Offset:
			first = found
		}
	}
	first.Text = text
	return first
}

// Unprefix returns text without the prefix "URL:", in any case, that may stand
// before a URL (RFC 1630, prefixedurl; RFC 1738, appendix). Use it for text that a
// person typed.
func Unprefix(text string) string {
	const prefix = "url:"
	if len(text) <= len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text
	}
	rest := strings.TrimLeft(text[len(prefix):], " ")
	name, _, ok := strings.Cut(rest, ":")
	if !ok || name == "" || strings.Trim(name, alpha+digits+"+-.") != "" {
		return text
	}
	return rest
}

// A production is one scheme's production in one document.
type production func(*scanner)

// productions makes a Judge of a scheme's productions in RFC 1738 and
// RFC 1630; nil where the document has none.
func productions(rfc1738, rfc1630 production) func(url.URL) error {
	return func(u url.URL) error {
		p, rule := rfc1738, "RFC 1738 §5"
		if u.Standard() == url.RFC1630 {
			p, rule = rfc1630, "RFC 1630, BNF"
		}
		if p == nil {
			return nil
		}
		s := scanner{u: u, s: u.PathAndQuery(), rule: rule}
		p(&s)
		return s.err
	}
}

// A scanner reads what follows the scheme or the authority of a URL. It keeps the
// first error.
type scanner struct {
	u    url.URL
	s    string // the path and the query
	i    int    // the next byte of it
	rule string // the section, for errors
	err  error
}

func (s *scanner) done() bool { return s.i == len(s.s) }

// at reports whether the next byte is c.
func (s *scanner) at(c byte) bool { return s.i < len(s.s) && s.s[s.i] == c }

// take reads the byte c, if it is next.
func (s *scanner) take(c byte) bool {
	if !s.at(c) {
		return false
	}
	s.i++
	return true
}

// run reads all bytes of the set, and escapes. It reports whether there were
// any.
func (s *scanner) run(set url.Set) bool {
	start := s.i
	for s.i < len(s.s) {
		switch c := s.s[s.i]; {
		case set.Has(c):
			s.i++
		case ascii.HasEscape(s.s, s.i):
			s.i += len("%00")
		default:
			return s.i > start
		}
	}
	return s.i > start
}

// letters reads all bytes of the set, written as they are or as escapes. It
// reports whether there were any.
func (s *scanner) letters(set url.Set) bool {
	start := s.i
	for !s.done() {
		n := escapeLen(s.s[s.i:])
		if !set.Has(ascii.Unescape(s.s[s.i : s.i+n])[0]) {
			break
		}
		s.i += n
	}
	return s.i > start
}

// plain is run without the escapes.
func (s *scanner) plain(set url.Set) bool {
	n := skip(s.s[s.i:], set)
	s.i += n
	return n > 0
}

// failAs keeps err, if it is the first.
func (s *scanner) failAs(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *scanner) fail(want string) { s.failAs(pathFail(s.u, s.i, s.rule, want)) }

// want fails unless ok is true.
func (s *scanner) want(ok bool, want string) {
	if !ok {
		s.fail(want)
	}
}

// end fails if anything is left.
func (s *scanner) end(want string) { s.want(s.done(), want) }

// slash reads the "/" that must come next.
func (s *scanner) slash(what string) {
	if !s.take('/') {
		s.fail(`a "/" before ` + what)
	}
}

// login wants "//" and a host. By RFC 1630 a user and a password are alphanum2.
func (s *scanner) login() {
	if host, _ := s.u.Host(); host == "" {
		_, err := hostPort(s.u, s.rule)
		s.failAs(err)
	} else if s.u.Standard() == url.RFC1630 {
		s.alphanum2(url.User, "a user name")
		s.alphanum2(url.Password, "a password")
	}
}

// hostport wants "//" and a host, without a user.
func (s *scanner) hostport() {
	s.failAs(noUser(s.u, true, s.rule))
	s.login()
}

// alphanum2 wants a part, if there is one, to have bytes, none of them encoded.
func (s *scanner) alphanum2(part url.PartName, what string) {
	p := s.u.Part(part)
	if n := skip(p.Text, inUser); p.Present && (n < len(p.Text) || n == 0) {
		s.failAs(fail(s.u, start(s.u, part)+n, s.rule, `a letter, a digit, "-", "_", "." or "+" of `+what))
	}
}

// opaque wants no "//". A mail address or a message-id may start with one slash
// by RFC 1738.
func (s *scanner) opaque(what string) {
	s.failAs(noAuthority(s.u, s.u.Standard() == url.RFC1738, s.rule, what))
}

// host wants all that is left to be a host, as the standard writes one.
func (s *scanner) host() {
	host := s.s[s.i:]
	if end := strings.IndexAny(host, "@:/?"); end >= 0 {
		host = host[:end]
	}
	if bad, ok := errors.AsType[*url.SyntaxError](judgeHost(s.u.Standard(), host)); ok {
		s.i += bad.Offset
		s.fail(bad.Want)
		return
	}
	s.i += len(host)
	s.end("the end of the URL after the host")
}
