package compare

import (
	"errors"
	"strconv"
	"strings"

	"locus/url"
)

// phpParts reads text as parse_url of PHP 8.5 does. testdata/php.jsonl has the answers of PHP.
func phpParts(text string) (url.Parts, error) {
	p, ok := parsePHP(text)
	if !ok {
		return p, errors.New("seriously malformed (PHP parse_url)")
	}
	return p, nil
}

// parsePHP returns the parts of text, or false if PHP refuses the text. It follows PHP's php_url_parse_ex2, in which
// the text around the first colon decides whether the text has a scheme or a port, or is relative.
func parsePHP(text string) (p url.Parts, ok bool) {
	colon := strings.IndexByte(text, ':')
	switch {
	case colon < 0:
		return phpRelative(p, text)
	case colon == 0:
		return phpPort(p, text, colon)
	case !isSchemeText(text[:colon]):
		if colon+1 < len(text) && colon < indexAny(text, "?#") {
			return phpPort(p, text, colon)
		}
		return phpRelative(p, text)
	}
	name, rest := text[:colon], text[colon+1:]
	if rest != "" && rest[0] != '/' {
		digits := leadingDigits(rest, 6)
		if digits < 6 && (digits == len(rest) || rest[digits] == '/') {
			return phpPort(p, text, colon)
		}
	}
	p.Scheme = url.Some(phpClean(name))
	switch {
	case rest == "":
		return p, true
	case !strings.HasPrefix(rest, "//"):
		return phpPath(p, rest), true
	case strings.EqualFold(name, "file") && strings.HasPrefix(rest, "///"):
		if len(rest) > 4 && rest[4] == ':' { // a drive letter
			return phpPath(p, rest[3:]), true
		}
		return phpPath(p, rest[2:]), true
	}
	return phpHost(p, rest[2:])
}

// phpRelative returns p with the parts of text, which has no scheme: "//" and an authority, or a path. It returns false
// if the authority has an empty host or an invalid port.
func phpRelative(p url.Parts, text string) (url.Parts, bool) {
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		return phpHost(p, rest)
	}
	return phpPath(p, text), true
}

// phpPort returns p with the parts of text, whose first colon may start a port. If the colon does not start a port, the
// text is relative. phpPort returns false if the colon is the last byte, if the port is over 65535, or if phpHost or
// phpRelative returns false.
func phpPort(p url.Parts, text string, colon int) (url.Parts, bool) {
	rest := text[colon+1:]
	digits := leadingDigits(rest, 6)
	switch {
	case 0 < digits && digits < 6 && (digits == len(rest) || rest[digits] == '/'):
		port, err := strconv.ParseUint(rest[:digits], 10, 16)
		if err != nil {
			return p, false
		}
		p.Port = url.Some(strconv.FormatUint(port, 10))
		return phpHost(p, strings.TrimPrefix(text, "//"))
	case rest == "":
		return p, false
	}
	return phpRelative(p, text)
}

// phpHost returns p with the parts of text, which starts with an authority. The last "@" ends the login. A port that p
// already has stays, unless it is 0. phpHost returns false if the host is empty or the port is invalid.
func phpHost(p url.Parts, text string) (url.Parts, bool) {
	end := indexAny(text, "/?#")
	host := setLogin(&p, text[:end], strings.LastIndexByte(text[:end], '@'))
	p.User.Text, p.Password.Text = phpClean(p.User.Text), phpClean(p.Password.Text)
	colon := strings.LastIndexByte(host, ':')
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		colon = -1
	}
	if colon >= 0 {
		if digits := host[colon+1:]; p.Port.Text == "" || p.Port.Text == "0" {
			port, ok := phpNumber(digits)
			if !ok {
				return p, false
			}
			p.Port = port
		}
		host = host[:colon]
	}
	if host == "" {
		return p, false
	}
	p.Host = url.Some(phpClean(host))
	if end == len(text) {
		return p, true
	}
	return phpPath(p, text[end:]), true
}

// phpNumber returns the port in s without leading zeros. It reads s as strtol does: white space, a sign, digits, and
// any text after the digits. If s is "", the port is present and empty. phpNumber returns false if the number is not
// from 0 to 65535, or if s has more than five bytes.
func phpNumber(s string) (url.Part, bool) {
	if s == "" {
		return url.Some(""), true
	}
	number := strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(number, "-")
	if strings.HasPrefix(number, "+") || negative {
		number = number[1:]
	}
	digits := leadingDigits(number, len(number))
	port, err := strconv.ParseUint(number[:digits], 10, 16)
	if len(s) > 5 || err != nil || negative && port > 0 {
		return url.Part{}, false
	}
	return url.Some(strconv.FormatUint(port, 10)), true
}

// phpPath returns p with the path, the query and the fragment of text, cleaned by phpClean.
func phpPath(p url.Parts, text string) url.Parts {
	setRest(&p, text)
	p.Path, p.Query.Text, p.Fragment.Text = phpClean(p.Path), phpClean(p.Query.Text), phpClean(p.Fragment.Text)
	return p
}

// phpClean returns s with control characters replaced by "_", as PHP does in every part.
func phpClean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, s)
}

// leadingDigits returns the number of digits with which s starts, but at most limit.
func leadingDigits(s string, limit int) int {
	n := 0
	for n < len(s) && n < limit && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
