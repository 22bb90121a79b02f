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
	// continueTimeout is how long a server may take to say that it wants the
	// octets (RFC 9110 §10.1.1); after that they are sent unasked.
	continueTimeout = 2 * time.Second

	// large is how many octets are sent only after the server was asked.
	large = 64 << 10

	// chatter is how much of the text in an answer is read, so that the
	// connection can be used again.
	chatter = 64 << 10
)

// put sends a PUT. Whether a failure leaves what was there is up to the
// server. Request.IfMatch becomes If-Match and IfAbsent "If-None-Match: *"; as
// there are servers that do not look at those, a HEAD asks first. ModTime is not
// sent: HTTP has no field for it.
func (c *Client) put(ctx context.Context, req *access.Request) error {
	_, err := c.change(ctx, http.MethodPut, req) //nolint:bodyclose // change has closed it
	return describeChange("put", req.URL, err)
}

// post sends a POST. The URL that it returns is that of the answer's Location,
// if something was created (201).
func (c *Client) post(ctx context.Context, req *access.Request) (url.URL, error) {
	resp, err := c.change(ctx, http.MethodPost, req) //nolint:bodyclose // change has closed it
	if err != nil {
		return url.URL{}, describeChange("append", req.URL, err)
	}
	location := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusCreated || location == "" {
		return url.URL{}, nil
	}
	added, err := url.RFC3986.Resolve(req.URL, transmissible(location))
	if err != nil {
		return url.URL{}, nil //nolint:nilerr // it was added all the same
	}
	return added, nil
}

// delete sends a DELETE, with the conditions of put.
func (c *Client) delete(ctx context.Context, req *access.Request) error {
	_, err := c.change(ctx, http.MethodDelete, req) //nolint:bodyclose // change has closed it
	return describeChange("delete", req.URL, err)
}

// makeDir sends a MKCOL (RFC 4918 §9.3), which servers of WebDAV know.
func (c *Client) makeDir(ctx context.Context, req *access.Request) error {
	resp, err := c.change(ctx, "MKCOL", req) //nolint:bodyclose // change has closed it
	if resp != nil && resp.StatusCode == http.StatusMethodNotAllowed {
		if _, statErr := c.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login}); statErr == nil {
			err = refusal(resp, fs.ErrExist)
		}
	}
	return describeChange("make", req.URL, err)
}

func describeChange(op string, u url.URL, err error) error {
	if err == nil {
		return nil
	}
	return access.Fail(op, u, err)
}

// change sends a request that changes something, and returns the answer, of
// which there is one even for some errors. Its Body is closed.
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
	if err := c.askFirst(ctx, req); err != nil {
		return nil, err
	}
	out, err := c.outgoing(ctx, method, &access.Request{URL: req.URL}, origin)
	if err != nil {
		return nil, err
	}
	if err := setMatch(out.Header, req); err != nil {
		return nil, err
	}
	up := newUpload(req)
	defer up.end(ctx)
	up.attach(out)
	if up.wantsAsking(req) {
		out.Header.Set("Expect", "100-continue")
	}
	resp, err := c.sendChange(ctx, out, req, up)
	if err != nil {
		return nil, err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, chatter) // to use the connection again
	resp.Body.Close()
	return resp, changed(req, resp)
}

// checkEmpty fails if req says that its Body is empty, and it is not.
func checkEmpty(req *access.Request) error {
	if req.Size != 0 || req.Body == nil {
		return nil
	}
	n, err := io.ReadFull(req.Body, make([]byte, 1))
	switch {
	case n > 0:
		return &sourceError{errTooMany}
	case errors.Is(err, io.EOF):
		return nil
	}
	return &sourceError{err}
}

// wantsAsking reports whether the octets are held back until the server wants
// them: because they are many, or because it may want a password first.
func (u *upload) wantsAsking(req *access.Request) bool {
	_, login := userOf(req.URL)
	_, known := passwordOf(req.URL)
	return u.r != nil && (u.size < 0 || u.size >= large || login && !known)
}

// askFirst checks the conditions of req.
//
// QUIRK: nginx 1.26 replaces and deletes without a look at If-Match.
func (c *Client) askFirst(ctx context.Context, req *access.Request) error {
	if req.IfMatch.IsZero() && !req.IfAbsent {
		return nil
	}
	e, err := c.statVia(ctx, &access.Request{URL: req.URL, Login: req.Login}, origin)
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

// setMatch asks for the version that a change is for (RFC 9110 §13.1).
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
		return fmt.Errorf("the entity tag %q is weak and names no version: %w", v.ETag, errors.ErrUnsupported)
	}
	return nil
}

// sendChange sends out, and again if the server wants a password or no Expect.
func (c *Client) sendChange(ctx context.Context, out *http.Request, req *access.Request, up *upload) (*http.Response, error) {
	for {
		resp, err := c.roundTrip(out)
		if err != nil {
			return nil, up.failure(err)
		}
		again, err := c.again(ctx, out, resp, req)
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

// again returns what to send after resp; nil if that is the answer.
func (c *Client) again(ctx context.Context, out *http.Request, resp *http.Response, req *access.Request) (*http.Request, error) {
	switch {
	case resp.StatusCode == http.StatusExpectationFailed && out.Header.Get("Expect") != "":
		again := out.Clone(ctx)
		again.Header.Del("Expect")
		return again, nil
	case resp.StatusCode == http.StatusUnauthorized:
		return c.withPassword(ctx, out, resp, req)
	}
	return nil, nil
}

// changed translates every status that does not say that the change was made.
func changed(req *access.Request, resp *http.Response) error {
	var err error
	tip := ""
	switch resp.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusResetContent:
		return nil
	case http.StatusConflict:
		err, tip = errors.New("what is there does not allow it"), "the folder of a new resource has to exist"
	case http.StatusLengthRequired:
		err, tip = errors.New("the server wants to know the length first"), "send a file instead of a stream"
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
		err, tip = errors.New("the server wants to know which version is meant"), "name it by its entity tag"
	case http.StatusInsufficientStorage:
		err = access.ErrFull
	case http.StatusMultiStatus:
		err = errors.New("it was done only in part")
	default:
		return status(req, resp)
	}
	refused := refusal(resp, err)
	refused.Remedy = access.Advice(tip)
	return refused
}
