package locus

import (
	"context"
	"io/fs"
	"strings"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// FS returns what lies under the URL base as a file system; [access.FS] says how
// its names become URLs. Redirects are followed as [Client] follows them.
//
// Over http and https a directory is a page that the server has made of one, as
// [web.Listed] knows it, with the files that it links to; what is under any other
// page can be opened by its name, and is not listed. A name that opens as a page
// which is no listing is a file, whatever the listing above says of it.
func FS(ctx context.Context, o access.Opener, base string) (fs.FS, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	return access.FS(ctx, lister{access.Follow{Opener: o}}, u), nil
}

// A lister is an Opener that lists what a web server lists.
type lister struct{ opener access.Opener }

// Open opens req, as a listing if it is one.
func (l lister) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := l.opener.Open(ctx, req)
	if err != nil {
		return nil, err
	}
	return web.Listed(r), nil
}

// Stat finds the attributes of what req names. Whether a page is a listing is seen
// only in it.
func (l lister) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	e, err := access.Stat(ctx, l.opener, req)
	if err != nil || !strings.HasSuffix(e.URL.Path(), "/") || !strings.HasPrefix(e.URL.Scheme(), "http") {
		return e, err
	}
	r, err := l.Open(ctx, req)
	if err != nil {
		return access.Entry{}, err
	}
	defer r.Body.Close()
	if _, ok := r.Lister(); ok {
		e.Kind, e.Size = access.Directory, -1
	}
	return e, nil
}
