package scheme

import (
	"errors"
	"strings"

	"locus/url"
)

// Read reads a text by a standard and judges it by what is known of its scheme,
// as [Judge] does. By RFC 1630 the text may have a prefix, as [Unprefix] says. The
// error is a [*url.SyntaxError] at the first byte that offends either. It takes
// linear time.
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
type production func(*scanner) error

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
		return p(&scanner{u: u, s: u.PathAndQuery(), rule: rule})
	}
}

// A scanner reads what follows the scheme or the authority of a URL.
type scanner struct {
	u    url.URL
	s    string // the path and the query
	i    int    // the next byte of it
	rule string // the section, for errors
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
		case isEscape(s.s[s.i:]):
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
		if !set.Has(unescape(s.s[s.i : s.i+n])[0]) {
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

func (s *scanner) fail(want string) error { return pathFail(s.u, s.i, s.rule, want) }

// end fails if anything is left.
func (s *scanner) end(want string) error {
	if s.done() {
		return nil
	}
	return s.fail(want)
}

// slash reads the "/" that must come next.
func (s *scanner) slash(what string) error {
	if s.take('/') {
		return nil
	}
	return s.fail(`a "/" before ` + what)
}

// login wants "//" and a host.
func (s *scanner) login() error {
	if host, _ := s.u.Host(); host == "" {
		_, err := hostPort(s.u, s.rule)
		return err
	}
	if s.u.Standard() == url.RFC1630 {
		return s.login1630()
	}
	return nil
}

// hostport wants "//" and a host, without a user.
func (s *scanner) hostport() error {
	if err := noUser(s.u, true, s.rule); err != nil {
		return err
	}
	return s.login()
}

// login1630 wants of a user and a password at least one byte each, none of
// them encoded: alphanum2.
func (s *scanner) login1630() error {
	user, ok := s.u.User()
	if !ok {
		return nil
	}
	if n := skip(user, inUser); n < len(user) || n == 0 {
		return fail(s.u, start(s.u, url.User)+n, s.rule, `a letter, a digit, "-", "_", "." or "+" of a user name`)
	}
	password, ok := s.u.Password()
	if n := skip(password, inUser); ok && (n < len(password) || n == 0) {
		return fail(s.u, start(s.u, url.Password)+n, s.rule, `a letter, a digit, "-", "_", "." or "+" of a password`)
	}
	return nil
}

// opaque wants no "//". A mail address or a message-id may start with one slash
// by RFC 1738.
func (s *scanner) opaque(what string) error {
	return noAuthority(s.u, s.u.Standard() == url.RFC1738, s.rule, what)
}

// host wants all that is left to be a host, as the standard writes one.
func (s *scanner) host() error {
	host := s.s[s.i:]
	if end := strings.IndexAny(host, "@:/?"); end >= 0 {
		host = host[:end]
	}
	if bad, ok := errors.AsType[*url.SyntaxError](judgeHost(s.u.Standard(), host)); ok {
		s.i += bad.Offset
		return s.fail(bad.Want)
	}
	s.i += len(host)
	return s.end("the end of the URL after the host")
}
