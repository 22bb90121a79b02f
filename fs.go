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
// its names become URLs. ctx governs every access.
//
// Over http and https a directory is a page that the server has made of one, as
// [web.Listed] knows it, with the files that it links to. What is under any other
// page can be opened by its name, and is not listed. A name that opens as a page
// which is no listing is a file, whatever the listing above says of it.
func (c *Client) FS(ctx context.Context, base string) (fs.FS, error) {
	return fileSystem(ctx, c, base)
}

func fileSystem(ctx context.Context, e access.Engine, base string) (fs.FS, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	return access.FS(ctx, pageLister{e}, u), nil
}

// A pageLister is an Engine whose listings include the pages that web servers
// make of directories.
type pageLister struct{ engine access.Engine }

// Do does what req asks. Whether a page is a listing is seen only in the page
// itself, so Stat of a directory opens it.
func (l pageLister) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := l.engine.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	switch req.Op {
	case access.Get:
		return web.Listed(r), nil
	case access.Stat:
		return l.stat(ctx, req, r)
	}
	return r, nil
}

func (l pageLister) stat(ctx context.Context, req *access.Request, found *access.Resource) (*access.Resource, error) {
	if !strings.HasSuffix(found.URL.Path(), "/") || !strings.HasPrefix(found.URL.Scheme(), "http") {
		return found, nil
	}
	page, err := l.Do(ctx, req.WithOp(access.Get))
	if err != nil {
		return nil, err
	}
	defer page.Body.Close()
	if page.List != nil {
		found.Kind, found.Size = access.Directory, -1
	}
	return found, nil
}
