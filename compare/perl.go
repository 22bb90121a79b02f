package compare

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"locus/internal/ascii"
	"locus/url"
)

// perlAllowed are the characters, besides letters and digits, that Perl does not escape.
const perlAllowed = ";/?:@&=+$,-_.!~*'()%"

// perlServers are the schemes whose hosts Perl writes in Punycode, with their default ports.
var perlServers = map[string]string{
	"ftp": "21", "ftpes": "21", "ftps": "990", "gopher": "70", "http": "80", "https": "443", "icap": "1344", "icaps": "11344",
	"irc": "6667", "ircs": "994", "ldap": "389", "ldaps": "636", "mms": "1755", "news": "119", "nntp": "119", "nntps": "563",
	"pop": "110", "rlogin": "513", "rsync": "873", "rtsp": "554", "rtspu": "554", "scp": "22", "sftp": "22", "sip": "5060",
	"sips": "5061", "smb": "445", "smtp": "25", "snews": "563", "ssh": "22", "telnet": "23", "tn3270": "23", "ws": "80", "wss": "443",
}

// perlParts reads text as URI->new of Perl's URI 5.40 does. It escapes the characters that may not stand in a URL, and
// its error is always nil. testdata/perl.jsonl has the answers of Perl.
func perlParts(text string) (p url.Parts, err error) {
	text = perlTrim(text)
	name := ""
	if colon := strings.IndexByte(text, ':'); colon >= 0 && ascii.IsScheme(text[:colon]) {
		name = strings.ToLower(text[:colon])
		p.Scheme = url.Some(name)
	}
	if _, ok := perlServers[name]; ok {
		text = perlPunycode(text)
	}
	text = perlBrackets(perlEscape(text), name)
	if strings.HasPrefix(name, "irc") {
		text = perlChannel(text)
	}
	before, fragment := cutPart(text, "#")
	p.Fragment = fragment
	rest := before
	if colon := indexAny(rest, ":/?#"); colon > 0 && colon < len(rest) && rest[colon] == ':' {
		rest = rest[colon+1:]
	}
	switch name {
	case "data", "mailto", "urn":
		p.Path, p.Query = cutPart(rest, "?")
		return p, nil
	case "sip", "sips":
		perlAuthority(&p, rest[:indexAny(rest, ";?")])
		_, p.Query = cutPart(rest, "?")
		return p, nil
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		end := indexAny(after, "/?")
		switch authority := after[:end]; {
		case name == "file":
			p.Host = url.Some(ascii.Unescape(authority))
		case name != "" || strings.HasPrefix(before, "//"):
			perlAuthority(&p, authority)
		}
		rest = after[end:]
	}
	p.Path, p.Query = cutPart(rest, "?")
	switch {
	case strings.HasPrefix(name, "ftp") && p.Query.Present:
		p.Path = rest
	case strings.HasPrefix(name, "irc") && strings.HasPrefix(p.Path, "/%23"):
		p.Path = "/#" + p.Path[len("/%23"):]
	}
	return p, nil
}

// perlTrim returns text without white space around it, after it has removed "<" and ">" around the text, "URL:" after
// the "<", and then double quotes around the text.
func perlTrim(text string) string {
	line := strings.TrimSuffix(text, "\n")
	if inner, ok := strings.CutPrefix(line, "<"); ok && strings.HasSuffix(inner, ">") && !strings.Contains(line, "\n") {
		text = strings.TrimSuffix(strings.TrimPrefix(inner, "URL:"), ">") + text[len(line):]
	}
	line = strings.TrimSuffix(text, "\n")
	if inner, ok := strings.CutPrefix(line, `"`); ok && strings.HasSuffix(inner, `"`) && !strings.Contains(line, "\n") {
		text = strings.TrimSuffix(inner, `"`) + text[len(line):]
	}
	return strings.TrimSpace(text)
}

// perlSplit divides a text such as "http://host/path" into the scheme with its colon, which may be absent, the
// authority and the text after it. The "//" is in none of them. ok is false if no "//" follows the scheme; authority is
// then "".
func perlSplit(text string) (before, authority, rest string, ok bool) {
	if colon := strings.IndexByte(text, ':'); colon >= 0 && ascii.IsScheme(text[:colon]) {
		before = text[:colon+1]
	}
	after, ok := strings.CutPrefix(text[len(before):], "//")
	if !ok {
		return before, "", after, false
	}
	end := indexAny(after, "/?#")
	return before, after[:end], after[end:], ok
}

// perlPunycode returns text with its host in Punycode, if the host has a character that a URL may not have. Otherwise,
// and if Punycode cannot encode the host, it returns text.
func perlPunycode(text string) string {
	before, host, rest, ok := perlSplit(text)
	if !ok {
		return text
	}
	login := ""
	for line := range strings.Lines(host) { // Perl looks for the login in one line
		if at := strings.LastIndexByte(line, '@'); at >= 0 {
			login = line[:at+1]
			host = strings.Replace(host, login, "", 1)
			break
		}
	}
	port := ""
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && colon+1 < len(host) && strings.TrimFunc(host[colon+1:], unicode.IsDigit) == "" {
		host, port = host[:colon], host[colon:]
	}
	if !strings.ContainsFunc(host, func(r rune) bool { return !isPerlAllowed(r) && r != '[' && r != ']' }) {
		return text
	}
	name, err := perlName(host)
	if err != nil {
		return text
	}
	return before + "//" + login + name + port + rest
}

var errPerlLabel = errors.New("a bad label")

// perlName returns name with its labels beyond ASCII in lower case and in Punycode. Labels in ASCII stay unchanged.
// Unlike IDNA, perlName does not map characters. The error is errPerlLabel if a label is empty, except at the end, or
// too long, or if it starts with "xn--" and has characters beyond ASCII.
func perlName(name string) (string, error) {
	labels := strings.Split(name, ".")
	for i, label := range labels {
		if label == "" && i == len(labels)-1 && i > 0 {
			continue
		}
		if isASCII := !strings.ContainsFunc(label, func(r rune) bool { return r >= utf8.RuneSelf }); !isASCII {
			label = norm.NFC.String(strings.ToLower(label))
			if strings.HasPrefix(label, "xn--") {
				return "", errPerlLabel
			}
			encoded, err := idna.Punycode.ToASCII(label)
			if err != nil || utf8.RuneCountInString(label) > 63 {
				return "", errPerlLabel
			}
			label = encoded
		}
		if label == "" || len(label) > 63 {
			return "", errPerlLabel
		}
		labels[i] = label
	}
	return strings.Join(labels, "."), nil
}

// isPerlAllowed reports whether Perl leaves r unescaped: a letter or a digit of ASCII, or one of perlAllowed.
func isPerlAllowed(r rune) bool {
	return r < utf8.RuneSelf && (isAlphanumeric(byte(r)) || strings.IndexByte(perlAllowed, byte(r)) >= 0)
}

// perlEscape returns text with every byte escaped that is neither "#" nor allowed by isPerlAllowed.
func perlEscape(text string) string {
	var b []byte
	for i := range len(text) {
		if c := text[i]; c == '#' || isPerlAllowed(rune(c)) {
			b = append(b, c)
		} else {
			b = ascii.AppendEscape(b, c)
		}
	}
	return string(b)
}

// perlBrackets returns text with the escapes of "[" and "]" in the host decoded, because perlEscape has also escaped
// the brackets of an IPv6 address. In a mailto URL it decodes every escaped bracket.
func perlBrackets(text, scheme string) string {
	decode := strings.NewReplacer("%5B", "[", "%5b", "[", "%5D", "]", "%5d", "]").Replace
	switch {
	case scheme == "mailto":
		return decode(text)
	case slices.Contains([]string{"data", "ldapi", "urn", "sqlite", "sqlite3"}, scheme):
		return text
	}
	before, authority, rest, ok := perlSplit(text)
	if !ok {
		return text
	}
	at := strings.LastIndexByte(authority, '@') + 1
	return before + "//" + authority[:at] + decode(authority[at:]) + rest
}

// perlChannel returns text, an irc URL, with a "#" directly after the first "/" of the path escaped, because it starts
// the name of a channel.
func perlChannel(text string) string {
	before, authority, rest, ok := perlSplit(text)
	if ok {
		before += "//"
	}
	if channel, ok := strings.CutPrefix(rest, "/#"); ok {
		rest = "/%23" + channel
	}
	return before + authority + rest
}

// perlAuthority sets the login, the host and the port of p to the parts of authority. The last "@" ends the login. Text
// after a colon that is not all digits belongs to the host. An empty port, and the default port of the scheme in p, are
// left out.
func perlAuthority(p *url.Parts, authority string) {
	host := setLogin(p, authority, strings.LastIndexByte(authority, '@'))
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && strings.Trim(host[colon+1:], ascii.Digits) == "" {
		p.Port = partOf(host[colon+1:])
		host = host[:colon]
	}
	if p.Port.Text == perlServers[p.Scheme.Text] {
		p.Port = url.Part{}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok && strings.HasSuffix(inner, "]") {
		host = strings.TrimSuffix(inner, "]")
	}
	p.Host = url.Some(ascii.Unescape(host))
}
