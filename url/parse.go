package url

import (
	"strings"

	"locus/internal/facts"
)

// A text is parsed in two steps. divide finds the parts of any text by the rules of its standard (standard.go),
// without checking them. check then checks the parts from left to right, so that the error is at the first wrong byte.
//
// For RFC 3986 and for hrefs, parseFast (scan.go) does both steps in one pass over the bytes. On processors with AVX2
// it works on masks of up to 64 bytes (wide.go). It only reports whether the text is valid. If the text is not valid,
// divide and check find the error.
//
// Edits (edit.go) join the changed parts and parse the new text, so every URL has passed one of the two parsers. Only
// Resolve (resolve.go) computes the offsets of its result from the offsets of two valid URLs.

// divide returns a URL with the text s, whose offsets divide s into parts as the standard does. It checks nothing and
// never fails. The length of s must be less than 2 GiB, because the offsets are int32.
func (std Standard) divide(s string) URL {
	r := std.rules()
	u := URL{text: s, std: std}
	end := len(s)
	if r.hasFragment {
		if i := strings.IndexByte(s, '#'); i >= 0 {
			u.fragment = int32(i + 1)
			end = i
		}
	}
	i := 0
	if j := strings.IndexAny(s[:end], ":/?#"); j >= 0 && s[j] == ':' {
		i = j + 1
		u.scheme = int32(i)
	}
	u.divideRest(i, end, r, !r.byScheme || schemeHasQuery(u.rawScheme()))
	return u
}

// divideRest divides text[i:end], the text between the scheme and the fragment: it sets the offsets of the authority,
// the path and the query. A "?" starts a query only if hasQuery is true.
func (u *URL) divideRest(i, end int, r *rules, hasQuery bool) {
	if strings.HasPrefix(u.text[i:end], "//") && (!r.byScheme || u.hasHost1738(i+2, end, r)) {
		i = u.divideAuthority(i+2, end, r)
	}
	u.path = int32(i)
	if !hasQuery {
		return
	}
	if j := strings.IndexByte(u.text[i:end], '?'); j >= 0 {
		u.query = int32(i + j + 1)
	}
}

// divideAuthority sets the offsets of the parts of the authority that begins at text[start], and returns the offset of
// its end, which is at most end. If an address in brackets lacks its "]", the authority has no port.
func (u *URL) divideAuthority(start, end int, r *rules) int {
	delims := "/?#"
	if r.loginToSlash {
		delims = "/"
	}
	if i := strings.IndexAny(u.text[start:end], delims); i >= 0 {
		end = start + i
	}
	u.auth = int32(start)
	host := start
	if i := strings.IndexByte(u.text[start:end], '@'); i >= 0 {
		host = start + i + 1
		u.host = int32(host)
		if j := strings.IndexByte(u.text[start:start+i], ':'); j >= 0 {
			u.password = int32(start + j + 1)
		}
	}
	port := host
	if host < end && u.text[host] == '[' {
		literal := strings.IndexByte(u.text[host:end], ']')
		if literal < 0 {
			return end
		}
		port += literal
	}
	if i := strings.IndexByte(u.text[port:end], ':'); i >= 0 {
		u.port = int32(port + i + 1)
	}
	return end
}

// hasHost1738 reports whether, by RFC 1738, a host follows the "//" before text[i]. The text ends at end. In a scheme
// for which the standard has no production, a host follows if the text fits ip-schemepart:
//
//	schemepart = *xchar | ip-schemepart
func (u URL) hasHost1738(i, end int, r *rules) bool {
	known := facts.Of(u.rawScheme())
	switch {
	case u.scheme == 0 || known.Has(facts.Host1738):
		return true
	case known.Has(facts.NoHost1738):
		return false
	}
	u.path = int32(u.divideAuthority(i, end, r))
	return u.checkAuthority(r) == nil
}

// schemeHasQuery reports whether "?" starts a query in URLs of the scheme by RFC 1738 §5. In other schemes "?" is
// data, or is reserved without a meaning.
func schemeHasQuery(scheme string) bool { return facts.Of(scheme).Has(facts.Query1738) }

// check checks every byte against u's standard, from left to right, and returns the first error.
func (u URL) check(r *rules) *SyntaxError {
	if err := u.checkScheme(r); err != nil {
		return err
	}
	if u.auth != 0 {
		if err := u.checkAuthority(r); err != nil {
			return err
		}
	}
	for n := Path; n <= Fragment; n++ {
		if err := u.checkPart(n, r); err != nil {
			return err
		}
	}
	return nil
}

// checkScheme returns an error if the scheme is invalid, or if it is missing and the rules do not allow relative
// references.
func (u URL) checkScheme(r *rules) *SyntaxError {
	if u.scheme == 0 {
		if r.relative {
			return nil
		}
		return u.missingScheme(r)
	}
	scheme := u.rawScheme()
	if scheme == "" {
		return u.fail(0, r.sections[Scheme], `a scheme before the ":"`)
	}
	if classes[scheme[0]]&r.first == 0 {
		return u.fail(0, r.sections[Scheme], schemeStart(r))
	}
	for i := range len(scheme) {
		if classes[scheme[i]]&r.sets[Scheme] == 0 {
			return u.fail(i, r.sections[Scheme], `a letter, a digit, "+", "-" or "." of a scheme, or its ":"`)
		}
	}
	return nil
}

// schemeStart returns the text that the standard wants at the start of a scheme.
func schemeStart(r *rules) string {
	if r.first == cAlpha {
		return "a letter that starts a scheme"
	}
	return "a letter or digit that starts a scheme"
}

// missingScheme returns the error, never nil, for a text that lacks a scheme: at the first byte that cannot be part of
// a scheme, or at the end of the text if every byte can.
func (u URL) missingScheme(r *rules) *SyntaxError {
	for i := range len(u.text) {
		if classes[u.text[i]]&r.sets[Scheme] == 0 {
			return u.fail(i, r.sections[Scheme], `a scheme and ":"`)
		}
	}
	return u.fail(len(u.text), r.sections[Scheme], `a ":" after the scheme`)
}

// checkAuthority returns the first error in the login, the host and the port, or nil. u must have an authority.
func (u URL) checkAuthority(r *rules) *SyntaxError {
	for n := User; n <= Password; n++ {
		if err := u.checkPart(n, r); err != nil {
			return err
		}
	}
	if err := u.checkHost(r); err != nil {
		return err
	}
	if u.port == 0 {
		return nil
	}
	if u.port == u.path && !r.emptyPort {
		return u.fail(int(u.port), r.sections[Port], `the digits of a port (with no port there is no ":")`)
	}
	for i := u.port; i < u.path; i++ {
		if classes[u.text[i]]&cDigit == 0 {
			return u.fail(int(i), r.sections[Port], "a digit of the port")
		}
	}
	return nil
}

// checkPart returns an error at the first byte that the part n must not contain: a byte that neither is in its set nor
// belongs to an escape. An absent part is correct.
func (u URL) checkPart(n PartName, r *rules) *SyntaxError {
	start, end := u.span(n)
	if start > end {
		return nil
	}
	s := u.text[:end]
	i := skip(s, int(start), r.sets[n])
	if i == len(s) {
		return nil
	}
	section, want := r.wants(n, s[i])
	return u.fail(i, section, want)
}

// wants returns the section that the byte c breaks by standing in part n, and a description of the text that the
// standard wants instead.
func (r *rules) wants(n PartName, c byte) (section, want string) {
	what := n.String()
	if n == User {
		what = "user name"
	}
	switch want = "a byte that may stand in a " + what; {
	case r.sets[n]&noEscapes != 0:
		return r.sections[n], want
	case c == '%':
		return r.escapes, wantHexDigits
	}
	return r.sections[n], want + ", or an escape"
}

// fail returns the error for a wrong byte at u.text[offset]. section is the section that the byte breaks, and want
// describes the text that is wanted there.
func (u URL) fail(offset int, section, want string) *SyntaxError {
	return &SyntaxError{Text: u.text, Offset: offset, Standard: u.std, Rule: section, Want: want}
}
