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

import "locus/access"

// A Func writes one entry. It holds on to nothing, so that a listing of any
// length takes the memory of one entry:
//
//	err := access.Entries(lister, render.Text(w))
//
// It writes each entry with one Write, which may be short of a buffer: hand it
// a bufio.Writer. A Func belongs to one goroutine. The error is the Writer's.
type Func func(access.Entry) error

// EntryOf returns a resource as the entry that a listing would have for it.
// The title is the resource's URL without its password.
func EntryOf(r *access.Resource) access.Entry {
	kind := access.Object
	if _, ok := r.Lister(); ok {
		kind = access.Directory
	} else if _, ok := r.Body.(access.Session); ok {
		kind = access.Terminal
	}
	return access.Entry{
		Title: r.URL.Redacted(), URL: r.URL, Kind: kind,
		Type: r.Type, Size: r.Size, ModTime: r.ModTime, Sys: r.Sys,
	}
}
