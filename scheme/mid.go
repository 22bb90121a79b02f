package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Mid is the view of a mid URL: a message that has been received, or a part of one.
//
//	mid:960830.1639@XIson.com/partA.960830.1639@XIson.com
//	    \___________________/ \_________________________/
//	          MessageID                 ContentID
//
// RFC 1630, and RFC 2392 for the part:
//
//	midaddress = "mid:" addr-spec [ "/" content-id ]
//
// The addr-spec may be any text with an "@" and without white space, angle brackets or a raw "/" after the "@",
// because message-ids in real mail often are not addresses.
type Mid struct {
	MessageID string   // without angle brackets
	ContentID url.Part // absent for the whole message
}

// Cid is the view of a cid URL: a part of the MIME message that contains the URL (RFC 1630, RFC 2392).
//
//	cid:foo4%25foo1@bar.net
//	    \_________________/
//	        ContentID
type Cid struct {
	ContentID string // without angle brackets, never empty
}

const (
	midRule = "RFC 1630, Message-Id"
	cidRule = "RFC 1630, Content-Id"
)

// ParseMid returns the view of a mid URL.
func ParseMid(u url.URL) (Mid, error) {
	if err := refuseAuthority(u, true, midRule, "a message-id", "mid"); err != nil {
		return Mid{}, err
	}
	path := u.PathAndQuery()
	id, part, hasPart := cutPart(path)
	v := Mid{MessageID: ascii.Unescape(id), ContentID: decoded(part, hasPart)}
	if n, want := checkID(v.MessageID); want != "" {
		return Mid{}, pathFail(u, encodedOffset(id, n), midRule, want)
	}
	if n, want := checkContentID(v.ContentID.Text); hasPart && want != "" {
		return Mid{}, pathFail(u, len(path)-len(part)+encodedOffset(part, n), "RFC 2392 §2", want)
	}
	return v, nil
}

// cutPart cuts the encoded path of a mid URL around the "/" between the message-id and the content-id. It is the first
// "/" after the first "@" and the first "%40", as far as the path has these. Without such a "/" cutPart returns path,
// "" and false.
func cutPart(path string) (id, part string, ok bool) {
	at := max(0, strings.IndexByte(path, '@'), strings.Index(path, "%40"))
	slash := strings.IndexByte(path[at:], '/')
	if slash < 0 {
		return path, "", false
	}
	return path[:at+slash], path[at+slash+1:], true
}

// ParseCid returns the view of a cid URL.
func ParseCid(u url.URL) (Cid, error) {
	if err := refuseAuthority(u, true, cidRule, "a content-id", "cid"); err != nil {
		return Cid{}, err
	}
	path := u.PathAndQuery()
	v := Cid{ContentID: ascii.Unescape(path)}
	if n, want := checkContentID(v.ContentID); want != "" {
		return Cid{}, pathFail(u, encodedOffset(path, n), cidRule, want)
	}
	return v, nil
}

// checkContentID checks a content-id that is decoded and has no angle brackets. It does not require an "@", because
// many content-ids in mail lack one. It returns the offset of the first error and the text that is wanted there, or
// "" if id is correct.
func checkContentID(id string) (offset int, want string) {
	if id == "" {
		return 0, "a content-id"
	}
	if i := strings.IndexAny(id, "<> \t\r\n\x00"); i >= 0 {
		return i, "a byte of a content-id, which stands without angle brackets and white space"
	}
	return 0, ""
}

// URL returns the URL whose view is v.
func (v Mid) URL() url.URL {
	var b builder
	b.WriteString("mid:")
	b.escape(v.MessageID, inPath)
	if v.ContentID.Present {
		b.WriteByte('/')
		b.escape(v.ContentID.Text, inPath)
	}
	return b.url()
}

// URL returns the URL whose view is v.
func (v Cid) URL() url.URL {
	var b builder
	b.WriteString("cid:")
	b.escape(v.ContentID, inPath)
	return b.url()
}
