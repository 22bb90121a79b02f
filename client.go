package locus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// Client returns an http.Client that opens the URLs of every scheme that o
// opens.
//
// GET and HEAD open; PUT stores, POST appends, DELETE removes, MKCOL makes a
// directory; another method is answered with 405, and so are these where the
// scheme cannot do it. Range with one range from an offset, If-Range,
// If-None-Match, If-Modified-Since and, with a change, If-Match are obeyed, and
// so is Last-Modified with PUT where the protocol can keep it. No other header
// field is passed on, and so no user name of a URL becomes an Authorization.
// Redirects are followed by o if it does that, and if
// not by the policy of access.AllowRedirect; http.Client itself sees none.
//
// What is not there, or is refused, is an answer (404, 403 …), as it is with a
// web server; an access that fails on its way is an error.
func Client(o access.Opener) *http.Client {
	return &http.Client{
		Transport: transport{access.Follow{Opener: o}},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// A transport is an http.RoundTripper over an Opener.
type transport struct{ opener access.Opener }

// RoundTrip opens the URL of r, or changes what it names.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	u, _, err := url.FromNet(r.URL)
	if err != nil {
		return nil, err
	}
	var resp *http.Response
	switch r.Method {
	case "", http.MethodGet:
		resp, err = t.get(r, request(r, u))
	case http.MethodHead:
		resp, err = t.head(r, u)
	case http.MethodPut, http.MethodPost, http.MethodDelete, "MKCOL":
		resp, err = t.change(r, u)
		if errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, access.ErrNoScheme) {
			return notAllowed(r, err, "GET, HEAD"), nil
		}
	default:
		return notAllowed(r, fmt.Errorf("the method %q is not known", r.Method), "GET, HEAD, PUT, POST, DELETE, MKCOL"), nil
	}
	return answer(r, u, resp, err)
}

func notAllowed(r *http.Request, why error, allow string) *http.Response {
	resp := failed(r, http.StatusMethodNotAllowed, why)
	resp.Header.Set("Allow", allow)
	return resp
}

// change does what r asks for.
func (t transport) change(r *http.Request, u url.URL) (*http.Response, error) {
	req := &access.Request{URL: u, Length: max(0, r.ContentLength)}
	req.IfMatch.ETag = r.Header.Get("If-Match")
	req.IfAbsent = r.Header.Get("If-None-Match") == "*"
	if modified, err := http.ParseTime(r.Header.Get("Last-Modified")); err == nil {
		req.ModTime = modified
	}
	body := io.Reader(r.Body)
	if r.Body == nil {
		body = http.NoBody
	}
	switch r.Method {
	case http.MethodPut:
		return newResponse(r, http.StatusNoContent), access.Store(r.Context(), t.opener, req, body)
	case http.MethodDelete:
		return newResponse(r, http.StatusNoContent), access.Delete(r.Context(), t.opener, req)
	case "MKCOL":
		return newResponse(r, http.StatusCreated), access.MakeDir(r.Context(), t.opener, req)
	}
	added, err := access.Append(r.Context(), t.opener, req, body)
	if err != nil || added.IsZero() {
		return newResponse(r, http.StatusNoContent), err
	}
	resp := newResponse(r, http.StatusCreated)
	resp.Header.Set("Location", added.String())
	return resp, nil
}

// request returns the access that r asks for.
func request(r *http.Request, u url.URL) *access.Request {
	req := &access.Request{URL: u}
	req.Offset, req.Length = parseRange(r.Header.Get("Range"))
	req.IfChanged.ETag = r.Header.Get("If-None-Match")
	if t, err := http.ParseTime(r.Header.Get("If-Modified-Since")); err == nil {
		req.IfChanged.ModTime = t
	}
	condition := r.Header.Get("If-Range")
	if req.Offset == 0 && req.Length == 0 {
		return req
	}
	if t, err := http.ParseTime(condition); err == nil {
		req.IfMatch.ModTime = t
	} else {
		req.IfMatch.ETag = condition
	}
	return req
}

// parseRange reads "bytes=5-" and "bytes=5-9". Any other Range asks for the
// whole, as RFC 9110 §14.2 allows.
func parseRange(s string) (offset, length int64) {
	span, ok := strings.CutPrefix(s, "bytes=")
	first, last, found := strings.Cut(span, "-")
	if !ok || !found {
		return 0, 0
	}
	from, err := strconv.ParseUint(first, 10, 63)
	if err != nil {
		return 0, 0
	}
	if last == "" {
		return int64(from), 0
	}
	to, err := strconv.ParseUint(last, 10, 62)
	if err != nil || to < from {
		return 0, 0
	}
	return int64(from), int64(to-from) + 1
}

// get opens req; if the part that it asks for cannot be had, the whole.
func (t transport) get(r *http.Request, req *access.Request) (*http.Response, error) {
	resource, err := t.opener.Open(r.Context(), req)
	partial := req.Offset > 0 || req.Length > 0
	switch {
	case err == nil && partial && resource.Size < 0: // no Content-Range can be written
		resource.Body.Close()
	case partial && (errors.Is(err, access.ErrChanged) || errors.Is(err, errors.ErrUnsupported)):
	case err != nil:
		return nil, err
	default:
		return response(r, resource, partial, req.Length), nil
	}
	whole := *req
	whole.Offset, whole.Length, whole.IfMatch = 0, 0, access.Validator{}
	resource, err = t.opener.Open(r.Context(), &whole)
	if err != nil {
		return nil, err
	}
	return response(r, resource, false, 0), nil
}

// response returns the answer that a resource is.
func response(r *http.Request, resource *access.Resource, partial bool, length int64) *http.Response {
	resp := newResponse(r, http.StatusOK)
	describe(resp, resource)
	resp.Body = resource.Body
	if resource.Size >= 0 {
		resp.ContentLength = resource.Size - resource.Offset
	}
	if partial && (resource.Offset > 0 || length > 0) {
		if length > 0 && length < resp.ContentLength {
			resp.ContentLength = length
			resp.Body = limited{io.LimitReader(resource.Body, length), resource.Body}
		}
		setStatus(resp, http.StatusPartialContent)
		resp.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d",
			resource.Offset, resource.Offset+resp.ContentLength-1, resource.Size))
	}
	if resp.ContentLength >= 0 {
		resp.Header.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	return resp
}

type limited struct {
	io.Reader
	io.Closer
}

// describe writes the header fields that say what a resource is: those that
// came, if it came over HTTP.
func describe(resp *http.Response, resource *access.Resource) {
	if reply, ok := resource.Sys.(*web.Reply); ok {
		resp.Header = reply.Header.Clone()
		resp.Header.Del("Content-Range")
	}
	setIf(resp.Header, "Content-Type", resource.Type)
	setIf(resp.Header, "ETag", resource.ETag)
	if !resource.ModTime.IsZero() {
		resp.Header.Set("Last-Modified", resource.ModTime.UTC().Format(http.TimeFormat))
	}
	if u, err := neturl.Parse(resource.URL.String()); err == nil && resource.URL.String() != resp.Request.URL.String() {
		final := *resp.Request
		final.URL = u
		resp.Request = &final
	}
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// head finds the attributes; where that is not supported it opens the resource
// and closes it again.
func (t transport) head(r *http.Request, u url.URL) (*http.Response, error) {
	req := &access.Request{URL: u, IfChanged: request(r, u).IfChanged}
	e, err := access.Stat(r.Context(), t.opener, req)
	resource := &access.Resource{URL: e.URL, Type: e.Type, Size: e.Size, ModTime: e.ModTime, Sys: e.Sys}
	if errors.Is(err, errors.ErrUnsupported) {
		if resource, err = t.opener.Open(r.Context(), req); err == nil {
			resource.Body.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	resource.Body = http.NoBody
	return response(r, resource, false, 0), nil
}

// answer returns resp, or the answer that err is.
func answer(r *http.Request, u url.URL, resp *http.Response, err error) (*http.Response, error) {
	if err == nil {
		return resp, nil
	}
	code := status(u, err)
	if code == 0 {
		return nil, err
	}
	return failed(r, code, err), nil
}

// status returns the HTTP status of what is an answer, and 0 if the access has
// failed on its way. It is the one place where errors become statuses.
func status(u url.URL, err error) int {
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil && strings.HasPrefix(u.Scheme(), "http") && e.Reply.Code >= 400 {
		return e.Reply.Code
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, access.ErrNoDial):
		return 0
	case errors.Is(err, access.ErrNotModified):
		return http.StatusNotModified
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	case errors.Is(err, access.ErrPassword):
		return http.StatusUnauthorized
	case errors.Is(err, fs.ErrPermission):
		return http.StatusForbidden
	case errors.Is(err, access.ErrRange):
		return http.StatusRequestedRangeNotSatisfiable
	case errors.Is(err, access.ErrChanged), errors.Is(err, fs.ErrExist):
		return http.StatusPreconditionFailed
	}
	return 0
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

// failed returns the answer that says why there is no resource.
func failed(r *http.Request, code int, why error) *http.Response {
	resp := newResponse(r, code)
	if r.Method == http.MethodHead || code == http.StatusNotModified {
		return resp
	}
	text := why.Error() + "\n"
	resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp.ContentLength = int64(len(text))
	resp.Body = io.NopCloser(strings.NewReader(text))
	return resp
}
