package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Prospero is the view of a prospero URL.
//
//	prospero://host.dom:1525//pros/name;OBJECT-VERSION=3
//	                         \________/ \____________/ |
//	                           Hsoname  Fields[0].Name Value
//
// RFC 1738 §5, and RFC 1630 for the version:
//
//	prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]
//	ppath       = psegment *[ "/" psegment ]
//	psegment    = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	fieldspec   = ";" fieldname "=" fieldvalue
//	prosperolink = "prospero://" hostport "/" hsoname [ "%00" version [ attributes ] ]
//	version     = digits
//	attributes  = alphanums
type Prospero struct {
	Host
	Hsoname    string   // opaque, because its slashes have no meaning; without NUL
	Version    url.Part // the digits after "%00"
	Attributes string   // the letters and digits that may follow the version in RFC 1630
	Fields     []Field  // in order
}

// A Field is the decoded name and value of a field in a Prospero link.
type Field struct {
	Name  string
	Value string
}

const prosperoRule = "RFC 1738 §3.11"

// ParseProspero returns the view of a prospero URL. It refuses a user.
func ParseProspero(u url.URL) (Prospero, error) {
	host, err := plainHost(u, prosperoRule, "prospero")
	if err != nil {
		return Prospero{}, err
	}
	v := Prospero{Host: host}
	path := u.PathAndQuery()
	if path == "" || path[0] != '/' {
		return Prospero{}, pathFail(u, 0, prosperoRule, `a "/" before the name of the object`)
	}
	name, fields, more := strings.Cut(path[1:], ";")
	if n, want := v.name(name); want != "" {
		return Prospero{}, pathFail(u, 1+n, "RFC 1630, Prospero", want)
	}
	for more {
		start := len(path) - len(fields)
		var field string
		field, fields, more = strings.Cut(fields, ";")
		n, want := v.field(field)
		if want != "" {
			return Prospero{}, pathFail(u, start+n, prosperoRule, want)
		}
	}
	return v, nil
}

// name sets Hsoname, Version and Attributes from s, which is hsoname [ "%00" version [ attributes ] ]. It returns the
// offset of the first error in s and the text that is wanted there, or "" if s is correct.
func (v *Prospero) name(s string) (offset int, want string) {
	name, version, versioned := strings.Cut(s, nul)
	v.Hsoname = ascii.Unescape(name)
	if !versioned {
		return 0, ""
	}
	start := len(s) - len(version)
	n := skip(version, isDigit)
	if n == 0 {
		return start, `the digits of a version after "%00"`
	}
	v.Version = url.Some(version[:n])
	v.Attributes = version[n:]
	if m := skip(v.Attributes, inAlphanum); m < len(v.Attributes) {
		return start + n + m, "a letter or digit after the version"
	}
	return 0, ""
}

const nul = "%00"

var inAlphanum = url.Set{}.With(alpha + digits)

// field parses s, which is fieldname "=" fieldvalue, and appends the field to Fields. It returns the offset of the
// first error in s and the text that is wanted there, or "" if s is correct.
func (v *Prospero) field(s string) (offset int, want string) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return len(s), `a "=" after the name of the field`
	}
	if i := strings.IndexByte(value, '='); i >= 0 {
		return len(name) + 1 + i, `the value of a field, in which "=" is written "%3D"`
	}
	v.Fields = append(v.Fields, Field{ascii.Unescape(name), ascii.Unescape(value)})
	return 0, ""
}

// URL returns the URL whose view is v.
func (v Prospero) URL() url.URL {
	var b builder
	b.WriteString("prospero:")
	b.server(v.Host)
	b.escape(v.Hsoname, inName)
	if v.Version.Present {
		b.WriteString(nul)
		b.WriteString(v.Version.Text)
		b.WriteString(v.Attributes)
	}
	for _, f := range v.Fields {
		b.WriteByte(';')
		b.escape(f.Name, inPath)
		b.WriteByte('=')
		b.escape(f.Value, inPath)
	}
	return b.url()
}
