package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// WAIS is what a wais URL means: a database, a search in one, or a document.
//
//	wais://host:210/database
//	wais://host:210/database?search
//	wais://host:210/database/wtype/wpath
//
// RFC 1738 §5:
//
//	waisurl      = waisdatabase | waisindex | waisdoc
//	waisdatabase = "wais://" hostport "/" database
//	waisindex    = "wais://" hostport "/" database "?" search
//	waisdoc      = "wais://" hostport "/" database "/" wtype "/" wpath
//	database     = *uchar
//	wtype        = *uchar
//	wpath        = *uchar
//
// The wpath is a document-id, in one of three notations:
//   - RFC 1738's: its bytes, encoded.
//   - RFC 1630's: for every field its number, "=", the content, encoded, and ";". The
//     lengths are left out.
//   - libwww's: the size of the document, "/", and then as RFC 1630 has it.
type WAIS struct {
	Host
	Kind     WAISKind
	Database string
	Search   string // decoded; see [ParseWAIS] on "+"
	WType    string // the type of the document: "TEXT"
	WPath    string // as it stands in the URL, decoded: of RFC 1738's notation the same as DocID

	DocID  string      // the bytes of the document-id, to be sent as they are
	Fields []WAISField // of the document-id, if the wpath shows them
	Length string      // digits: the size of the document, if the wpath shows it before the fields
}

// A WAISKind is which of the three forms a wais URL has.
type WAISKind uint8

const (
	WAISDatabase WAISKind = iota // a database, which can be searched
	WAISSearch                   // the result of a search
	WAISDocument                 // a document
)

var waisKinds = map[WAISKind]string{WAISDatabase: "database", WAISSearch: "search", WAISDocument: "document"}

const waisRule = "RFC 1738 §3.9"

// ParseWAIS returns the view of a wais URL.
//
// In a search "+" stands for a space and "%2B" for a plus, whatever standard u was
// read by: RFC 1630 says so, and the programs that wrote wais URLs did so.
func ParseWAIS(u url.URL) (WAIS, error) {
	host, err := plainHost(u, waisRule, "wais")
	if err != nil {
		return WAIS{}, err
	}
	v := WAIS{Host: host}
	path := u.PathAndQuery()
	if path == "" || path[0] != '/' {
		return WAIS{}, pathFail(u, 0, waisRule, `a "/" before the database`)
	}
	end := strings.IndexAny(path[1:], "/?") + 1
	if end == 0 {
		v.Database = ascii.Unescape(path[1:])
		return v, nil
	}
	v.Database = ascii.Unescape(path[1:end])
	rest := path[end+1:]
	if path[end] == '?' {
		v.Kind, v.Search = WAISSearch, ascii.Unescape(strings.ReplaceAll(rest, "+", " "))
		return v, nil
	}
	v.Kind = WAISDocument
	wtype, wpath, ok := strings.Cut(rest, "/")
	if !ok {
		return WAIS{}, pathFail(u, len(path), waisRule, `a "/" and the document-id after the type`)
	}
	if i := strings.IndexByte(rest, '?'); i >= 0 {
		return WAIS{}, pathFail(u, end+1+i, waisRule, `a byte of a document, in which "?" is written "%3F"`)
	}
	v.WType = ascii.Unescape(wtype)
	v.wpath(wpath)
	return v, nil
}

// URL returns the URL that means v. The wpath is written from Fields if there are
// any, else from DocID.
func (v WAIS) URL() url.URL {
	var b builder
	b.WriteString("wais:")
	b.authority(v.Host, url.Part{}, url.Part{})
	b.segments(v.Database)
	switch v.Kind {
	case WAISSearch:
		b.WriteByte('?')
		b.escape(v.Search, inQuery)
	case WAISDocument:
		b.segments(v.WType)
		b.WriteByte('/')
		v.writePath(&b)
	}
	return b.url()
}
