package whatwg

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// readHref returns the URL of a text that is an href and also valid by RFC 3986. It returns false for any other text,
// and for some hrefs, such as one with an IPv6 address. A machine has to read these.
func readHref(s string) (u url.URL, ok bool) {
	if host, path, isWeb := plainWeb(s); isWeb && isPlainTail(s, path) {
		return hrefs.DivideWeb(s, host, path)
	}
	u, ok = hrefs.Divide(s)
	return u, ok && isPlain(&u)
}

// isPlainTail reports whether the parser would leave s[path:] unchanged. s must be a URL that plainWeb accepts and
// that is valid by RFC 3986, and path is the start of its path.
func isPlainTail(s string, path int) bool {
	return isSettled(s, path) || strings.IndexByte(s, '\'') < 0 && !hasDotSegment(s[path:])
}

// isSettled reports whether s[i:] contains neither "'" nor a segment that starts with "." or "%". The parser leaves
// such a path, with its query and fragment, unchanged, because every dot segment starts with "." or "%". s must be
// ASCII and have at least eight bytes.
func isSettled(s string, i int) bool {
	const noSlash = 0x80
	good, before := uint64(ascii.Tops), uint64(noSlash) // before: what is before the word
	for ; i < len(s); i += 8 {
		if i > len(s)-8 {
			i, before = len(s)-8, noSlash // the last eight bytes; the first of them has been checked
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

// plainWeb returns the offsets of the host and of the path of an http or https URL that has a path and neither a login
// nor a port, and whose host the parser would leave unchanged. It returns false for any other text.
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

// webHost returns the offset of the authority of an http or https URL, or 0 if s does not start like one.
func webHost(s string) int {
	switch {
	case strings.HasPrefix(s, "https://"):
		return len("https://")
	case strings.HasPrefix(s, "http://"):
		return len("http://")
	}
	return 0
}

// isPlainHost reports whether the host of a special URL is an ASCII name or an IPv4 address, written as the serializer
// writes it.
func isPlainHost(host string) bool {
	return indexIn(host, 0, notPlainHost) == len(host) && (endsInName(host) || isQuad(host))
}

// isPlain reports whether the parser would leave u unchanged. u must be valid by RFC 3986, which leaves few checks to
// do: of the bytes that RFC 3986 allows, the parser escapes only "'" in the query of a special URL and some bytes in a
// user name.
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
	case (hasHost || strings.HasPrefix(path, "/")) && hasDotSegment(path):
		return false
	case !special:
		return true
	}
	query, _ := u.Query()
	return strings.IndexByte(query, '\'') < 0
}

// isPlainAuthority reports whether the parser would leave the authority of u unchanged. special says whether the
// scheme is special, and standard is its default port.
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

// isPlainLogin reports whether the parser would leave the login of u unchanged.
func isPlainLogin(u *url.URL) bool {
	user, _ := u.User()
	password, hasPassword := u.Password()
	return (user != "" || password != "") && hasPassword == (password != "") &&
		indexIn(user, 0, UserinfoSet) == len(user) && indexIn(password, 0, UserinfoSet) == len(password)
}

// endsInName reports whether the last label of a host starts with a letter, so that the host is not an IPv4 address. It
// is false for a host that ends in a dot.
func endsInName(host string) bool {
	label := host[strings.LastIndexByte(host, '.')+1:]
	return label != "" && ascii.IsLetter(label[0])
}

// isQuad reports whether a host is an IPv4 address, written as the serializer writes it.
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

// hasDotSegment reports whether a path contains a "/" before a segment "." or "..", escaped or not.
func hasDotSegment(path string) bool {
	for i := 0; ; i++ {
		dot := strings.IndexByte(path[i:], '.')
		if dot < 0 {
			break
		}
		if i += dot; i > 0 && path[i-1] == '/' && startsWithDotSegment(path[i:]) {
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
		if rest = rest[i+1:]; startsWithDotSegment(rest) {
			return true
		}
	}
}

// startsWithDotSegment reports whether the first segment of a path is "." or "..", escaped or not. A query or fragment
// may follow the path.
func startsWithDotSegment(path string) bool {
	if end := strings.IndexAny(path, "/?#"); end >= 0 {
		path = path[:end]
	}
	return ascii.Dots(path) > 0
}

// isPlainPort reports whether the parser would leave a port unchanged: it is a number below 65536 without leading
// zeros, and not standard, the default port of the scheme.
func isPlainPort(port string, standard int) bool {
	number, decimal, ok := parseIPv4Number(port)
	return ok && decimal && number < 1<<16 && int(number) != standard
}

// indexIn returns the index of the first byte of s at or after i that is in the set, or len(s).
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

// inEight returns the sets to which at least one of the first eight bytes of s belongs. s must have at least eight
// bytes.
func inEight(s string) Set {
	_ = s[7]
	return setsOf[s[0]] | setsOf[s[1]] | setsOf[s[2]] | setsOf[s[3]] |
		setsOf[s[4]] | setsOf[s[5]] | setsOf[s[6]] | setsOf[s[7]]
}

// tidyHref returns the URL of the text that [tidy] makes of u, an absolute URL that is valid by RFC 3986 but not an
// href. It returns false if tidy changes nothing, or if readHref does not accept the changed text.
func tidyHref(u *url.URL) (url.URL, bool) {
	text, ok := tidy(u)
	if !ok {
		return url.URL{}, false
	}
	return readHref(text)
}

// tidy returns the text of u with one change that brings it closer to its href: it adds the path "/", removes an empty
// login or an empty password, or rewrites the start of a file URL. The parser reads the result as it reads u. tidy
// returns false if none of these changes applies.
func tidy(u *url.URL) (string, bool) {
	s, scheme := u.String(), u.Part(url.Scheme).Text
	host, hostEnd, ok := u.Span(url.Host)
	path, pathEnd, _ := u.Span(url.Path)
	switch {
	case scheme == "file" && (!ok || s[:path] == "file://localhost"):
		return tidyFile(s[path:]), true
	case host >= hostEnd:
		return "", false // the host is empty, or is probably missing
	case path == pathEnd && isSpecial(scheme):
		return s[:path] + "/" + s[path:], true
	case s[host-1] == '@' && scheme != "file":
		return tidyLogin(u, s, host-1)
	}
	return "", false
}

// tidyFile returns the file URL with an empty host and the path. The query and the fragment may follow the path.
func tidyFile(path string) string {
	if strings.HasPrefix(path, "/") {
		return "file://" + path
	}
	return "file:///" + path
}

// tidyLogin returns s, the text of u, without the ":" of an empty password, or without the login if the user name is
// empty too. s[at] is the "@". It returns false if the login has a password, or a user name without a ":".
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
