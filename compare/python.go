package compare

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
)

var (
	errPythonBrackets = errors.New("a bad address in brackets (Python urllib)")
	errPythonNFKC     = errors.New("a character of the authority that NFKC makes a delimiter (Python urllib)")
	errPythonPort     = errors.New("a bad port (Python urllib)")
)

// pythonParts reads text as urllib.parse.urlsplit of Python 3.15.2 does. testdata/python.jsonl has the answers of
// Python.
func pythonParts(text string) (p url.Parts, err error) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	if colon := strings.IndexByte(text, ':'); colon > 0 && ascii.IsScheme(text[:colon]) {
		p.Scheme = url.Some(strings.ToLower(text[:colon]))
		text = text[colon+1:]
	}
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		end := indexAny(rest, "/?#")
		if err := pythonAuthority(&p, rest[:end]); err != nil {
			return p, err
		}
		text = rest[end:]
	}
	setRest(&p, text)
	return p, nil
}

// pythonAuthority sets the login, the host and the port of p to the parts of authority. The last "@" ends the login.
// The error is errPythonBrackets, errPythonNFKC or errPythonPort if Python refuses the authority.
func pythonAuthority(p *url.Parts, authority string) error {
	opens, closes := strings.Contains(authority, "["), strings.Contains(authority, "]")
	if opens != closes {
		return errPythonBrackets
	}
	hostport := authority[strings.LastIndexByte(authority, '@')+1:]
	if opens && !isPythonBracketed(hostport) {
		return errPythonBrackets
	}
	if strings.ContainsFunc(authority, isDelimiterByNFKC) {
		return errPythonNFKC
	}
	host := setLogin(p, authority, strings.LastIndexByte(authority, '@'))
	var port string
	var hasPort bool
	if _, literal, ok := strings.Cut(host, "["); ok {
		literal, rest, _ := strings.Cut(literal, "]")
		host = literal
		_, port, hasPort = strings.Cut(rest, ":")
	} else {
		host, port, hasPort = strings.Cut(host, ":")
	}
	if port != "" {
		number, err := strconv.ParseUint(port, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || number > 65535 || port[0] == '+' {
			return errPythonPort
		}
	}
	p.Port = url.Part{Text: port, Present: hasPort}
	name, zone, scoped := strings.Cut(host, "%")
	p.Host = url.Some(strings.ToLower(name))
	if scoped {
		p.Host.Text += "%" + zone
	}
	return nil
}

// isPythonBracketed reports whether Python accepts hostport, the host and port of an authority that has brackets. If
// only the login has brackets, Python still requires the host to be an address.
func isPythonBracketed(hostport string) bool {
	before, rest, ok := strings.Cut(hostport, "[")
	if !ok {
		host, _, _ := strings.Cut(hostport, ":")
		return isPythonLiteral(host)
	}
	literal, port, _ := strings.Cut(rest, "]")
	return before == "" && (port == "" || port[0] == ':') && isPythonLiteral(literal)
}

// isPythonLiteral reports whether Python accepts literal, the text between brackets: an IPv6 address, or an address of
// another version such as "v1.x".
func isPythonLiteral(literal string) bool {
	if version, rest, ok := strings.Cut(literal, "."); ok && version != "" && version[0]|0x20 == 'v' {
		return len(version) > 1 && strings.Trim(version[1:], "0123456789abcdefABCDEF") == "" && rest != ""
	}
	address, err := netip.ParseAddr(literal)
	return err == nil && address.Is6() && !strings.Contains(address.Zone(), "%")
}

// isDelimiterByNFKC reports whether NFKC maps r to a text with a delimiter. Python refuses such a character in an
// authority.
func isDelimiterByNFKC(r rune) bool {
	return r >= utf8.RuneSelf && strings.ContainsRune(delimitersByNFKC, r)
}

// delimitersByNFKC are the characters whose NFKC form contains one of "/?#@:".
const delimitersByNFKC = "\u2047\u2048\u2049\u2100\u2101\u2105\u2106\u2a74\ufe13\ufe16\ufe55\ufe56\ufe5f\ufe6b\uff03\uff0f\uff1a\uff1f\uff20"
