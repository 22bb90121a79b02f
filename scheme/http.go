package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// HTTP is what an http or https URL means.
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
// Only the server knows what the escapes in Target mean. Path and Search are for
// people.
type HTTP struct {
	Scheme string // "http" or "https"; "" is "http"
	Host
	User     url.Part // RFC 1738 has none
	Password url.Part
	Target   string   // path and query, as they are written and sent; "" is "/". URL writes it, and not Path and Search
	Path     string   // Target's path, decoded, without its first slash
	Search   url.Part // Target's query, decoded
}

// ParseHTTP returns the view of an http or https URL.
//
// RFC 1630 lets "+" stand for a space in a query. In a URL read by RFC 1630
// such a space is "%20" in Target, so that it reads the same by every standard.
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

// plain1630 writes a path and a query of RFC 1630 so that they mean the same
// to RFC 3986: without "\"", and without "+" for a space.
func plain1630(s string) string {
	path, query, hasQuery := strings.Cut(strings.ReplaceAll(s, `"`, "%22"), "?")
	if !hasQuery {
		return path
	}
	return path + "?" + strings.ReplaceAll(query, "+", "%20")
}

// URL returns the URL that means v.
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
