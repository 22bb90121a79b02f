package locus

import (
	"context"
	"errors"
	"io"
	"iter"

	"locus/access"
	"locus/url"
)

// Open gets what rawurl names, a URL by RFC 3986. The caller closes the Body. A
// text that is no URL is a *url.SyntaxError.
func (c *Client) Open(ctx context.Context, rawurl string) (*access.Resource, error) {
	return c.do(ctx, &access.Request{}, rawurl)
}

// Stat finds the attributes of what rawurl names.
func (c *Client) Stat(ctx context.Context, rawurl string) (access.Entry, error) {
	r, err := c.do(ctx, &access.Request{Op: access.Stat}, rawurl)
	if err != nil {
		return access.Entry{}, err
	}
	return r.Entry, nil
}

// Put makes the bytes of body, which it reads to its end, what rawurl names. A
// body that is an io.Seeker can be sent again where a server wants that.
func (c *Client) Put(ctx context.Context, rawurl string, body io.Reader) error {
	_, err := c.do(ctx, access.Rewindable(&access.Request{Op: access.Put, Body: body, Size: -1}), rawurl)
	return err
}

// Append adds the bytes of body to what rawurl names. It returns the URL of what
// was added; the zero URL if that has none, or the server does not say.
func (c *Client) Append(ctx context.Context, rawurl string, body io.Reader) (url.URL, error) {
	r, err := c.do(ctx, access.Rewindable(&access.Request{Op: access.Append, Body: body, Size: -1}), rawurl)
	if err != nil {
		return url.URL{}, err
	}
	return r.URL, nil
}

// Delete removes what rawurl names.
func (c *Client) Delete(ctx context.Context, rawurl string) error {
	_, err := c.do(ctx, &access.Request{Op: access.Delete}, rawurl)
	return err
}

// MakeDir makes the directory that rawurl names.
func (c *Client) MakeDir(ctx context.Context, rawurl string) error {
	_, err := c.do(ctx, &access.Request{Op: access.MakeDir}, rawurl)
	return err
}

// List gives the entries of the listing that rawurl names, as they come. An error
// is the last thing that it gives; a resource that is no listing is one.
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
			if err == io.EOF { //nolint:errorlint // a listing that breaks off wraps io.ErrUnexpectedEOF
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

var errNoListing = errors.New("it is no listing")

// do does what req asks with what rawurl names.
func (c *Client) do(ctx context.Context, req *access.Request, rawurl string) (*access.Resource, error) {
	u, err := url.Parse(rawurl)
	if err != nil {
		return nil, err
	}
	req.URL = u
	return c.Do(ctx, req)
}
