package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// WAIS is the view of a wais URL: a database, a search in a database, or a document.
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
//   - RFC 1738: its bytes, encoded.
//   - RFC 1630: for every field its number, "=", the encoded content, and ";". The
//     lengths are left out.
//   - libwww: the size of the document, "/", and the notation of RFC 1630.
type WAIS struct {
	Host
	Kind     WAISKind
	Database string
	Search   string // decoded; see [ParseWAIS] on "+"
	WType    string // the type of the document, such as "TEXT"
	WPath    string // the decoded text of the URL; in RFC 1738's notation it equals DocID

	DocID  string      // the bytes of the document-id, sent unchanged
	Fields []WAISField // of the document-id, if the wpath shows them
	Length string      // digits: the size of the document, if the wpath shows it before the fields
}

// A WAISKind is one of the three forms of a wais URL.
type WAISKind uint8

const (
	WAISDatabase WAISKind = iota // a database, which can be searched
	WAISSearch                   // the result of a search
	WAISDocument                 // a document
)

// waisKinds returns the name that each kind has in JSON.
func waisKinds() map[WAISKind]string {
	return map[WAISKind]string{WAISDatabase: "database", WAISSearch: "search", WAISDocument: "document"}
}

const waisRule = "RFC 1738 §3.9"

// ParseWAIS returns the view of a wais URL. It refuses a user.
//
// In a search "+" stands for a space and "%2B" for a plus, whatever the standard of u, because RFC 1630 says so and
// the programs that wrote wais URLs did so.
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

// URL returns the URL whose view is v. The wpath is written from Fields or, if there are none, from DocID.
func (v WAIS) URL() url.URL {
	var b builder
	b.WriteString("wais:")
	b.server(v.Host)
	b.escape(v.Database, inPath)
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

// A WAISField is a field of a document-id. A document-id is a sequence of fields, each consisting of number, length
// and content. Numbers and lengths are written with 7 bits in a byte, the most significant bits first, and with the
// top bit set in all bytes but the last.
type WAISField struct {
	Number  uint32
	Content string
}

// wpath sets WPath, DocID, Fields and Length from s, an encoded wpath. s is a sequence of fields ("1=host;3=/a;"), a
// length and fields ("1024/1=host;"), or a document-id itself. A document-id starts with a byte from 1 to 7. This byte
// is not an ASCII digit, so the three notations are distinct.
func (v *WAIS) wpath(s string) {
	v.WPath = ascii.Unescape(s)
	length, fields, sized := strings.Cut(s, "/")
	if sized && length != "" && skip(length, isDigit) == len(length) {
		if v.Fields = readFields(fields); v.Fields != nil {
			v.Length = length
		}
	}
	if v.Fields == nil {
		v.Fields = readFields(s)
	}
	v.DocID = v.WPath
	if v.Fields != nil {
		v.DocID = joinDocID(v.Fields)
	}
}

// readFields parses the encoded text s by wpath = digits "=" content ";" [ wpath ], and decodes each content. It
// returns nil if s is "" or does not have this form.
func readFields(s string) []WAISField {
	var fields []WAISField
	for s != "" {
		field, rest, ended := strings.Cut(s, ";")
		digits, content, ok := strings.Cut(field, "=")
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ended || !ok || err != nil || digits != strconv.FormatUint(n, 10) {
			return nil
		}
		fields = append(fields, WAISField{uint32(n), ascii.Unescape(content)})
		s = rest
	}
	return fields
}

// writePath writes the encoded wpath to b: Length and Fields or, if there are no fields, DocID.
func (v WAIS) writePath(b *builder) {
	if len(v.Fields) == 0 {
		b.escape(v.DocID, inPath)
		return
	}
	if v.Length != "" {
		b.WriteString(v.Length)
		b.WriteByte('/')
	}
	for _, f := range v.Fields {
		b.WriteString(strconv.FormatUint(uint64(f.Number), 10))
		b.WriteByte('=')
		b.escape(f.Content, inPath)
		b.WriteByte(';')
	}
}

// joinDocID returns the bytes of the document-id that consists of fields. It adds the length of each field.
func joinDocID(fields []WAISField) string {
	var id []byte
	for _, f := range fields {
		id = appendCompressed(id, uint64(f.Number))
		id = appendCompressed(id, uint64(len(f.Content)))
		id = append(id, f.Content...)
	}
	return string(id)
}

// appendCompressed appends n to b in the compressed form of [WAISField]: 7 bits in a byte, the most significant first.
func appendCompressed(b []byte, n uint64) []byte {
	shift := 0
	for n>>(shift+7) != 0 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7f)
}
