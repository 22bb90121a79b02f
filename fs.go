package locus

import (
	"context"
	"io/fs"
	"strings"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// FS returns the resources below the URL base as a file system; see [access.FS]. ctx
// bounds all requests.
//
// Over http and https, a directory is a listing that the server made as a page, which
// [web.Listed] recognizes. Files below any other page can be opened by name, but are
// not listed. Any other page is a file, even if the listing above it says directory.
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

// A pageLister is an Engine that turns the pages of web servers for directories into
// listings.
type pageLister struct{ engine access.Engine }

// Do does what req asks. Stat opens what may be a directory: only the page itself tells
// whether it is a listing.
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
