package compare

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
)

const (
	javaUnreserved = "-_.!~*'()"
	javaUserinfo   = javaUnreserved + ";:&=+$,"
	javaName       = javaUnreserved + "$,;:@&=+"
	javaPath       = javaUnreserved + ":@&=+$,;/"
	javaAny        = javaUnreserved + ";/?:@&=+$,[]"
)

// javaParts reads text as java.net.URI of Java 25 does, which implements RFC 2396 with the additions in its
// documentation. It also refuses an authority in which Java does not find a host. testdata/java.jsonl has the answers
// of Java.
func javaParts(text string) (p url.Parts, err error) {
	if !parseJava(&p, text) {
		err = errors.New("bad syntax (Java URI)")
	}
	return p, err
}

// parseJava sets *p to the parts of text by java.net.URI. It returns false if Java refuses the text; *p then has the
// parts before the error.
func parseJava(p *url.Parts, text string) bool {
	if i := indexAny(text, ":/?#"); i < len(text) && text[i] == ':' {
		if !ascii.IsScheme(text[:i]) {
			return false
		}
		p.Scheme = url.Some(text[:i])
		text = text[i+1:]
	}
	text, p.Fragment = cutPart(text, "#")
	if !isJava(p.Fragment.Text, javaAny) {
		return false
	}
	if p.Scheme.Present && !strings.HasPrefix(text, "/") {
		p.Path, p.Query = cutPart(text, "?") // Java returns them as one part
		return text != "" && isJava(text, javaAny)
	}
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		end := indexAny(rest, "/?")
		switch {
		case end > 0 && !javaAuthority(p, rest[:end]), end == 0 && rest == "" && !p.Fragment.Present:
			return false
		}
		text = rest[end:]
	}
	p.Path, p.Query = cutPart(text, "?")
	return isJava(p.Path, javaPath) && isJava(p.Query.Text, javaAny)
}

// javaAuthority sets the login, the host and the port of p to the parts of the authority s. The first "@" ends the
// login. It returns false if Java does not read s as the authority of a server.
func javaAuthority(p *url.Parts, s string) bool {
	at := strings.IndexByte(s, '@')
	if !isJava(s[:max(at, 0)], javaUserinfo) {
		return false
	}
	host, ok := setPort(p, setLogin(p, s, at))
	p.Host = url.Some(host)
	switch {
	case !ok || strings.Trim(p.Port.Text, "0123456789") != "":
		return false
	case strings.HasPrefix(host, "["):
		ok = isJavaLiteral(host[1 : len(host)-1])
	default:
		ok = isJavaIPv4(host) || isJavaHostname(host)
	}
	if p.Port.Text == "" {
		return ok
	}
	_, err := strconv.ParseInt(p.Port.Text, 10, 32)
	return ok && err == nil
}

// isJavaLiteral reports whether Java accepts literal, the text between brackets, as an IPv6 address. The address may
// have a zone.
func isJavaLiteral(literal string) bool {
	address, zone, scoped := strings.Cut(literal, "%")
	a, err := netip.ParseAddr(address)
	return err == nil && a.Is6() && (!scoped || zone != "" && !strings.ContainsFunc(zone, isNoScope))
}

// isNoScope reports whether Java refuses r in the zone of an IPv6 address.
func isNoScope(r rune) bool {
	return r >= utf8.RuneSelf || !isAlphanumeric(byte(r)) && r != '_' && r != '.'
}

// isJavaIPv4 reports whether a host consists of four decimal numbers up to 255. The numbers may have leading zeros.
func isJavaIPv4(host string) bool {
	numbers := strings.Split(host, ".")
	for _, n := range numbers {
		if value, err := strconv.ParseUint(n, 10, 32); err != nil || value > 255 {
			return false
		}
	}
	return len(numbers) == 4
}

// isJavaHostname reports whether a host consists of labels of letters, digits and inner hyphens. The last label must
// start with a letter unless it is the only one.
func isJavaHostname(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, label := range labels {
		if label == "" || !isAlphanumeric(label[0]) || !isAlphanumeric(label[len(label)-1]) {
			return false
		}
		if strings.Trim(label, ascii.Letters+ascii.Digits+"-") != "" {
			return false
		}
	}
	return len(labels) == 1 || ascii.IsLetter(labels[len(labels)-1][0])
}

// isJava reports whether Java allows s in a part that consists of letters, digits, escapes, the given punctuation, and
// visible characters beyond ASCII.
func isJava(s, punctuation string) bool {
	for i, r := range s {
		switch {
		case r == '%':
			if !ascii.HasEscape(s, i) {
				return false
			}
		case r < utf8.RuneSelf:
			if !isAlphanumeric(byte(r)) && strings.IndexByte(punctuation, byte(r)) < 0 {
				return false
			}
		case unicode.IsControl(r) || unicode.In(r, unicode.Z) || r == 0x80:
			return false
		}
	}
	return true
}
