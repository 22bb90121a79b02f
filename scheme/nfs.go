package scheme

import (
	"locus/url"
)

// NFS is the view of an nfs URL.
//
//	nfs://host:2049/pub/docs/rfc1094.txt
//	      \_______/ \__________________/
//	        Host         Segments
//
// RFC 2224 §8:
//
//	nfsURL        = "nfs:" "//" hostport [ "/" path_segments ]
//	path_segments = segment *( "/" segment )
//	segment       = *pchar
//
// The path is relative to the directory of the server's public file handle. A path that begins with a second slash is
// absolute on the server: nfs://host//export/pub (RFC 2224 §4).
type NFS struct {
	Host
	Segments []string // the decoded segments of the path; nil for the public directory, if there is no path
}

const nfsRule = "RFC 2224 §8"

// ParseNFS returns the view of an nfs URL. It refuses a user.
func ParseNFS(u url.URL) (NFS, error) {
	host, err := plainHost(u, nfsRule, "nfs")
	if err != nil {
		return NFS{}, err
	}
	v := NFS{Host: host}
	path := u.PathAndQuery()
	if path == "" {
		return v, nil
	}
	if path[0] != '/' {
		return NFS{}, pathFail(u, 0, nfsRule, `a "/" before the path`)
	}
	v.Segments = segments(path[1:])
	return v, nil
}

// IsAbsolute reports whether the path is absolute on the server, because it begins with a second slash. Otherwise it is
// relative to the public directory.
func (v NFS) IsAbsolute() bool { return len(v.Segments) > 1 && v.Segments[0] == "" }

// URL returns the URL whose view is v.
func (v NFS) URL() url.URL {
	var b builder
	b.scheme("nfs", "")
	b.authority(v.Host, url.Part{}, url.Part{})
	b.segments(v.Segments...)
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the segments leaves the URL of the public
// directory.
func (v NFS) fields() fields {
	return fields{[]field{listField("segments", "/", &v.Segments)}, func() View { return v }}
}
