// Package render writes entries and resources down: for people at a terminal,
// as JSON lines, and as text/uri-list.
//
// What servers send is not to be trusted with a terminal. Everything that is
// written for people goes through [Clean], and JSON has every control
// character escaped.
//
// Notable divergences:
//   - RFC 2483 §5 has one URI a line; an entry that nothing opens is left out
//     of a list, its title with it.
package render

import (
	"strings"

	"locus/access"
	"locus/url"
)

// A Func writes one entry. It holds on to nothing, so that a listing of any
// length takes the memory of one entry:
//
//	err := access.Entries(lister, render.Text(w))
//
// It writes each entry at once, with one Write: hand it a bufio.Writer if there
// are many. A Func belongs to one goroutine. The error is the Writer's.
type Func func(access.Entry) error

// EntryOf returns a resource as the entry that a listing would have for it, with
// the [Title] of its URL.
func EntryOf(r *access.Resource) access.Entry {
	kind := access.Object
	if r.List != nil {
		kind = access.Directory
	} else if r.Session != nil {
		kind = access.Terminal
	}
	return access.Entry{
		Title: Title(r.URL), URL: r.URL, Kind: kind,
		Type: r.Type, Size: r.Size, ModTime: r.ModTime, Sys: r.Sys,
	}
}

// Title returns what to call a resource of which only the URL is known: the last
// segment of the path, decoded; if that is empty the whole URL, without a
// password.
func Title(u url.URL) string {
	path := u.Path()
	title, err := url.Unescape(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil || title == "" {
		return shownURL(u)
	}
	return title
}

// shownURL returns the text of u without its password: a URL that opens the
// same, once the password is given again.
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
