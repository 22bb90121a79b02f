package whatwg

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// readHref returns the URL of a text that is an href and valid by RFC 3986 too. It may
// return false for an href, such as one with an IPv6 address; then the machine decides.
func readHref(s string) (u url.URL, ok bool) {
	if host, path, isWeb := plainWeb(s); isWeb && isPlainTail(s, path) {
		return hrefs.DivideWeb(s, host, path)
	}
	u, ok = hrefs.Divide(s)
	return u, ok && isPlain(&u)
}

// isPlainTail reports whether the parser would change nothing from s[path] on, where the
// path starts. s is the URL of plainWeb, and valid by RFC 3986.
func isPlainTail(s string, path int) bool {
	return isSettled(s, path) || strings.IndexByte(s, '\'') < 0 && !hasDots(s[path:])
}

// isSettled reports whether from s[i] on there is no "'" and no segment that starts
// with "." or "%", as a segment "." or ".." would. s has eight bytes or more. If they
// are not ASCII, the result means nothing.
func isSettled(s string, i int) bool {
	const noSlash = 0x80
	good, before := uint64(ascii.Tops), uint64(noSlash) // before: what is before the word
	for ; i < len(s); i += 8 {
		if i > len(s)-8 {
			i, before = len(s)-8, noSlash // the last eight bytes, of which the first was looked at
		}
		word := ascii.Word(s[i:])
		slash := ascii.Except(word, '/')
		good &= ascii.Except(word, '\'') & (before | slash<<8 | ascii.Except(word, '.')&ascii.Except(word, '%'))
		before = slash >> 56
	}
	return good == ascii.Tops
}

// inHosts are the lower-case letters, the digits, "-" and ".".
var inHosts = ascii.NewLanes('0', '9', '-', '.').WithoutCapitals()

// plainWeb returns where the host and the path start, if s is an http or https URL
// with a plain host and no port.
func plainWeb(s string) (host, path int, ok bool) {
	if host = webHost(s); host == 0 {
		return 0, 0, false
	}
	path = inHosts.Skip(s, host)
	if path == len(s) || s[path] != '/' {
		return 0, 0, false
	}
	return host, path, endsInName(s[host:path]) || isQuad(s[host:path])
}

// webHost returns where the authority of an http or https URL starts; 0 if s starts like
// none.
func webHost(s string) int {
	switch {
	case strings.HasPrefix(s, "https://"):
		return len("https://")
	case strings.HasPrefix(s, "http://"):
		return len("http://")
	}
	return 0
}

// isPlainHost reports whether a special URL's host is an ASCII name or an IPv4
// address as the serializer writes it.
func isPlainHost(host string) bool {
	return indexIn(host, 0, notPlainHost) == len(host) && (endsInName(host) || isQuad(host))
}

// isPlain reports whether the parser would change nothing in u, which must be valid by
// RFC 3986 too. Few checks are left after RFC 3986. Of the bytes that it allows, the
// parser escapes "'" in the query of a special URL, and some in a user name.
func isPlain(u *url.URL) bool {
	scheme := u.Part(url.Scheme).Text
	if scheme == "" || indexIn(scheme, 0, notPlainScheme) < len(scheme) {
		return false
	}
	port, special := defaultPort(scheme)
	path := u.Path()
	_, hasHost := u.Host()
	switch {
	case special && (!hasHost || path == ""):
		return false
	case hasHost && !isPlainAuthority(u, scheme, special, port):
		return false
	case (hasHost || strings.HasPrefix(path, "/")) && hasDots(path):
		return false
	case !special:
		return true
	}
	query, _ := u.Query()
	return strings.IndexByte(query, '\'') < 0
}

// isPlainAuthority reports whether the parser would not change the authority of u.
// standard is the default port of the scheme.
func isPlainAuthority(u *url.URL, scheme string, special bool, standard int) bool {
	host, _ := u.Host()
	port, hasPort := u.Port()
	_, hasLogin := u.User()
	isBare := !hasPort && !hasLogin
	switch {
	case hasLogin && !isPlainLogin(u), hasPort && !isPlainPort(port, standard), strings.HasPrefix(host, "["):
		return false
	case host == "":
		return isBare && (!special || scheme == "file")
	case !special:
		return true
	case scheme == "file" && (!isBare || host == "localhost"):
		return false
	}
	return isPlainHost(host)
}

// isPlainLogin reports whether the parser would not change the login of u.
func isPlainLogin(u *url.URL) bool {
	user, _ := u.User()
	password, hasPassword := u.Password()
	return (user != "" || password != "") && hasPassword == (password != "") &&
		indexIn(user, 0, UserinfoSet) == len(user) && indexIn(password, 0, UserinfoSet) == len(password)
}

// endsInName reports whether the last label of a host starts with a letter. Such a
// host is no IPv4 address.
func endsInName(host string) bool {
	label := host[strings.LastIndexByte(host, '.')+1:]
	return label != "" && ascii.IsLetter(label[0])
}

// isQuad reports whether a host is an IPv4 address as the serializer writes it.
func isQuad(host string) bool {
	groups := 0
	for group := range strings.SplitSeq(host, ".") {
		if number, decimal, ok := parseIPv4Number(group); !ok || !decimal || number > 255 {
			return false
		}
		groups++
	}
	return groups == 4
}

// hasDots reports whether a path has a segment "." or "..", escaped or not.
func hasDots(path string) bool {
	for i := 0; ; i++ {
		dot := strings.IndexByte(path[i:], '.')
		if dot < 0 {
			break
		}
		if i += dot; i > 0 && path[i-1] == '/' && startsWithDots(path[i:]) {
			return true
		}
	}
	if strings.IndexByte(path, '%') < 0 {
		return false
	}
	for rest := path; ; {
		i := strings.Index(rest, "/%2")
		if i < 0 {
			return false
		}
		if rest = rest[i+1:]; startsWithDots(rest) {
			return true
		}
	}
}

// startsWithDots reports whether the first segment of a path is "." or "..", escaped
// or not. A query or fragment may follow the path.
func startsWithDots(path string) bool {
	if end := strings.IndexAny(path, "/?#"); end >= 0 {
		path = path[:end]
	}
	return ascii.Dots(path) > 0
}

// isPlainPort reports whether the parser would not change a port.
func isPlainPort(port string, standard int) bool {
	number, decimal, ok := parseIPv4Number(port)
	return ok && decimal && number < 1<<16 && int(number) != standard
}

// indexIn returns the offset of the first byte of s[i:] that is in the set; len(s) if
// there is none.
func indexIn(s string, i int, set Set) int {
	for ; len(s)-i >= 8; i += 8 {
		if inEight(s[i:])&set != 0 {
			break
		}
	}
	if rest := len(s) - 8; i > rest && rest >= 0 && inEight(s[rest:])&set == 0 {
		return len(s)
	}
	for i < len(s) && setsOf[s[i]]&set == 0 {
		i++
	}
	return i
}

// inEight returns the sets that any of the first eight bytes of s is in.
func inEight(s string) Set {
	_ = s[7]
	return setsOf[s[0]] | setsOf[s[1]] | setsOf[s[2]] | setsOf[s[3]] |
		setsOf[s[4]] | setsOf[s[5]] | setsOf[s[6]] | setsOf[s[7]]
}

// tidyHref makes the commonest changes to an absolute URL that is valid by RFC 3986
// too. It returns false if the result is no href at a glance.
func tidyHref(u *url.URL) (url.URL, bool) {
	text, ok := tidy(u)
	if !ok {
		return url.URL{}, false
	}
	return readHref(text)
}

// tidy makes one change towards the href of u. The parser reads the result as it
// reads u. tidy returns false if it changes nothing.
func tidy(u *url.URL) (string, bool) {
	s, scheme := u.String(), u.Part(url.Scheme).Text
	host, hostEnd, ok := u.Span(url.Host)
	path, pathEnd, _ := u.Span(url.Path)
	switch {
	case scheme == "file" && (!ok || s[:path] == "file://localhost"):
		return tidyFile(s[path:]), true
	case host >= hostEnd:
		return "", false // it is none, or probably missing
	case path == pathEnd && isSpecial(scheme):
		return s[:path] + "/" + s[path:], true
	case s[host-1] == '@' && scheme != "file":
		return tidyLogin(u, s, host-1)
	}
	return "", false
}

// tidyFile returns the file URL without a host that has the path, which the query
// and the fragment may follow.
func tidyFile(path string) string {
	if strings.HasPrefix(path, "/") {
		return "file://" + path
	}
	return "file:///" + path
}

// tidyLogin removes the ":" of an empty password, and the "@" of an empty login. The
// "@" is s[at].
func tidyLogin(u *url.URL, s string, at int) (string, bool) {
	user, _ := u.User()
	password, hasPassword := u.Password()
	switch {
	case password != "", user != "" && !hasPassword:
		return "", false
	case user != "":
		return s[:at-len(":")] + s[at:], true
	}
	return strings.TrimSuffix(s[:at], ":") + s[at+1:], true
}
