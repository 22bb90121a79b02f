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
	Target   string   // path and query, as clients send them; "" means "/". URL uses Target and ignores Path and Search
	Path     string   // Target's path, decoded, without its first slash
	Search   url.Part // Target's query, decoded
}

// ParseHTTP returns the view of an http or https URL.
//
// RFC 1630 lets "+" stand for a space in a query, so Search has a space for it if u was read by RFC 1630. RFC 1630 also
// allows "\"" in URLs. Target has "%22" for it, because a request cannot contain it.
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
		v.Target = strings.ReplaceAll(v.Target, `"`, "%22")
	}
	path, query, hasQuery := strings.Cut(v.Target, "?")
	if path == "" {
		v.Target = "/" + v.Target
	}
	v.Path = ascii.Unescape(strings.TrimPrefix(path, "/"))
	if u.Standard() == url.RFC1630 {
		query = strings.ReplaceAll(query, "+", " ")
	}
	v.Search = decoded(query, hasQuery)
	return v, nil
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
