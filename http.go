package locus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/internal/answer"
	"locus/proto/web"
	"locus/url"
)

// HTTP returns an http.Client that opens the URLs of every scheme that c opens.
//
// GET and HEAD open a resource. PUT stores, POST appends, DELETE removes, and MKCOL
// makes a directory. Other methods, and those that the scheme does not have, are
// answered with 405. These fields are obeyed: Range with one range, If-Range,
// If-None-Match, If-Modified-Since, If-Match with a change, and Last-Modified with PUT
// if the protocol can store it. No other field is sent. HEAD returns what access.Stat
// finds; for a text over ftp that may be another size than GET gives, because of its
// line ends.
//
// The Client follows redirects, not the http.Client. Request.URL of the response is the
// final URL. The error for a refused redirect wraps access.ErrRedirect. A change is sent
// to the target of a 307 or 308 if its body can be sent again: by GetBody, or if Body
// is an io.Seeker. Set-Cookie of another origin is removed, because a Jar would store
// it for that of the request.
//
// If a resource does not exist or is refused, the response is a 404, 403 … with a text
// that says why. All other failures are errors.
func (c *Client) HTTP() *http.Client { return httpClient(c) }

// httpClient returns an http.Client over an engine that follows redirects.
func httpClient(e access.Engine) *http.Client {
	return &http.Client{
		Transport: transport{e},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// A transport is an http.RoundTripper over an engine that follows redirects.
type transport struct{ engine access.Engine }

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t transport) CloseIdleConnections() {
	if e, ok := t.engine.(idler); ok {
		e.CloseIdleConnections()
	}
}

// RoundTrip opens the URL of r, or changes what it names.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	u, err := url.Parse(r.URL.String())
	if err != nil {
		return nil, err
	}
	var resp *http.Response
	switch r.Method {
	case "", http.MethodGet:
		resp, err = t.get(r, u)
	case http.MethodHead:
		resp, err = t.head(r, u)
	case http.MethodPut, http.MethodPost, http.MethodDelete, "MKCOL":
		resp, err = t.change(r, u)
		if isNotAllowed(err) {
			return notAllowed(r, err, "GET, HEAD"), nil
		}
	default:
		return notAllowed(r, fmt.Errorf("the method %q is not known", r.Method), "GET, HEAD, PUT, POST, DELETE, MKCOL"), nil
	}
	if err != nil {
		return errorResponse(r, err)
	}
	return resp, nil
}

// isNotAllowed reports whether a change failed because the scheme cannot do it.
func isNotAllowed(err error) bool {
	code := answer.Replied(err)
	return errors.Is(err, errors.ErrUnsupported) && (code == 0 || code == http.StatusMethodNotAllowed) &&
		!errors.Is(err, access.ErrNoScheme) && !errors.Is(err, access.ErrRedirect)
}

func notAllowed(r *http.Request, why error, allow string) *http.Response {
	resp := failed(r, http.StatusMethodNotAllowed, why)
	resp.Header.Set("Allow", allow)
	return resp
}

// ops returns the Ops of the methods that change something.
func ops() map[string]access.Op {
	return map[string]access.Op{
		http.MethodPut: access.Put, http.MethodPost: access.Append, http.MethodDelete: access.Delete, "MKCOL": access.MakeDir,
	}
}

// change does the Op of a method that changes something.
func (t transport) change(r *http.Request, u url.URL) (*http.Response, error) {
	req := &access.Request{Op: ops()[r.Method], URL: u, Size: r.ContentLength}
	req.IfMatch.ETag = r.Header.Get("If-Match")
	req.IfAbsent = r.Header.Get("If-None-Match") == "*"
	if modified, err := http.ParseTime(r.Header.Get("Last-Modified")); err == nil {
		req.ModTime = modified
	}
	if req.Op == access.Put || req.Op == access.Append {
		defer setBody(req, r)()
	}
	found, err := t.engine.Do(r.Context(), req)
	if err != nil {
		return nil, err
	}
	switch {
	case req.Op == access.MakeDir:
		return newResponse(r, http.StatusCreated), nil
	case req.Op == access.Append && !found.URL.IsZero():
		resp := newResponse(r, http.StatusCreated)
		resp.Header.Set("Location", found.URL.String())
		return resp, nil
	}
	return newResponse(r, http.StatusNoContent), nil
}

// setBody gives req the body of r. closeAll closes the copies of it that
// r.GetBody made.
func setBody(req *access.Request, r *http.Request) (closeAll func()) {
	if r.Body == nil {
		return func() {}
	}
	req.Body = r.Body
	if r.Body != http.NoBody && req.Size == 0 { // net/http: the length is unknown
		req.Size = -1
	}
	if r.GetBody == nil {
		return func() {}
	}
	var copies []io.Closer
	req.GetBody = func() (io.Reader, error) {
		body, err := r.GetBody()
		if err == nil {
			copies = append(copies, body)
		}
		return body, err
	}
	return func() {
		for _, body := range copies {
			body.Close()
		}
	}
}

// get opens the part of u that r asks for, or the whole if that part cannot be had.
func (t transport) get(r *http.Request, u url.URL) (*http.Response, error) {
	req := answer.Request(u, r.Header)
	resource, part, err := answer.Open(r.Context(), t.engine, req)
	if err != nil {
		return nil, err
	}
	return toResponse(r, resource, !part.Whole(), part.Length), nil
}

// toResponse converts a resource to an http.Response. If it came over HTTP, the
// response has the header that came with it.
func toResponse(r *http.Request, resource *access.Resource, partial bool, length int64) *http.Response {
	resp := newResponse(r, http.StatusOK)
	if reply := web.ReplyOf(resource); reply != nil {
		resp.Header = reply.Header.Clone()
		resp.Header.Del("Content-Range")
		resp.Header.Del("Content-Length")
	}
	code, n := answer.Describe(resp.Header, resource, partial, length)
	setStatus(resp, code)
	resp.Body, resp.ContentLength = resource.Body, n
	if partial && length > 0 {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resource.Body, n), resource.Body}
	}
	if u, err := neturl.Parse(resource.URL.String()); err == nil && resource.URL.String() != r.URL.String() {
		final := *r
		final.URL = u
		resp.Request = &final
		if u.Scheme != r.URL.Scheme || u.Host != r.URL.Host {
			resp.Header.Del("Set-Cookie") // http.Client would store it for r.URL
		}
	}
	return resp
}

// head finds the attributes of u.
func (t transport) head(r *http.Request, u url.URL) (*http.Response, error) {
	req := answer.Request(u, r.Header)
	req.Offset, req.Length, req.IfMatch = 0, 0, access.Validator{}
	resource, err := answer.Head(r.Context(), t.engine, req)
	if err != nil {
		return nil, err
	}
	resource.Body = http.NoBody
	return toResponse(r, resource, false, 0), nil
}

// errorResponse converts an error to an http.Response if the server refused the request.
// It returns other errors as a *failure.
func errorResponse(r *http.Request, err error) (*http.Response, error) {
	code := status(err)
	if code == 0 {
		return nil, &failure{err, r}
	}
	return failed(r, code, err), nil
}

// A failure is an error for http.Client, which adds the method and the URL.
type failure struct {
	err     error
	request *http.Request
}

// Error leaves out the URL of the request.
func (f *failure) Error() string {
	e, ok := f.err.(*access.Error) //nolint:errorlint // a wrapped one says less
	if !ok {
		return f.err.Error()
	}
	if u, err := url.Parse(f.request.URL.String()); err != nil || u != e.URL {
		return e.Error()
	}
	return e.Why()
}

func (f *failure) Unwrap() error { return f.err }

// Timeout reports whether the error is a timeout. It makes the *url.Error around f a
// net.Error.
func (f *failure) Timeout() bool { return answer.IsTimeout(f.err) }

// status returns the HTTP status of an error by which a server refused a request; 0 for
// any other error.
func status(err error) int {
	code := answer.Replied(err)
	_, isSyntax := errors.AsType[*url.SyntaxError](err)
	switch {
	case code != 0:
		return code
	case isSyntax, errors.Is(err, access.ErrRedirect), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, access.ErrNoDial):
		return 0
	}
	if code = answer.Status(err); code >= http.StatusInternalServerError {
		return 0
	}
	return code
}

func newResponse(r *http.Request, code int) *http.Response {
	resp := &http.Response{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        make(http.Header),
		Body:          http.NoBody,
		ContentLength: -1,
		Request:       r,
	}
	setStatus(resp, code)
	return resp
}

func setStatus(resp *http.Response, code int) {
	resp.StatusCode = code
	resp.Status = strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// failed returns a response with an error text.
func failed(r *http.Request, code int, why error) *http.Response {
	resp := newResponse(r, code)
	if e, ok := errors.AsType[*access.Error](why); ok && e.RetryAfter > 0 {
		resp.Header.Set("Retry-After", strconv.FormatInt(int64((e.RetryAfter+time.Second-1)/time.Second), 10))
	}
	if r.Method == http.MethodHead || code == http.StatusNotModified {
		return resp
	}
	text := why.Error() + "\n"
	resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp.ContentLength = int64(len(text))
	resp.Body = io.NopCloser(strings.NewReader(text))
	return resp
}
