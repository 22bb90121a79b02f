package locus

import (
	"context"
	"io/fs"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// FS returns the resources below the URL base as a file system; see [access.FS]. ctx
// bounds all requests.
//
// Over http and https, a directory is a listing that web.Lister finds: a page that the
// server made, or an answer of WebDAV. Files below any other page can be opened by name,
// but are not listed. Any other page is a file, even if the listing above it calls it a
// directory, because its entries are unknown.
//
// The error of an interactive session, such as telnet, wraps errors.ErrUnsupported.
func (c *Client) FS(ctx context.Context, base string) (fs.FS, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	c.once.Do(c.build)
	plain, err := unaliased(u, c.schemes)
	if err != nil {
		return nil, engine.Fail("open", u, err)
	}
	if again, err := unaliased(plain, c.schemes); err != nil || again != plain {
		return nil, engine.Fail("open", u, access.ErrNoScheme) // as Do, which applies one alias only
	}
	return fileSystem(ctx, c, plain)
}

// fileSystem returns the file system below u, whose files are opened with e. It returns an error if
// the scheme of u is for interactive sessions. ctx bounds all requests.
func fileSystem(ctx context.Context, e access.Engine, u url.URL) (fs.FS, error) {
	if access.Schemes(nil).Of(u.Scheme()).Session {
		return nil, engine.Fail("open", u, errSession)
	}
	return access.FS(ctx, lists{resources{e}}, u), nil
}

// A lists is an Engine that sets Request.List.
type lists struct{ engine access.Engine }

// Do executes a copy of req with List set.
func (l lists) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	with := *req
	with.List = true
	return l.engine.Do(ctx, &with)
}
