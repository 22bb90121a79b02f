package compare

import (
	"errors"
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

var (
	errRubyASCII  = errors.New("a character that is not ASCII (Ruby URI)")
	errRubySyntax = errors.New("bad syntax (Ruby URI)")
	errRubyOpaque = errors.New("not what the scheme requires (Ruby URI)")
)

// rubyParts reads text as URI.parse of Ruby's URI 1.1.1 does. It follows RFC 3986, but allows every ASCII character in
// a query, and rubyScheme applies further rules. testdata/ruby.jsonl has the answers of Ruby.
func rubyParts(text string) (p url.Parts, err error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }) {
		return p, errRubyASCII
	}
	before, fragment := cutPart(text, "#")
	before, query := cutPart(before, "?")
	u, err := url.RFC3986.Parse(before)
	if err == nil && fragment.Present {
		_, err = url.RFC3986.Parse("#" + fragment.Text)
	}
	if err != nil {
		return p, errRubySyntax
	}
	p = u.Parts()
	if strings.HasPrefix(p.Host.Text, "[V") || strings.HasPrefix(p.Host.Text, "[") && strings.Contains(p.Host.Text, "%") {
		return url.Parts{}, errRubySyntax
	}
	p.Scheme.Text = strings.ToLower(p.Scheme.Text)
	p.Query, p.Fragment = query, fragment
	isOpaque := p.Scheme.Present && !p.Host.Present && p.Path != "" && p.Path[0] != '/'
	if !isOpaque && query.Present {
		if p.Query.Text, err = rubyQuery(query.Text); err != nil {
			return url.Parts{}, err
		}
	}
	if !rubyScheme(&p, isOpaque) {
		return url.Parts{}, errRubyOpaque
	}
	return p, nil
}

// rubyQuery returns query without tabs and line ends, and with the characters escaped that a URL must not have. The
// error is errRubySyntax if neither of the two bytes after a "%" is a hex digit.
func rubyQuery(query string) (string, error) {
	query = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(query)
	var b []byte
	for i := range len(query) {
		c := query[i]
		if c == '%' && i+2 < len(query) && !ascii.IsHex(query[i+1]) && !ascii.IsHex(query[i+2]) {
			return "", errRubySyntax
		}
		if c <= ' ' || c == 0x7f || strings.IndexByte("\"'<>`", c) >= 0 {
			b = ascii.AppendEscape(b, c)
		} else {
			b = append(b, c)
		}
	}
	return string(b), nil
}

// rubyPorts are the default ports of the schemes that Ruby knows.
var rubyPorts = map[string]string{"http": "80", "https": "443", "ftp": "21", "ldap": "389", "ldaps": "636", "ws": "80", "wss": "443"}

// rubyScheme changes p by Ruby's rules for its scheme: for example, it removes the default port. It returns false if
// Ruby refuses the URL. isOpaque says that the URL has neither a host nor a path that starts with "/".
func rubyScheme(p *url.Parts, isOpaque bool) bool {
	if value := trimLeadingZeros(p.Port.Text); value == "" || value == rubyPorts[p.Scheme.Text] {
		p.Port = url.Part{}
	}
	switch p.Scheme.Text {
	case "ftp":
		path := strings.TrimPrefix(p.Path, "/")
		if rest, ok := strings.CutPrefix(path, "%2F"); ok {
			path = "/" + rest
		}
		p.Path, _, _ = strings.Cut(path, ";type=")
		return !isOpaque
	case "file":
		p.User, p.Password, p.Port = url.Part{}, url.Part{}, url.Part{}
		if p.Host.Text == "localhost" {
			p.Host.Text = ""
		}
	case "ldap", "ldaps":
		return !isOpaque && !p.Fragment.Present
	case "mailto":
		if !isOpaque {
			p.Path = "" // Ruby reads the query alone
			return p.Query.Present
		}
		return isRubyAddresses(p.Path)
	}
	return true
}

// isRubyAddresses reports whether s is empty or consists of mail addresses, with "," or ";" between them and perhaps
// after the last one. An address has one "@", with text on both sides.
func isRubyAddresses(s string) bool {
	for s != "" {
		address := s[:indexAny(s, ",;")]
		local, domain, ok := strings.Cut(address, "@")
		if !ok || local == "" || domain == "" || strings.Contains(domain, "@") {
			return false
		}
		s = s[min(len(address)+1, len(s)):]
	}
	return true
}

// trimLeadingZeros returns a number without leading zeros. It returns digits unchanged if digits is "" or exceeds 64
// bits.
func trimLeadingZeros(digits string) string {
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	return digits
}
