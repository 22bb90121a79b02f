package locus

import (
	"context"
	"errors"
	"io"
	"iter"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// Open gets the resource of rawurl, a URL by RFC 3986. The caller closes the Body. If
// rawurl is invalid the error is a *url.SyntaxError.
func (c *Client) Open(ctx context.Context, rawurl string) (*access.Resource, error) {
	return c.do(ctx, &access.Request{}, rawurl)
}

// Stat returns the attributes of the resource of rawurl, without opening it.
func (c *Client) Stat(ctx context.Context, rawurl string) (access.Entry, error) {
	r, err := c.do(ctx, &access.Request{Op: access.Stat}, rawurl)
	if err != nil {
		return access.Entry{}, err
	}
	return r.Entry, nil
}

// Put replaces the resource of rawurl by the bytes of body. If a server wants the body twice, body
// must be an io.Seeker, because it is read again.
func (c *Client) Put(ctx context.Context, rawurl string, body io.Reader) error {
	_, err := c.do(ctx, engine.Rewindable(&access.Request{Op: access.Put, Body: body, Size: -1}), rawurl)
	return err
}

// Append adds the bytes of body to the resource of rawurl. It returns the URL of the new resource,
// such as an article; the zero URL if the server does not tell it, or if a file has grown.
func (c *Client) Append(ctx context.Context, rawurl string, body io.Reader) (url.URL, error) {
	r, err := c.do(ctx, engine.Rewindable(&access.Request{Op: access.Append, Body: body, Size: -1}), rawurl)
	if err != nil {
		return url.URL{}, err
	}
	return r.URL, nil
}

// Delete removes the resource of rawurl.
func (c *Client) Delete(ctx context.Context, rawurl string) error {
	_, err := c.do(ctx, &access.Request{Op: access.Delete}, rawurl)
	return err
}

// MakeDir makes the directory of rawurl in a directory that exists.
func (c *Client) MakeDir(ctx context.Context, rawurl string) error {
	_, err := c.do(ctx, &access.Request{Op: access.MakeDir}, rawurl)
	return err
}

// List returns the entries of the listing of rawurl as they arrive. After an error, which it yields
// with the zero Entry, it ends. A resource that is not a listing gives an error.
func (c *Client) List(ctx context.Context, rawurl string) iter.Seq2[access.Entry, error] {
	return func(yield func(access.Entry, error) bool) {
		r, err := c.Open(ctx, rawurl)
		if err != nil {
			yield(access.Entry{}, err)
			return
		}
		defer r.Body.Close()
		if r.List == nil {
			yield(access.Entry{}, &access.Error{Op: "list", URL: r.URL, Err: errNoListing})
			return
		}
		for {
			e, err := r.List.Next()
			if access.IsEnd(err) {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

var errNoListing = errors.New("it is not a listing")

// do parses rawurl, sets req.URL and executes req. It returns an error if rawurl is not a URL.
func (c *Client) do(ctx context.Context, req *access.Request, rawurl string) (*access.Resource, error) {
	u, err := url.Parse(rawurl)
	if err != nil {
		return nil, err
	}
	req.URL = u
	return c.Do(ctx, req)
}
