package scheme

import (
	"errors"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Read parses a text by a standard and checks it by the grammar of its scheme, as [Judge] does. By RFC 1630, the text
// may have the prefix that [Unprefix] removes. The error is a [*url.SyntaxError] at the first byte that breaks a rule
// of the standard or of the scheme. Read takes linear time.
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
		return url.URL{}, earlierError(text, bad)
	}
	if err == nil {
		err = Judge(u)
	}
	if err != nil {
		return url.URL{}, err
	}
	return u, nil
}

// earlierError returns an error of the grammar of the scheme that is before bad, or bad if there is no such error. bad
// is the error of text by a standard. The text before bad may be incomplete, so earlierError judges it as it is, with a
// digit of a port after it, and with an "@" and a host after it. The text has an earlier error only if the grammar
// refuses each of these completions before bad.
func earlierError(text string, bad *url.SyntaxError) *url.SyntaxError {
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

// Unprefix returns text without the prefix "URL:", in upper or lower case, and the spaces after the prefix (RFC 1630,
// prefixedurl; RFC 1738, appendix). It returns text unchanged if no scheme and ":" follow the prefix. Use it for text
// that a person typed.
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

// A production checks a URL by the production of a scheme in one document.
type production func(*scanner)

// productions returns the Judge function of a scheme. It checks a URL of RFC 1630 by the production rfc1630, and any
// other URL by rfc1738. If the production is nil, because the document has none for the scheme, it accepts every URL.
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

// A scanner scans the text after the scheme or the authority of a URL. It keeps the first error. After an error the
// methods continue to scan, and their further errors have no effect.
type scanner struct {
	u    url.URL
	s    string // the path and the query
	i    int    // the offset of the next byte in s
	rule string // the section, for errors
	err  error
}

// atEnd reports whether the scanner has reached the end of the text.
func (s *scanner) atEnd() bool { return s.i == len(s.s) }

// nextIs reports whether the next byte is c.
func (s *scanner) nextIs(c byte) bool { return s.i < len(s.s) && s.s[s.i] == c }

// take skips the byte c if it comes next, and reports whether it did.
func (s *scanner) take(c byte) bool {
	if !s.nextIs(c) {
		return false
	}
	s.i++
	return true
}

// run skips bytes of the set, and escapes of any byte. It reports whether it skipped any.
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

// letters skips bytes of the set, and escapes of bytes of the set. It reports whether it skipped any.
func (s *scanner) letters(set url.Set) bool {
	start := s.i
	for !s.atEnd() {
		n := escapeLen(s.s[s.i:])
		if !set.Has(ascii.Unescape(s.s[s.i : s.i+n])[0]) {
			break
		}
		s.i += n
	}
	return s.i > start
}

// plain skips bytes of the set, but no escapes. It reports whether it skipped any.
func (s *scanner) plain(set url.Set) bool {
	n := skip(s.s[s.i:], set)
	s.i += n
	return n > 0
}

// failAs records err, unless it is nil or the scanner already has an error.
func (s *scanner) failAs(err error) {
	if s.err == nil {
		s.err = err
	}
}

// fail records an error at the next byte, which wants want, unless the scanner already has an error.
func (s *scanner) fail(want string) { s.failAs(pathFail(s.u, s.i, s.rule, want)) }

// require records an error at the next byte, which wants want, unless ok is true.
func (s *scanner) require(ok bool, want string) {
	if !ok {
		s.fail(want)
	}
}

// end records an error at the next byte, which wants want, unless the text ends here.
func (s *scanner) end(want string) { s.require(s.atEnd(), want) }

// slash skips a "/". If another byte comes next, slash skips nothing and records an error that wants a "/" before what.
func (s *scanner) slash(what string) {
	if !s.take('/') {
		s.fail(`a "/" before ` + what)
	}
}

// login requires "//" and a host, and allows a user and a password. By RFC 1630, these must consist of letters, digits,
// "-", "_", "." and "+".
func (s *scanner) login() {
	if host, _ := s.u.Host(); host == "" {
		_, err := hostPort(s.u, s.rule)
		s.failAs(err)
	} else if s.u.Standard() == url.RFC1630 {
		s.alphanum2(url.User, "a user name")
		s.alphanum2(url.Password, "a password")
	}
}

// hostport requires "//" and a host, and no user.
func (s *scanner) hostport() {
	s.failAs(refuseUser(s.u, true, s.rule))
	s.login()
}

// alphanum2 requires a part, if it is present, to be a nonempty alphanum2 of RFC 1630: letters, digits, "-", "_", "."
// and "+", without escapes. what names the part in the error.
func (s *scanner) alphanum2(part url.PartName, what string) {
	p := s.u.Part(part)
	if n := skip(p.Text, inUser); p.Present && (n < len(p.Text) || n == 0) {
		s.failAs(fail(s.u, start(s.u, part)+n, s.rule, `a letter, a digit, "-", "_", "." or "+" of `+what))
	}
}

// opaque records an error that wants what if "//" follows the scheme. By RFC 1738 the error is at the second slash,
// because a mail address or a message-id may start with one slash.
func (s *scanner) opaque(what string) {
	s.failAs(refuseAuthority(s.u, s.u.Standard() == url.RFC1738, s.rule, what))
}

// host requires the rest of the text to be a host, as the standard writes one.
func (s *scanner) host() {
	host := s.s[s.i:]
	if end := strings.IndexAny(host, "@:/?"); end >= 0 {
		host = host[:end]
	}
	if bad, ok := errors.AsType[*url.SyntaxError](checkHost(s.u.Standard(), host)); ok {
		s.i += bad.Offset
		s.fail(bad.Want)
		return
	}
	s.i += len(host)
	s.end("the end of the URL after the host")
}
