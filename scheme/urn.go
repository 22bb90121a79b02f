package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// URN is the view of a urn URL: a name, which does not say where the resource is.
//
//	urn:example:a%20b?+resolve
//	    \_____/ \___/ \______/
//	      NID    NSS  Components
//
// RFC 8141 §2. RFC 1630 only reserves the name.
//
//	assigned-name = "urn" ":" NID ":" NSS [ "?+" … ] [ "?=" … ]
//	NID           = alphanum *30( alphanum / "-" ) alphanum      ; 2 to 32
//	NSS           = pchar *( pchar / "/" )
//
// RFC 1630's own example, urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3, shows an early idea of a URN. It has no NID, so
// ParseURN refuses it.
type URN struct {
	NID        string   // the namespace as written; upper and lower case mean the same
	NSS        string   // the name in it, decoded
	Name       string   // NSS as written, for comparisons, because RFC 8141 §3 distinguishes "%2F" from "/". URL uses NSS if Name is "".
	Components url.Part // the r- and q-components of RFC 8141 as written, with their "+" or "="
}

const (
	urnRule = "RFC 8141 §2"
	maxNID  = 32
)

// ParseURN returns the view of a urn URL.
func ParseURN(u url.URL) (URN, error) {
	if err := refuseAuthority(u, false, urnRule, wantNID, "urn"); err != nil {
		return URN{}, err
	}
	path := u.PathAndQuery()
	if u.Standard() == url.RFC1630 {
		path = strings.ReplaceAll(path, `"`, "%22")
	}
	nid, name, ok := strings.Cut(path, ":")
	if n, want := checkNID(nid); want != "" {
		return URN{}, pathFail(u, n, urnRule, want)
	}
	if !ok {
		return URN{}, pathFail(u, len(path), urnRule, `a ":" after the namespace`)
	}
	start := len(nid) + 1
	name, components, more := strings.Cut(name, "?")
	if name == "" || name[0] == '/' {
		return URN{}, pathFail(u, start, urnRule, "a name in the namespace")
	}
	if more && !strings.HasPrefix(components, "+") && !strings.HasPrefix(components, "=") {
		return URN{}, pathFail(u, start+len(name)+1, urnRule, `"+" or "=" after the "?"`)
	}
	return URN{NID: nid, NSS: ascii.Unescape(name), Name: name, Components: url.Part{Text: components, Present: more}}, nil
}

const wantNID = "a namespace of 2 to 32 letters, digits and inner hyphens"

// checkNID checks the name of a namespace: letters, digits and inner hyphens, from 2 to 32 bytes. It returns the offset
// of the first error and the text that is wanted there, or "" if nid is correct.
func checkNID(nid string) (offset int, want string) {
	n := skip(nid, inNID)
	if n < len(nid) {
		return n, wantNID
	}
	switch {
	case nid == "" || nid[0] == '-':
		return 0, wantNID
	case len(nid) == 1:
		return 1, wantNID
	case len(nid) > maxNID:
		return maxNID, wantNID
	case nid[len(nid)-1] == '-':
		return len(nid), wantNID
	}
	return 0, ""
}

var inNID = url.Set{}.With(alpha + digits + "-")

// URL returns the URL whose view is v.
func (v URN) URL() url.URL {
	var b builder
	b.WriteString("urn:")
	b.WriteString(v.NID)
	b.WriteByte(':')
	if v.Name != "" {
		b.written(v.Name, inWritten)
	} else {
		b.escape(v.NSS, inName)
	}
	if v.Components.Present {
		b.WriteByte('?')
		b.written(v.Components.Text, inWritten)
	}
	return b.url()
}
