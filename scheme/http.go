package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// HTTP is the view of an http or https URL.
//
//	http://host:80/over/there?name=ferret
//	              \_____________________/
//	               Target
//	                \________/ \_________/
//	                   Path      Search
//
// RFC 1738 §5:
//
//	httpurl  = "http://" hostport [ "/" hpath [ "?" search ]]
//	hpath    = hsegment *[ "/" hsegment ]
//	hsegment = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//	search   = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//
// Only the server knows the meaning of the escapes in Target, so clients send Target. Path and Search are for display.
type HTTP struct {
	Scheme string // "http" or "https"; "" means "http"
	Host
	User     url.Part // always absent in a URL that fits RFC 1738
	Password url.Part
	Target   string   // path and query, as they are written and sent; "" means "/". URL uses Target and ignores Path and Search
	Path     string   // Target's path, decoded, without its first slash
	Search   url.Part // Target's query, decoded
}

// ParseHTTP returns the view of an http or https URL.
//
// RFC 1630 lets "+" stand for a space in a query. In a URL read by RFC 1630, Target has "%20" for such a space, so
// that every standard reads it alike.
func ParseHTTP(u url.URL) (HTTP, error) {
	host, err := hostPort(u, "RFC 1738 §3.3", "http", "https")
	if err != nil {
		return HTTP{}, err
	}
	v := HTTP{Scheme: u.Scheme(), Host: host}
	v.User = decoded(u.User())
	v.Password = decoded(u.Password())
	v.Target = u.PathAndQuery()
	if u.Standard() == url.RFC1630 {
		v.Target = plain1630(v.Target)
	}
	path, query, hasQuery := strings.Cut(v.Target, "?")
	if path == "" {
		v.Target = "/" + v.Target
	}
	v.Path = ascii.Unescape(strings.TrimPrefix(path, "/"))
	v.Search = decoded(query, hasQuery)
	return v, nil
}

// plain1630 rewrites a path and query of RFC 1630 so that RFC 3986 gives them the same meaning. It escapes "\"", and
// it replaces "+" in the query by an escaped space.
func plain1630(s string) string {
	path, query, hasQuery := strings.Cut(strings.ReplaceAll(s, `"`, "%22"), "?")
	if !hasQuery {
		return path
	}
	return path + "?" + strings.ReplaceAll(query, "+", "%20")
}

// URL returns the URL whose view is v.
func (v HTTP) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "http")
	b.authority(v.Host, v.User, v.Password)
	if !strings.HasPrefix(v.Target, "/") {
		b.WriteByte('/')
	}
	b.written(v.Target, inWritten)
	return b.url()
}
