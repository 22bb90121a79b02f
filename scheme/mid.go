package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Mid is what a mid URL means: a message among those already received, or a
// part of one.
//
//	mid:960830.1639@XIson.com/partA.960830.1639@XIson.com
//	    \___________________/ \_________________________/
//	          MessageID                 ContentID
//
// RFC 1630, and RFC 2392 with the part:
//
//	midaddress = "mid:" addr-spec [ "/" content-id ]
//
// The addr-spec may be anything with an "@" that holds no white space, angle
// bracket or raw "/" after its "@": that is what message-ids in mail are like.
type Mid struct {
	MessageID string   // without angle brackets
	ContentID url.Part // absent: the whole message
}

// Cid is what a cid URL means: a part of the MIME message in which the URL
// stands (RFC 1630, RFC 2392).
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
	if err := noAuthority(u, true, midRule, "a message-id", "mid"); err != nil {
		return Mid{}, err
	}
	path := u.PathAndQuery()
	id, part, hasPart := cutPart(path)
	v := Mid{MessageID: ascii.Unescape(id), ContentID: decoded(part, hasPart)}
	if n, want := judgeID(v.MessageID); want != "" {
		return Mid{}, pathFail(u, written(id, n), midRule, want)
	}
	if n, want := judgeContentID(v.ContentID.Text); hasPart && want != "" {
		return Mid{}, pathFail(u, len(path)-len(part)+written(part, n), "RFC 2392 §2", want)
	}
	return v, nil
}

// cutPart cuts a path at the first "/" after its first "@".
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
	if err := noAuthority(u, true, cidRule, "a content-id", "cid"); err != nil {
		return Cid{}, err
	}
	path := u.PathAndQuery()
	v := Cid{ContentID: ascii.Unescape(path)}
	if n, want := judgeContentID(v.ContentID); want != "" {
		return Cid{}, pathFail(u, written(path, n), cidRule, want)
	}
	return v, nil
}

// judgeContentID judges a content-id, decoded and without its angle brackets.
// Mail is full of content-ids without an "@".
func judgeContentID(id string) (offset int, want string) {
	if id == "" {
		return 0, "a content-id"
	}
	if i := strings.IndexAny(id, "<> \t\r\n\x00"); i >= 0 {
		return i, "a byte of a content-id, which stands without angle brackets and white space"
	}
	return 0, ""
}

// URL returns the URL that means v.
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

// URL returns the URL that means v.
func (v Cid) URL() url.URL {
	var b builder
	b.WriteString("cid:")
	b.escape(v.ContentID, inPath)
	return b.url()
}
