package access

import (
	"io/fs"
	"slices"
	"strings"

	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// A location says where the resource of a URL is. URLs that differ only in how
// they are written, in who logs in or in the type of the resource have the same
// location.
type location struct {
	scheme, host string   // in lower case; host with its port, if the URL has one
	path         []string // decoded segments; the last one of a directory is empty
}

// locationOf returns the location of u. It is the zero location if u has none.
func locationOf(u url.URL) location {
	l := location{scheme: u.Scheme()}
	switch protocolOf(u) {
	case "ftp":
		v, err := scheme.ParseFTP(u)
		if err != nil {
			return location{}
		}
		l.path = append(v.Dirs, v.Name)
	case "gopher":
		v, err := scheme.ParseGopher(u)
		if err != nil {
			return location{}
		}
		l.path = strings.Split(strings.TrimPrefix(v.Selector, "/"), "/")
	case "file":
		v, err := scheme.ParseFile(u)
		if err != nil {
			return location{}
		}
		if !v.IsLocal() {
			l.host = strings.ToLower(v.Host.Text)
		}
		l.path = v.Segments
		return l
	case "http":
		l.path = segmentsOf(u.Path())
	default:
		l.path = segmentsOf(u.PathAndQuery())
	}
	host, ok := u.Host()
	if !ok {
		return location{}
	}
	l.host = strings.ToLower(host)
	if port, ok := u.Port(); ok {
		l.host += ":" + port
	}
	return l
}

// segmentsOf returns what stands between the slashes of path, decoded.
func segmentsOf(path string) []string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range segments {
		segments[i] = unescape(segments[i])
	}
	return segments
}

// isSame reports whether l and m are the same place. The zero location is none.
func (l location) isSame(m location) bool {
	return l.scheme != "" && l.scheme == m.scheme && l.host == m.host && slices.Equal(l.path, m.path)
}

// nameOf returns the name in the directory l of the file that e leads to. ok is
// false if that is no file directly in l.
func (l location) nameOf(e Entry) (name string, ok bool) {
	switch e.Kind {
	case Search, Form, Terminal, Info, Failure:
		return "", false // its name alone does not open it
	}
	if _, has := e.URL.Query(); has && isWeb(e.URL) {
		return "", false
	}
	m := locationOf(e.URL)
	if n := len(m.path); n > 1 && m.path[n-1] == "" {
		m.path = m.path[:n-1]
	}
	if len(m.path) == 0 {
		return "", false
	}
	last := len(m.path) - 1
	name, m.path = m.path[last], append(m.path[:last:last], "")
	return name, m.isSame(l) && fs.ValidPath(name) && name != "." && !strings.Contains(name, "/")
}

// protocolOf returns what is spoken to open u: "file" for file URLs.
func protocolOf(u url.URL) string {
	if name := u.Scheme(); name == "file" {
		return name
	}
	return facts.Of(u.Scheme()).Protocol
}

// prefixOf returns the text that the URLs of what is in the directory at u start
// with. It ends in "/".
func prefixOf(u url.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	switch protocolOf(u) {
	case "http":
		text, _, _ = strings.Cut(text, "?")
	case "ftp":
		if v, err := scheme.ParseFTP(u); err == nil && v.Type != "" {
			text = text[:strings.LastIndexByte(text, ';')]
		}
	case "gopher":
		text, _, _ = strings.Cut(text, "%09") // what follows the selector
		if path := u.PathAndQuery(); path == "" || path == "/" {
			text = strings.TrimSuffix(text, "/") + "/1"
		}
	}
	return strings.TrimSuffix(text, "/") + "/"
}

// rootOf returns the URL that opens base as a directory: with its query, over
// http, and its search, over gopher.
func rootOf(base url.URL) string {
	prefix := prefixOf(base)
	switch protocolOf(base) {
	case "http":
		if query, has := base.Query(); has {
			return prefix + "?" + query
		}
	case "gopher":
		if v, err := scheme.ParseGopher(base); err == nil && v.Search.Present {
			text, _, _ := strings.Cut(base.String(), "#")
			return text
		}
	}
	return prefix
}

// escape returns s with every byte escaped that some scheme may reserve.
func escape(s string) string { return url.Escape(s, plain) }

var plain = url.RFC3986.Unreserved().Without("~")

// unescape returns s, a part of a URL, decoded.
func unescape(s string) string {
	decoded, err := url.Unescape(s)
	if err != nil { // no part of a URL has a bad escape
		return s
	}
	return decoded
}
