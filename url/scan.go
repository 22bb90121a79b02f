package url

import (
	"strings"

	"locus/internal/ascii"
)

// maxFast is the length of the longest text that parseFast reads. It keeps all offsets within an int32.
const maxFast = 1 << 30

// parseFast divides u's text in one pass if the text is a valid URL or reference by RFC 3986. It returns false, without
// a reason, if the text is invalid or longer than maxFast; the offsets of u are unspecified then. [Standard.divide] and
// [URL.check] give the same result more slowly, and give the reason.
func (u *URL) parseFast() bool {
	if len(u.text) > maxFast {
		return false
	}
	if wide && len(u.text) >= leastWide {
		if u.parseWide() {
			return true
		}
		*u = URL{text: u.text, std: u.std}
	}
	return u.scan()
}

// parseFrom divides u's text like parseFast, but the part before the path must be known to be valid: a scheme, "//" and
// a host that starts at text[host]. The path starts at text[path]. It returns false if the rest is invalid or the text
// is longer than maxFast.
func (u *URL) parseFrom(host, path int) bool {
	if wide {
		return u.parseFast() // which is as fast
	}
	u.scheme, u.auth, u.path = int32(host-len("//")), int32(host), int32(path)
	return len(u.text) <= maxFast && u.scanPath(path)
}

// scan divides u's text: it sets the offsets of u and reports whether the text is valid. Every processor can run it. On
// processors with AVX2 it reads only short texts, and the texts for which parseWide returns false.
func (u *URL) scan() bool {
	s := u.text
	i := skip(s, 0, cScheme|noEscapes)
	switch {
	case i > 0 && i < len(s) && s[i] == ':' && classes[s[0]]&cAlpha != 0:
		i++
		u.scheme = int32(i)
	case endsAuthority(s, skipSegment(s, i)):
		i = 0 // no scheme, as there is no colon in the first segment
	default:
		return false
	}
	if len(s)-i < 2 || s[i] != '/' || s[i+1] != '/' {
		u.path = int32(i)
		return u.scanPath(i)
	}
	i += len("//")
	u.auth = int32(i)
	if i = u.scanAuthority(i); i < 0 {
		return false
	}
	u.path = int32(i)
	if i == len(s) {
		return true
	}
	return u.scanPath(i)
}

// scanAuthority reads the authority that starts at text[i], and sets the offsets of its parts. It returns the offset
// after the authority, or -1 if the authority is invalid.
func (u *URL) scanAuthority(i int) int {
	s := u.text
	if i < len(s) && s[i] == '[' {
		return u.scanLiteral(i)
	}
	i = skip(s, i, c3986User)
	if i == len(s) {
		return i
	}
	if s[i] == ':' {
		colon := i + 1
		i = skipDigits(s, colon)
		if endsAuthority(s, i) {
			u.port = int32(colon)
			return i
		}
		i = skip(s, i, c3986User|cColon)
		if i == len(s) || s[i] != '@' {
			return -1
		}
		u.password = int32(colon)
	}
	if s[i] != '@' {
		if endsAuthority(s, i) {
			return i
		}
		return -1
	}
	i++
	u.host = int32(i)
	return u.scanHost(i)
}

// scanHost reads the host and the port that start at text[i], and sets the offset of the port. It returns the offset
// after the authority, or -1 if the host or the port is invalid.
func (u *URL) scanHost(i int) int {
	s := u.text
	if i < len(s) && s[i] == '[' {
		return u.scanLiteral(i)
	}
	return u.scanPort(skip(s, i, c3986User))
}

// scanLiteral reads the IP literal in brackets at text[i] and the port after it, and sets the offset of the port. It
// returns the offset after the authority, or -1 if the literal or the port is invalid.
func (u *URL) scanLiteral(i int) int {
	end := strings.IndexByte(u.text[i:], ']')
	if end < 0 {
		return -1
	}
	if _, want := checkAddress(u.text[i+1 : i+end]); want != "" {
		return -1
	}
	return u.scanPort(i + end + 1)
}

// scanPort reads the port, if a ":" at text[i] announces one, and sets its offset. It returns the offset after the
// authority, or -1 if the authority does not end there.
func (u *URL) scanPort(i int) int {
	if i < len(u.text) && u.text[i] == ':' {
		i++
		u.port = int32(i)
		i = skipDigits(u.text, i)
	}
	if !endsAuthority(u.text, i) {
		return -1
	}
	return i
}

// skipSegment returns the index of the first byte of s at or after i that cannot stand in a path segment without colons
// (segment-nz-nc), or len(s).
func skipSegment(s string, i int) int {
	i = skip(s, i, c3986User)
	for i < len(s) && s[i] == '@' {
		i = skip(s, i+1, c3986User)
	}
	return i
}

// endsAuthority reports whether an authority that continues up to s[i] ends there: at a "/", "?" or "#", or at the end
// of s.
func endsAuthority(s string, i int) bool {
	return i == len(s) || s[i] == '/' || s[i] == '?' || s[i] == '#'
}

// skipDigits returns the index of the first byte of s at or after i that is not a digit, or len(s).
func skipDigits(s string, i int) int {
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return i
}

// scanPath reads the path that continues at text[i], the query and the fragment, and sets the offsets of the query and
// the fragment. It reports whether all three are valid and reach the end of the text.
func (u *URL) scanPath(i int) bool {
	s := u.text
	i = skip(s, i, c3986Path)
	if i < len(s) && s[i] == '?' {
		u.query = int32(i + 1)
		i = skip(s, i+1, c3986Query)
	}
	if i < len(s) && s[i] == '#' {
		u.fragment = int32(i + 1)
		i = skip(s, i+1, c3986Query)
	}
	return i == len(s)
}

var (
	// inNames has bytes that are in every set with which skip is called and that has letters.
	inNames = ascii.NewLanes('0', '9', '-', '.')
	// inPaths has bytes that are in every such set for a path, a query or a fragment.
	inPaths = ascii.NewLanes('&', ';', '_', '_')
)

// skip returns the index of the first byte of s at or after i that is neither in the set nor part of an escape, or
// len(s). If the set includes noEscapes or has no letters, skip stops at an escape. A set with letters must contain
// every byte of inNames, and a set of a path or query must contain every byte of inPaths, because skip does not compare
// these bytes with the set.
func skip(s string, i int, set class) int {
	common := &inNames
	switch {
	case set&(c3986Path|c3986Query|c1738Xchar|c1630Path) != 0:
		common = &inPaths
	case set&classes['a'] == 0:
		return skipEach(s, i, set)
	}
	for {
		i = common.Skip(s, i)
		switch {
		case i == len(s):
			return i
		case classes[s[i]]&set != 0:
			i++
		case s[i] == '%' && set&noEscapes == 0 && ascii.HasEscape(s, i):
			i += len("%00")
		default:
			return i
		}
	}
}

// skipEach returns the index of the first byte of s at or after i that is not in the set, or len(s). Unlike skip, it
// does not skip escapes, and the set may have any letters.
func skipEach(s string, i int, set class) int {
	for i < len(s) && classes[s[i]]&set != 0 {
		i++
	}
	return i
}

// A class is a set of sets of bytes: byte c belongs to the set with bit b if classes[c]&b != 0.
type class uint16

const (
	cAlpha class = 1 << iota
	cDigit
	cHex
	cColon
	cScheme     // alpha, digit, "+", "-", "."
	c3986User   // RFC 3986: unreserved, sub-delims; also reg-name
	c3986Path   // RFC 3986: pchar, "/"
	c3986Query  // RFC 3986: pchar, "/", "?"
	c1738User   // RFC 1738 §5: user, password
	c1738Xchar  // RFC 1738 §5: xchar
	c1630Xalpha // RFC 1630: xalpha
	c1630Path   // RFC 1630: xalpha and those of "=;/:" that schemes use
	c1630User   // RFC 1630: alphanum2
	c1738Host   // RFC 1738 §5: hostname, hostnumber
	cHref       // URL Standard: printable ASCII; "%" too, as hrefs may have bad escapes

	// noEscapes is in the class of no byte. A set that contains noEscapes belongs to a part without escapes.
	noEscapes class = 1 << 15
)

const (
	alpha      = ascii.Letters
	digit      = ascii.Digits
	unreserved = alpha + digit + "-._~"        // RFC 3986 §2.3
	subDelims  = "!$&'()*+,;="                 // RFC 3986 §2.2
	pchar      = unreserved + subDelims + ":@" // RFC 3986 §3.3, without the escapes
	uchar      = alpha + digit + "$-_.+!*'()," // RFC 1738 §5, without the escapes
	xchar      = uchar + ";/?:@&="             // RFC 1738 §5, without the escapes
	xalpha     = alpha + digit + "$-_@.&+!*\"'(),"
)

// classes says for every standard which bytes stand for themselves. "%" is in cHref alone, because the other sets
// check escapes separately.
var classes = func() (table [256]class) {
	for bit, bytes := range map[class]string{
		cAlpha:      alpha,
		cDigit:      digit,
		cHex:        ascii.Hex,
		cColon:      ":",
		cScheme:     alpha + digit + "+-.",
		c3986User:   unreserved + subDelims,
		c3986Path:   pchar + "/",
		c3986Query:  pchar + "/?",
		c1738User:   uchar + ";?&=",
		c1738Xchar:  xchar,
		c1630Xalpha: xalpha,
		c1630Path:   xalpha + "=;/:",
		c1630User:   alpha + digit + "-_.+",
		cHref:       xchar + " \"#%<>[\\]^`{|}~",
		c1738Host:   alpha + digit + "-.",
	} {
		for _, c := range []byte(bytes) {
			table[c] |= bit
		}
	}
	return table
}()
