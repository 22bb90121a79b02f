package compare

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// The functions of this file are used by several of the models.

// indexAny returns the index of the first byte of s that is one of bytes. Unlike strings.IndexAny it returns len(s),
// and not -1, if s has no such byte.
func indexAny(s, bytes string) int {
	if i := strings.IndexAny(s, bytes); i >= 0 {
		return i
	}
	return len(s)
}

// cutPart cuts s around the first delimiter. after is the text after it, or an absent part if s has no delimiter.
func cutPart(s, delimiter string) (before string, after url.Part) {
	before, text, ok := strings.Cut(s, delimiter)
	return before, url.Part{Text: text, Present: ok}
}

// setRest sets the path, the query and the fragment of p from rest, the text after the authority.
func setRest(p *url.Parts, rest string) {
	rest, p.Fragment = cutPart(rest, "#")
	p.Path, p.Query = cutPart(rest, "?")
}

// setLogin sets the user and the password of p to the text before authority[at], which is an "@", and returns the text
// after the "@". If at is -1, it leaves p and returns authority.
func setLogin(p *url.Parts, authority string, at int) (host string) {
	if at < 0 {
		return authority
	}
	user, password := cutPart(authority[:at], ":")
	p.User, p.Password = url.Some(user), password
	return authority[at+1:]
}

// setPort sets the port of p to the text after the first ":" outside brackets, and returns the host before the ":". The
// host keeps its brackets. ok is false if a bracket is not closed, or if text other than a port follows it.
func setPort(p *url.Parts, hostport string) (host string, ok bool) {
	if !strings.HasPrefix(hostport, "[") {
		host, p.Port = cutPart(hostport, ":")
		return host, true
	}
	end := strings.IndexByte(hostport, ']') + 1
	before, port := cutPart(hostport[end:], ":")
	p.Port = port
	return hostport[:end], end > 0 && before == ""
}

// isSchemeText reports whether s is a scheme. Unlike ascii.IsScheme, it also accepts a scheme that starts with a digit,
// "+", "-" or ".".
func isSchemeText(s string) bool {
	return s != "" && strings.Trim(s, ascii.Letters+ascii.Digits+"+-.") == ""
}

func isAlphanumeric(c byte) bool { return ascii.IsDigit(c) || ascii.IsLetter(c) }
