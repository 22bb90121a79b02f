// Package data opens data URLs (RFC 2397), which contain the resource themselves. It connects to no server.
//
//	data:text/plain;charset=utf-8;base64,aGVsbG8=
//
// Notable divergences:
//   - RFC 2397 §2: the data is a sequence of octets of the URL. Base64 is read as browsers read it: white space is
//     ignored, and the padding may be missing.
package data

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/scheme"
	"locus/url"
)

// DefaultType is the media type of a URL that does not state its type (RFC 2397 §2).
const DefaultType = "text/plain;charset=US-ASCII"

// A Client opens data URLs. It is an [access.Engine]. Several goroutines may use it at once.
type Client struct{}

// Do executes Get and Stat. Any other Op returns errors.ErrUnsupported. Get starts at req.Offset, counted in
// decoded bytes; if that is beyond the end, the error is access.ErrRange.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	canDo := req.Op == access.Get && req.Answers == nil || req.Op == access.Stat
	if !canDo || req.URL.Scheme() != "data" {
		return nil, engine.Unsupported(req)
	}
	return engine.For(req).Result(open(ctx, req))
}

// open decodes the URL of req and executes Get or Stat. The Resource of Stat has no content.
func open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	v, err := scheme.ParseData(req.URL)
	if err != nil {
		return nil, err
	}
	e := access.Entry{URL: req.URL, Type: mediaType(v.Type), Size: int64(len(v.Content))}
	if req.Op == access.Stat {
		return engine.Found(e, nil)
	}
	if req.Offset > e.Size {
		return nil, access.ErrRange
	}
	text := strings.NewReader(v.Content[req.Offset:])
	return &access.Resource{Entry: e, Offset: req.Offset, Body: &body{ctx: ctx, url: req.URL, r: text}}, nil
}

// mediaType returns the media type of a data URL. written is the text between "data:" and the comma, without
// ";base64". If it is "", the type is DefaultType. If it has only parameters, as in "data:;charset=utf-8,…",
// they belong to text/plain (RFC 2397 §2).
func mediaType(written string) string {
	if strings.HasPrefix(written, ";") {
		return "text/plain" + written
	}
	return cmp.Or(written, DefaultType)
}

// A body reads the content of a URL until its context is done.
type body struct {
	ctx context.Context
	url url.URL
	r   io.Reader // nil after Close
}

var errClosed = errors.New("the body is closed")

// Read reads decoded bytes. It fails after Close, and after the context is done.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.r == nil:
		return 0, engine.FailReading("read", b.url, errClosed)
	case b.ctx.Err() != nil:
		return 0, engine.FailReading("read", b.url, context.Cause(b.ctx))
	}
	return b.r.Read(p)
}

// Close releases the content, so that Read fails. It always returns nil.
func (b *body) Close() error {
	b.r = nil
	return nil
}
