package locus

import (
	"context"
	"errors"
	"io"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/compare"
	"locus/guard"
	"locus/internal/answer"
	"locus/proto/web"
	"locus/url"
)

// toResponse converts a resource to an http.Response, which takes over its Body. If partial is
// true, the response is a 206 with length bytes from resource.Offset on; a length of 0 means all
// bytes to the end. A resource that came over HTTP keeps its header. After redirects, the Request
// of the response has the last URL, and Set-Cookie of another origin is removed.
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

// errorResponse returns a response that says why, if err is the refusal of a server. It returns any
// other err as a *failure.
func errorResponse(r *http.Request, err error) (*http.Response, error) {
	code := status(err)
	if code == 0 {
		return nil, &failure{err, r}
	}
	return errorText(r, code, err), nil
}

// A failure is an error for http.Client, which adds the method and the URL.
type failure struct {
	err     error
	request *http.Request
}

// Error returns the text of the error. It leaves out the URL if it is the URL of the request,
// because http.Client adds that one.
func (f *failure) Error() string {
	e, ok := f.err.(*access.Error) //nolint:errorlint // a wrapped one may be about another URL
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
	case isSyntax, isRefusedHere(err), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, access.ErrNoDial):
		return 0
	}
	if code = answer.Status(err); code >= http.StatusInternalServerError {
		return 0
	}
	return code
}

// isRefusedHere reports whether a policy of this program, rather than a server, refused the request.
func isRefusedHere(err error) bool {
	_, isPort := errors.AsType[*guard.PortError](err)
	_, isAddress := errors.AsType[*guard.AddressError](err)
	_, isAmbiguous := errors.AsType[*compare.Disagreement](err)
	return isPort || isAddress || isAmbiguous || errors.Is(err, access.ErrRedirect) || errors.Is(err, access.ErrNotPublic)
}

// newResponse returns a response to r with a status code, without a body and of unknown length.
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

// setStatus sets the code and the text of the status of resp.
func setStatus(resp *http.Response, code int) {
	resp.StatusCode = code
	resp.Status = strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// errorText returns a response with the status code, whose body is the text of why. It lacks a body
// after HEAD, and with 304. Retry-After is set if why names a delay.
func errorText(r *http.Request, code int, why error) *http.Response {
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
