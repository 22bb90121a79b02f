package access

import (
	"io/fs"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// A location identifies the server and the path of a resource. URLs that differ only in
// their escapes, their user or the type of the resource have the same location.
type location struct {
	scheme, host string   // in lower case; host with its port, if the URL has one
	path         []string // decoded segments; for a directory the last is empty
}

// locationOf returns the location of u. It is the zero location if u does not name a path
// at a server.
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
	case "afs":
		v, err := scheme.ParseAFS(u)
		if err != nil {
			return location{}
		}
		l.path = v.Path()
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

// segmentsOf returns the decoded segments of path, without the slash at its start.
func segmentsOf(path string) []string {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range segments {
		segments[i] = ascii.Unescape(segments[i])
	}
	return segments
}

// isSame reports whether l and m are equal. The zero location is not equal to itself,
// because it stands for URLs that cannot be compared.
func (l location) isSame(m location) bool {
	return l.scheme != "" && l.scheme == m.scheme && l.host == m.host && slices.Equal(l.path, m.path)
}

// nameOf returns the name of e in the directory l. It returns false if e is not a file or directory
// directly in l.
func (l location) nameOf(e Entry) (name string, ok bool) {
	switch e.Kind {
	case Search, Form, Terminal, Info, Failure:
		return "", false // the name alone does not open it
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

// protocolOf returns the protocol that opens u. For file and afs it is the name of the
// scheme.
func protocolOf(u url.URL) string {
	if name := u.Scheme(); name == "file" || name == "afs" {
		return name
	}
	return facts.Of(u.Scheme()).Protocol
}

// prefixOf returns the text with which the URLs of all files in the directory at u begin. It ends
// in "/".
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
		text, _, _ = strings.Cut(text, "%09") // the end of the selector
		if path := u.PathAndQuery(); path == "" || path == "/" {
			text = strings.TrimSuffix(text, "/") + "/1"
		}
	}
	return strings.TrimSuffix(text, "/") + "/"
}

// rootOf returns the URL that opens base as a directory, with its query over http and
// its search over gopher.
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

// escape returns s with every byte escaped except for letters, digits, "-", "." and "_", because a
// scheme may reserve any other byte.
func escape(s string) string { return url.Escape(s, url.RFC3986.Unreserved().Without("~")) }
