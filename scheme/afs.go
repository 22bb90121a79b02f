package scheme

import (
	"slices"
	"strings"

	"locus/url"
)

// AFS is the view of an afs URL: a file in the tree that all cells of the Andrew File System share. Machines mount the
// tree at /afs.
//
//	afs://grand.central.org/doc/rfc/rfc1738.txt     the file /afs/grand.central.org/doc/rfc/rfc1738.txt
//	      \_______________/ \_________________/
//	            Cell             Segments
//
// RFC 1738 §4 only reserves the name, for "Andrew File System global file names". RFC
// 1630 keeps the production of its drafts "as historical note":
//
//	afsaddress = "afs://" cellname "/" path
//	cellname   = hostname
//
// A global file name contains its cell, so the host may be missing: afs:/afs/CELL/PATH, afs:/CELL/PATH and
// afs:///CELL/PATH mean the same as afs://CELL/PATH.
type AFS struct {
	Cell     string   // "" for the root of the tree, whose entries are cells
	Segments []string // the segments after the cell; never empty: "/" has one empty segment
}

const afsRule = "RFC 1630, BNF, afsaddress"

// inCell are the bytes of a cell name.
var inCell = url.Set{}.With(alpha + digits + "-._")

// ParseAFS returns the view of an afs URL. It refuses a user and a port.
func ParseAFS(u url.URL) (AFS, error) {
	if err := wantScheme(u, "afs"); err != nil {
		return AFS{}, err
	}
	if err := refuseUser(u, false, afsRule); err != nil {
		return AFS{}, err
	}
	if _, ok := u.Port(); ok {
		return AFS{}, fail(u, start(u, url.Port)-1, afsRule, `a "/" after the cell: no port is allowed`)
	}
	path := u.PathAndQuery()
	if host, _ := u.Host(); host != "" {
		if n := skip(host, inCell); n < len(host) {
			return AFS{}, fail(u, start(u, url.Host)+n, afsRule, "a byte of the name of a cell")
		}
		return AFS{Cell: host, Segments: segments(strings.TrimPrefix(path, "/"))}, nil
	}
	return hostlessAFS(u, path)
}

// hostlessAFS returns the view of u, a URL without a host. path is its path and query: "/CELL/PATH" or
// "/afs/CELL/PATH". A path that is "/" or "/afs" names the root of the tree.
func hostlessAFS(u url.URL, path string) (AFS, error) {
	if path == "" || path[0] != '/' {
		return AFS{}, pathFail(u, 0, afsRule, `"//" and a cell, or a "/" before the path`)
	}
	at := len("/")
	if path == "/afs" || strings.HasPrefix(path, "/afs/") {
		at = min(len("/afs/"), len(path))
	}
	cell, rest, _ := strings.Cut(path[at:], "/")
	if n := skip(cell, inCell); n < len(cell) || cell == "" && rest != "" {
		return AFS{}, pathFail(u, at+n, afsRule, "a byte of the name of a cell")
	}
	return AFS{Cell: cell, Segments: segments(rest)}, nil
}

// URL returns the URL whose view is v.
func (v AFS) URL() url.URL {
	var b builder
	b.WriteString("afs://" + v.Cell)
	b.segments(v.Segments...)
	if len(v.Segments) == 0 {
		b.WriteByte('/')
	}
	return b.url()
}

// Path returns the segments of the file below the directory in which AFS is mounted: the cell, unless it is "", and
// Segments. The caller may change the result.
func (v AFS) Path() []string {
	if v.Cell == "" {
		return slices.Clone(v.Segments)
	}
	return append([]string{v.Cell}, v.Segments...)
}
