// Package render writes entries and resources: for people at a terminal, as JSON lines,
// and as text/uri-list.
//
// Text for people goes through [Clean], and control characters are escaped in JSON, because
// a server may send text that changes the terminal.
//
// Notable divergences:
//   - RFC 2483 §5: a line is a URI, so an entry without a URL is left out of a list.
package render

import (
	"io"
	"strings"

	"locus/access"
	"locus/url"
)

// A Func writes one entry, with one Write. Use a bufio.Writer for many entries:
//
//	err := access.Entries(lister, render.Text(w))
//
// Only one goroutine may call a Func. It returns the error of the Writer.
type Func func(access.Entry) error

// URIList returns a Func that writes entries as text/uri-list (RFC 2483 §5): the URL of
// each, without its password, and CR LF. Entries without a URL are left out.
func URIList(w io.Writer) Func {
	return func(e access.Entry) error {
		if e.URL.IsZero() {
			return nil
		}
		_, err := io.WriteString(w, Clean(shownURL(e.URL))+"\r\n")
		return err
	}
}

// EntryOf returns an entry that describes the resource r in a listing. Its title is the [Title]
// of r.URL.
func EntryOf(r *access.Resource) access.Entry {
	kind := access.Object
	if r.List != nil {
		kind = access.Directory
	} else if r.Session != nil {
		kind = access.Terminal
	}
	return access.Entry{
		Title: Title(r.URL), URL: r.URL, Kind: kind,
		Type: r.Type, Size: r.Size, ModTime: r.ModTime, Header: r.Header, Sys: r.Sys,
	}
}

// Title returns a title for the URL u: the last segment of the path, decoded. If the segment is
// empty or cannot be decoded, Title returns the whole URL without its password.
func Title(u url.URL) string {
	path := u.Path()
	title, err := url.Unescape(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil || title == "" {
		return shownURL(u)
	}
	return title
}

// shownURL returns the text of u without its password. Other characters of u stay, so it still
// has to be cleaned.
func shownURL(u url.URL) string {
	if _, has := u.Password(); !has {
		return u.String()
	}
	v, err := u.Without(url.Password)
	if err != nil {
		return u.Redacted()
	}
	return v.String()
}
