package whatwg

import (
	"strings"

	"locus/url"
)

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
