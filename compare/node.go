package compare

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
	"locus/url/whatwg"
)

var (
	errNodePort  = errors.New("a bad port (Node url.parse)")
	errNodeHost  = errors.New("a bad host (Node url.parse)")
	errNodeLogin = errors.New("a login with bad escapes (Node url.parse)")
)

// nodeSpace is white space in a regular expression of JavaScript.
const nodeSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

var (
	// nodePath matches the text of a path and a query.
	nodePath = regexp.MustCompile(`^/(?:/?[^/?` + nodeSpace + `][^?` + nodeSpace + `]*|/?)(?:\?[^` + nodeSpace + `]*)?$`)
	// nodeLogin matches a text without a scheme that has a login and a host.
	nodeLogin = regexp.MustCompile(`^//[^@/]+@[^@/]+`)
)

// nodeParts reads text as the legacy url.parse of Node.js 26 does. It reads a host after "//", and after most schemes
// also without "//". Only the schemes of isNodeSlashed, such as http, require "//", and "javascript" is never followed
// by a host. testdata/node.jsonl has the answers of Node.js.
func nodeParts(text string) (p url.Parts, err error) {
	text = nodeSlashes(strings.TrimFunc(text, func(r rune) bool { return r <= ' ' || r == '\u00a0' || r == '\ufeff' }))
	end := indexAny(text, "?#")
	if !strings.Contains(text, "#") && !strings.Contains(text[:end], "@") && nodePath.MatchString(text) {
		p.Path, p.Query = cutPart(text, "?")
		return p, nil
	}
	rest, written := text, ""
	if colon := strings.IndexByte(text, ':'); colon >= 0 && isSchemeText(text[:colon]) {
		written, rest = text[:colon], text[colon+1:]
		p.Scheme = url.Some(strings.ToLower(written))
	}
	hasSlashes := strings.HasPrefix(rest, "//") && (p.Scheme.Present || nodeLogin.MatchString(rest))
	if p.Scheme.Text != "javascript" {
		if hasSlashes {
			rest = rest[len("//"):]
		}
		if hasSlashes || p.Scheme.Present && !isNodeSlashed(written) {
			if rest, err = nodeAuthority(&p, rest); err != nil {
				return url.Parts{}, err
			}
		}
		rest = nodeEscape(rest)
	}
	setRest(&p, rest)
	if p.Path == "" && p.Host.Text != "" && isNodeSlashed(p.Scheme.Text) {
		p.Path = "/"
	}
	return p, nil
}

// isNodeSlashed reports whether Node.js reads a host after the scheme only if "//" stands between them. It knows the
// scheme in lower case only, as Node.js does.
func isNodeSlashed(scheme string) bool {
	return slices.Contains([]string{"http", "https", "ftp", "gopher", "file", "ws", "wss"}, scheme)
}

// nodeSlashes returns text with each "\" before the query and the fragment replaced by "/".
func nodeSlashes(text string) string {
	end := indexAny(text, "?#")
	return strings.ReplaceAll(text[:end], `\`, "/") + text[end:]
}

// nodeAuthority sets the login, the host and the port of p from text, which starts with the authority. It returns the
// text after the authority. The last "@" ends the login. The host ends at a character that cannot stand in it. The
// error is errNodeLogin, errNodePort or errNodeHost if Node.js refuses the authority.
func nodeAuthority(p *url.Parts, text string) (rest string, err error) {
	end := indexAny(text, "/?#")
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text[:end]) + text[end:]
	end = indexAny(text, "/?#")
	at := strings.LastIndexByte(text[:end], '@')
	if at >= 0 {
		login, ok := decodeComponent(text[:at])
		if !ok {
			return "", errNodeLogin
		}
		user, password := cutPart(login, ":")
		p.User, p.Password = url.Some(user), password
	}
	stop := at + 1 + indexAny(text[at+1:], " \"%';<>\\^`{|}/?#")
	host, rest := text[at+1:stop], text[stop:]
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && strings.Trim(host[colon+1:], ascii.Digits) == "" {
		p.Port = partOf(host[colon+1:])
		host = host[:colon]
	}
	isLiteral := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	host, err = nodeHost(host, isLiteral)
	p.Host = url.Some(host)
	if isLiteral && !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	return rest, err
}

// nodeHost returns a host as Node.js does: in lower case, in ASCII, and without brackets. isLiteral says that the host
// has brackets. A host of more than 255 characters becomes "", and is not refused. The error is errNodePort if a host
// without brackets contains a colon, because its port is invalid then, or errNodeHost if the host is invalid.
func nodeHost(host string, isLiteral bool) (string, error) {
	const longest = 255
	if !isLiteral && strings.Contains(host, ":") {
		return "", errNodePort
	}
	if len(utf16.Encode([]rune(host))) > longest {
		return "", nil
	}
	host = strings.ToLower(host)
	switch {
	case host == "":
		return "", nil
	case isLiteral && strings.ContainsAny(host, "\x00@"):
		return "", errNodeHost
	case isLiteral:
		return host[1 : len(host)-1], nil
	case strings.Contains(host, "xn--") || strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }):
		name, ok := whatwg.ToASCII(host, false)
		if !ok {
			return "", errNodeHost
		}
		host = name
	}
	if host == "" || strings.ContainsAny(host, "\x00\t\n\r #%/:<>?@[\\]^|") {
		return "", errNodeHost
	}
	return host, nil
}

// decodeComponent decodes escapes as decodeURIComponent of JavaScript does. It returns false if an escape is bad, or if
// the escapes are not UTF-8.
func decodeComponent(s string) (string, bool) {
	for i := range len(s) {
		if s[i] == '%' && !ascii.HasEscape(s, i) {
			return "", false
		}
	}
	s = ascii.Unescape(s)
	return s, utf8.ValidString(s)
}

// nodeEscape returns s with the characters escaped that url.parse escapes after the authority, such as spaces and
// quotes.
func nodeEscape(s string) string {
	var b []byte
	for i := range len(s) {
		if strings.IndexByte("\t\n\r \"'<>\\^`{|}", s[i]) >= 0 {
			b = ascii.AppendEscape(b, s[i])
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}
