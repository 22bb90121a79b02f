package whatwg

import (
	"locus/internal/facts"
	"locus/url"
)

// Fields are the parts of a URL as the URL Standard's API names them, each with
// the delimiters that the API gives it.
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

// FieldsOf returns the fields of u, which must be a result of this package. An
// empty query or fragment is the same in them as none; Href tells them apart.
func FieldsOf(u url.URL) Fields {
	r := decompose(u)
	return Fields{
		Href: u.String(), Origin: Origin(u), Protocol: r.scheme + ":", Username: r.username, Password: r.password,
		Host: r.hostAndPort(), Hostname: r.host, Port: r.port, Pathname: r.path,
		Search: delimited('?', r.query), Hash: delimited('#', r.fragment),
	}
}

func (r *record) hostAndPort() string {
	if r.port == "" {
		return r.host
	}
	return r.host + ":" + r.port
}

func delimited(by byte, p url.Part) string {
	if p.Text == "" {
		return ""
	}
	return string(by) + p.Text
}

// Origin returns the origin of u in its ASCII form, such as
// "https://example.org"; "null" if it is opaque. The origin of a blob URL is
// that of the http or https URL in its path. u must be a result of this
// package. Origins that are "null" are not the same origin.
func Origin(u url.URL) string {
	r := decompose(u)
	if port, special := defaultPort(r.scheme); special && port >= 0 { // file's origin is opaque
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
