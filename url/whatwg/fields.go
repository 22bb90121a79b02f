package whatwg

import (
	"locus/internal/facts"
	"locus/url"
)

// Fields are the parts of a URL under the names of the URL Standard's API. Each part includes the delimiters that the
// API includes.
type Fields struct {
	Href     string `json:"href"`
	Origin   string `json:"origin"`   // "null" if opaque
	Protocol string `json:"protocol"` // with its ":"
	Username string `json:"username"`
	Password string `json:"password"`
	Host     string `json:"host"` // with the port
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Pathname string `json:"pathname"`
	Search   string `json:"search"` // with its "?"; "" if empty
	Hash     string `json:"hash"`   // with its "#"; "" if empty
}

// FieldsOf returns the fields of u, which must be a result of this package. An empty query or fragment looks like an
// absent one in the fields; only Href distinguishes them.
func FieldsOf(u url.URL) Fields {
	r := decompose(u)
	return Fields{
		Href: u.String(), Origin: Origin(u), Protocol: r.scheme + ":", Username: r.username, Password: r.password,
		Host: r.hostAndPort(), Hostname: r.host, Port: r.port, Pathname: r.path,
		Search: delimited('?', r.query), Hash: delimited('#', r.fragment),
	}
}

// hostAndPort returns the host, followed by ":" and the port if the port is not empty.
func (r *record) hostAndPort() string {
	if r.port == "" {
		return r.host
	}
	return r.host + ":" + r.port
}

// delimited returns the text of p with the delimiter by before it, or "" if the text is absent or empty.
func delimited(by byte, p url.Part) string {
	if p.Text == "" {
		return ""
	}
	return string(by) + p.Text
}

// Origin returns the origin of u in its ASCII form, such as "https://example.org", or "null" if the origin is opaque.
// The origin of a blob URL is the origin of the http or https URL in its path. u must be a result of this package. Two
// origins that are "null" are different origins.
func Origin(u url.URL) string {
	r := decompose(u)
	if port, special := defaultPort(r.scheme); special && port >= 0 { // because the origin of a file URL is opaque
		return r.scheme + "://" + r.hostAndPort()
	}
	if r.scheme == "blob" {
		inner, err := Parse(r.path)
		if err == nil && facts.Of(inner.Scheme()).Protocol == "http" {
			return Origin(inner)
		}
	}
	return "null"
}
