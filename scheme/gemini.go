package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Gemini is the view of a gemini URL.
//
//	gemini://host:1965/tea/search?green%20leaves
//	                  \_________/ \____________/
//	                   Segments       Input
//
// Gemini network protocol 0.24.1, "The use of the URI scheme":
//
//	geminiurl = "gemini://" host [ ":" port ] path-abempty [ "?" query ]
//
// A gemini URL has no user. The query is the input that the server has asked for. A "+" in it is a plus sign.
type Gemini struct {
	Host
	Segments []string // the decoded segments of the path; never empty, because an empty path means "/"
	Input    url.Part // decoded
}

const geminiRule = "Gemini 0.24.1"

// ParseGemini returns the view of a gemini URL. It refuses a user.
func ParseGemini(u url.URL) (Gemini, error) {
	host, err := plainHost(u, geminiRule, "gemini")
	if err != nil {
		return Gemini{}, err
	}
	path, query, hasQuery := strings.Cut(u.PathAndQuery(), "?")
	if path == "" {
		path = "/"
	}
	if path[0] != '/' {
		return Gemini{}, pathFail(u, 0, geminiRule, `a "/" before the path`)
	}
	return Gemini{Host: host, Segments: segments(path[1:]), Input: url.Part{Text: ascii.Unescape(query), Present: hasQuery}}, nil
}

// URL returns the URL whose view is v.
func (v Gemini) URL() url.URL {
	var b builder
	b.scheme("gemini", "")
	b.authority(v.Host, url.Part{}, url.Part{})
	b.segments(v.Segments...)
	if v.Segments == nil {
		b.WriteByte('/')
	}
	if v.Input.Present {
		b.WriteByte('?')
		b.escape(v.Input.Text, inQuery)
	}
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the segments leaves one empty segment, which is
// the root of the server.
func (v Gemini) fields() fields {
	return fields{[]field{
		listField("segments", "/", &v.Segments).with(func() {
			if v.Segments == nil {
				v.Segments = []string{""} // the root
			}
		}),
		partField("input", &v.Input),
	}, func() View { return v }}
}
