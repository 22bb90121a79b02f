package scheme

import (
	"locus/internal/ascii"
	"locus/url"
)

// File is what a file URL means.
//
//	file://vms.host.edu/disk$user/my/notes/note12345.txt
//	       \__________/ \_______/ \/ \___/ \___________/
//	           Host             Segments
//
// RFC 1738 §5:
//
//	fileurl  = "file://" [ host | "localhost" ] "/" fpath
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//
// As in RFC 8089 the "//" may be missing; then Host is absent.
type File struct {
	Host     url.Part // decoded, brackets off; "" and "localhost" are this machine
	Segments []string // what stands between the slashes; never empty: "/" has one empty segment
}

const fileRule = "RFC 1738 §3.10"

// ParseFile returns the view of a file URL.
func ParseFile(u url.URL) (File, error) {
	if err := wantScheme(u, "file"); err != nil {
		return File{}, err
	}
	if err := noUser(u, false, fileRule); err != nil {
		return File{}, err
	}
	if _, ok := u.Port(); ok {
		return File{}, fail(u, start(u, url.Port)-1, fileRule, `a "/" after the host: no port is allowed`)
	}
	var v File
	if host, ok := u.Host(); ok {
		v.Host = url.Some("")
		if host != "" {
			v.Host.Text = hostName(host)
		}
	}
	path := u.PathAndQuery()
	if path == "" || path[0] != '/' {
		return File{}, pathFail(u, 0, fileRule, `a "/" before the path`)
	}
	v.Segments = segments(path[1:])
	return v, nil
}

// IsLocal reports whether v is on the machine that reads it: its host is
// absent, empty or "localhost".
func (v File) IsLocal() bool {
	return v.Host.Text == "" || equalFold(v.Host.Text, "localhost")
}

// URL returns the URL that means v.
func (v File) URL() url.URL {
	var b builder
	b.WriteString("file:")
	if v.Host.Present {
		b.WriteString("//")
		b.WriteString(hostText(v.Host.Text))
	}
	for i, s := range v.Segments {
		b.WriteByte('/')
		if i == 0 && isDrive(s) {
			b.WriteByte(s[0])
			b.escape(s[1:], inDrive)
			continue
		}
		b.escape(s, inPath)
	}
	if len(v.Segments) == 0 {
		b.WriteByte('/')
	}
	return b.url()
}

// inDrive lets a drive be written "C:", as everyone does, although RFC 1630
// has no ":" there.
var inDrive = ascii.Bytes(common + ":")
