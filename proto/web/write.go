package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

const (
	// continueTimeout is the time after which the body is sent even if the server
	// has not asked for it (RFC 9110 §10.1.1).
	continueTimeout = 2 * time.Second

	// expectSize is the size from which a body is sent only after the server has
	// asked for it.
	expectSize = 64 << 10
)

// methods maps changes to HTTP methods. MKCOL is a method of WebDAV (RFC 4918 §9.3).
func methods() map[access.Op]string {
	return map[access.Op]string{
		access.Put: http.MethodPut, access.Append: http.MethodPost, access.Delete: http.MethodDelete, access.MakeDir: "MKCOL",
	}
}

// change executes a Put, Append, Delete or MakeDir. It returns the URL of the changed resource. For an Append it
// returns the URL of the resource that the server has created, or the zero URL.
func (c *Client) change(ctx context.Context, req *access.Request) (url.URL, error) {
	if req.Offset > 0 {
		return url.URL{}, errors.ErrUnsupported
	}
	if req.Op == access.Delete || req.Op == access.MakeDir {
		req = &access.Request{Op: req.Op, URL: req.URL, IfMatch: req.IfMatch, Login: req.Login}
	}
	if err := checkEmpty(req); err != nil {
		return url.URL{}, err
	}
	if err := c.checkConditions(ctx, req); err != nil {
		return url.URL{}, err
	}
	up := newUpload(req)
	defer up.stop(ctx)
	if req.Op == access.Put {
		if stored, err := c.putWhole(ctx, req, up); stored || err != nil {
			return req.URL, err
		}
	}
	resp, err := c.sendChange(ctx, req, up) //nolint:bodyclose // sendChange has closed it
	if err != nil {
		return url.URL{}, err
	}
	err = checkStatus(req, resp)
	switch {
	case req.Op == access.Append:
		return created(req.URL, resp), err
	case req.Op == access.MakeDir && resp.StatusCode == http.StatusMethodNotAllowed:
		if _, statErr := c.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login}); statErr == nil {
			err = refusal(resp, fs.ErrExist)
		}
	}
	return req.URL, err
}

// created returns the URL of the resource that a POST to from has created (201). It returns the zero URL if the server
// has created no resource, or Location is invalid.
func created(from url.URL, resp *http.Response) url.URL {
	location := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusCreated || location == "" {
		return url.URL{}
	}
	u, err := resolve(from, location)
	if err != nil {
		return url.URL{}
	}
	return u
}

// checkEmpty returns an error if Size is 0 and Body is not empty. It reads from Body only if Size is 0.
func checkEmpty(req *access.Request) error {
	if req.Size != 0 || req.Body == nil {
		return nil
	}
	n, err := io.ReadFull(req.Body, make([]byte, 1))
	switch {
	case n > 0:
		return sourceError(errTooLong)
	case access.IsEnd(err):
		return nil
	}
	return sourceError(err)
}

// needsExpect reports whether the body should wait until the server asks for it: it is large, or
// the server may ask for a password first.
func (u *upload) needsExpect(req *access.Request) bool {
	_, login := userOf(req.URL)
	_, known := passwordOf(req.URL)
	return u.source != nil && (u.size < 0 || u.size >= expectSize || login && !known)
}

// checkConditions checks IfMatch and IfAbsent with a HEAD. The error is access.ErrChanged or fs.ErrExist if the
// resource does not meet them.
//
// QUIRK: nginx 1.26 replaces and deletes without checking If-Match.
func (c *Client) checkConditions(ctx context.Context, req *access.Request) error {
	if req.IfMatch.IsZero() && !req.IfAbsent {
		return nil
	}
	e, err := c.statWith(ctx, &access.Request{URL: req.URL, Login: req.Login}, originRequest)
	absent := errors.Is(err, fs.ErrNotExist)
	switch {
	case absent && !req.IfMatch.IsZero():
		return access.ErrChanged
	case absent || errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return err
	case req.IfAbsent:
		return fs.ErrExist
	}
	if etag := req.IfMatch.ETag; etag != "" && etag != "*" && etag != e.Header.Get("ETag") {
		return access.ErrChanged
	}
	if req.IfMatch.ETag == "" && !e.ModTime.Equal(req.IfMatch.ModTime.Truncate(time.Second)) {
		return access.ErrChanged
	}
	return nil
}

// setMatch sets the header fields for IfMatch and IfAbsent of a change (RFC 9110 §13.1). The error is
// errors.ErrUnsupported if IfMatch has only a weak entity tag.
func setMatch(h http.Header, req *access.Request) error {
	if req.IfAbsent {
		h.Set("If-None-Match", "*")
	}
	switch v := req.IfMatch; {
	case v.ETag != "" && !isWeak(v.ETag):
		h.Set("If-Match", v.ETag)
	case !v.ModTime.IsZero():
		h.Set("If-Unmodified-Since", httpDate(v.ModTime))
	case v.ETag != "":
		return fmt.Errorf("the weak entity tag %q does not identify a version: %w", v.ETag, errors.ErrUnsupported)
	}
	return nil
}

// sendChange sends a change with the body up. It sends the change again if the server asks for credentials, or refuses
// Expect. It returns the last response, whose status the caller must check and whose Body is closed. If reading the
// body of req fails, sendChange returns that error. A success before the whole body was sent is an error.
func (c *Client) sendChange(ctx context.Context, req *access.Request, up *upload) (*http.Response, error) {
	out, err := c.newOutgoing(ctx, methods()[req.Op], &access.Request{URL: req.URL}, originRequest)
	if err != nil {
		return nil, err
	}
	if err := setMatch(out.Header, req); err != nil {
		return nil, err
	}
	if up.needsExpect(req) {
		out.Header.Set("Expect", "100-continue")
	}
	for {
		up.attach(out)
		resp, err := c.roundTrip(out)
		if err != nil {
			return nil, up.orSourceError(err)
		}
		discard(ctx, resp)
		if resp.StatusCode/100 == 2 && !up.isComplete(ctx) {
			return nil, refusal(resp, errEarlySuccess)
		}
		again, err := c.retryRequest(ctx, out, resp, req)
		if err != nil {
			return nil, err
		}
		if again == nil {
			return resp, nil
		}
		if err := up.rewind(ctx); err != nil {
			return nil, err
		}
		out = again
	}
}

// errEarlySuccess says that a server, or a portal before it, has reported success without the whole body.
var errEarlySuccess = engine.Reason("the server answered before it had the whole content", access.ErrServer)

// retryRequest returns the request to send after resp: without Expect after a 417, with credentials after a 401. It
// returns nil if resp is final.
func (c *Client) retryRequest(ctx context.Context, out *http.Request, resp *http.Response, req *access.Request) (*http.Request, error) {
	switch {
	case resp.StatusCode == http.StatusExpectationFailed && out.Header.Get("Expect") != "":
		again := out.Clone(ctx)
		again.Header.Del("Expect")
		return again, nil
	case resp.StatusCode == http.StatusUnauthorized:
		return c.withCredentials(ctx, out, resp, req)
	}
	return nil, nil
}
