package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// CSO is the view of a cso URL, which names a phone book or a query of it.
//
//	cso://host:105/?ada%20lovelace
//	                \____________/
//	                    Query
//
// No standard defines these URLs. Lynx reads them so:
//
//	csourl = "cso://" host [ ":" port ] [ "/" ] [ "?" query ]
//
// In a query "+" is a space, as in the searches of RFC 1630.
type CSO struct {
	Host
	Query url.Part // decoded
}

const csoRule = "lynx, cso"

// ParseCSO returns the view of a cso URL. It refuses a user, and a path other than "/".
func ParseCSO(u url.URL) (CSO, error) {
	host, err := plainHost(u, csoRule, "cso")
	if err != nil {
		return CSO{}, err
	}
	path, query, hasQuery := strings.Cut(u.PathAndQuery(), "?")
	if strings.Trim(path, "/") != "" {
		return CSO{}, pathFail(u, len(path)-len(strings.TrimLeft(path, "/")), csoRule, `"?" and a query`)
	}
	return CSO{Host: host, Query: url.Part{Text: ascii.Unescape(strings.ReplaceAll(query, "+", " ")), Present: hasQuery}}, nil
}

// URL returns the URL whose view is v.
func (v CSO) URL() url.URL {
	var b builder
	b.scheme("cso", "")
	b.server(v.Host)
	if v.Query.Present {
		b.WriteByte('?')
		b.escape(v.Query.Text, inQuery)
	}
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set].
func (v CSO) fields() fields {
	return fields{[]field{partField("query", &v.Query)}, func() View { return v }}
}
