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
	"locus/url"
)

const (
	// continueTimeout is how long a server may take to ask for the body (RFC
	// 9110 §10.1.1). After that the body is sent anyway.
	continueTimeout = 2 * time.Second

	// expectSize is the size from which a body is sent only after the server
	// agreed.
	expectSize = 64 << 10

	// drainLimit is how much of a response is read, so that the connection can
	// be reused.
	drainLimit = 64 << 10
)

// put sends a PUT.
func (c *Client) put(ctx context.Context, req *access.Request) error {
	_, err := c.change(ctx, http.MethodPut, req) //nolint:bodyclose // change has closed it
	return err
}

// post sends a POST. It returns the URL in Location if something was created
// (201).
func (c *Client) post(ctx context.Context, req *access.Request) (url.URL, error) {
	resp, err := c.change(ctx, http.MethodPost, req) //nolint:bodyclose // change has closed it
	if err != nil {
		return url.URL{}, err
	}
	location := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusCreated || location == "" {
		return url.URL{}, nil
	}
	added, err := resolve(req.URL, location)
	if err != nil {
		return url.URL{}, nil //nolint:nilerr // it was added all the same
	}
	return added, nil
}

// delete sends a DELETE.
func (c *Client) delete(ctx context.Context, req *access.Request) error {
	_, err := c.change(ctx, http.MethodDelete, req) //nolint:bodyclose // change has closed it
	return err
}

// makeDir sends a MKCOL (RFC 4918 §9.3), which WebDAV servers have.
func (c *Client) makeDir(ctx context.Context, req *access.Request) error {
	resp, err := c.change(ctx, "MKCOL", req) //nolint:bodyclose // change has closed it
	if resp != nil && resp.StatusCode == http.StatusMethodNotAllowed {
		if _, statErr := c.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login}); statErr == nil {
			err = refusal(resp, fs.ErrExist)
		}
	}
	return err
}

// change sends a request that changes something, and returns the response.
// There is a response even for some errors. Its Body is closed.
func (c *Client) change(ctx context.Context, method string, req *access.Request) (*http.Response, error) {
	if req.Offset > 0 {
		return nil, errors.ErrUnsupported
	}
	if req.Op == access.Delete || req.Op == access.MakeDir {
		req = &access.Request{Op: req.Op, URL: req.URL, IfMatch: req.IfMatch, Login: req.Login}
	}
	if err := checkEmpty(req); err != nil {
		return nil, err
	}
	if err := c.checkConditions(ctx, req); err != nil {
		return nil, err
	}
	out, err := c.newOutgoing(ctx, method, &access.Request{URL: req.URL}, originRequest)
	if err != nil {
		return nil, err
	}
	if err := setMatch(out.Header, req); err != nil {
		return nil, err
	}
	up := newUpload(req)
	defer up.stop(ctx)
	up.attach(out)
	if up.needsExpect(req) {
		out.Header.Set("Expect", "100-continue")
	}
	resp, err := c.sendChange(ctx, out, req, up)
	if err != nil {
		return nil, err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, drainLimit) // so that the connection can be reused
	resp.Body.Close()
	return resp, changeStatus(req, resp)
}

// checkEmpty fails if Size is 0 and Body is not empty.
func checkEmpty(req *access.Request) error {
	if req.Size != 0 || req.Body == nil {
		return nil
	}
	n, err := io.ReadFull(req.Body, make([]byte, 1))
	switch {
	case n > 0:
		return &sourceError{errTooLong}
	case errors.Is(err, io.EOF):
		return nil
	}
	return &sourceError{err}
}

// needsExpect reports whether to wait for the server before sending the body:
// if it is large, or if the server may ask for a password first.
func (u *upload) needsExpect(req *access.Request) bool {
	_, login := userOf(req.URL)
	_, known := passwordOf(req.URL)
	return u.source != nil && (u.size < 0 || u.size >= expectSize || login && !known)
}

// checkConditions checks IfMatch and IfAbsent with a HEAD.
//
// QUIRK: nginx 1.26 replaces and deletes without checking If-Match.
func (c *Client) checkConditions(ctx context.Context, req *access.Request) error {
	if req.IfMatch.IsZero() && !req.IfAbsent {
		return nil
	}
	e, err := c.statBy(ctx, &access.Request{URL: req.URL, Login: req.Login}, originRequest)
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
	reply, ok := e.Sys.(*Reply)
	if etag := req.IfMatch.ETag; ok && etag != "" && etag != "*" && etag != reply.Header.Get("ETag") {
		return access.ErrChanged
	}
	if req.IfMatch.ETag == "" && !e.ModTime.Equal(req.IfMatch.ModTime.Truncate(time.Second)) {
		return access.ErrChanged
	}
	return nil
}

// setMatch sets the conditions of a change (RFC 9110 §13.1).
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
		return fmt.Errorf("the weak entity tag %q names no version: %w", v.ETag, errors.ErrUnsupported)
	}
	return nil
}

// sendChange sends out. It sends it again if the server wants credentials, or
// refuses Expect.
func (c *Client) sendChange(ctx context.Context, out *http.Request, req *access.Request, up *upload) (*http.Response, error) {
	for {
		resp, err := c.roundTrip(out)
		if err != nil {
			return nil, up.orSourceError(err)
		}
		again, err := c.retryRequest(ctx, out, resp, req)
		if err == nil && again == nil {
			return resp, nil
		}
		resp.Body.Close()
		if err == nil {
			err = up.rewind(ctx)
		}
		if err != nil {
			return nil, err
		}
		up.attach(again)
		out = again
	}
}

// retryRequest returns the request to send after resp; nil if resp is final.
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

// changeStatus returns the error for a response to a change; nil if the change
// was made.
func changeStatus(req *access.Request, resp *http.Response) error {
	var err error
	tip := ""
	switch resp.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusResetContent:
		return nil
	case http.StatusConflict:
		err, tip = errors.New("it conflicts with an existing resource"), "the folder of a new resource must exist"
	case http.StatusLengthRequired:
		err, tip = errors.New("the server requires a length"), "send a file instead of a stream"
	case http.StatusPreconditionFailed:
		err = access.ErrChanged
		if req.IfAbsent {
			err = fs.ErrExist
		}
	case http.StatusRequestEntityTooLarge:
		err = errors.New("it is larger than the server accepts")
	case http.StatusUnsupportedMediaType:
		err = errors.New("the server does not accept this type")
	case http.StatusLocked:
		err = access.Reason("somebody has locked it", fs.ErrPermission)
	case http.StatusPreconditionRequired:
		err, tip = errors.New("the server requires a condition"), "give the entity tag of the version"
	case http.StatusInsufficientStorage:
		err = access.ErrFull
	case http.StatusMultiStatus:
		err = errors.New("it was done only partly")
	default:
		return checkStatus(req, resp)
	}
	refused := refusal(resp, err)
	refused.Remedy = access.Advice(tip)
	return refused
}
