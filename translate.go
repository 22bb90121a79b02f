package locus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/answer"
	"locus/url"
)

// translate does the Op that the method of r stands for, and returns the response. It answers an
// unknown method, and a change that the scheme cannot do, with 405. The error is a *failure. It
// closes the body of r. from are the URLs that redirected to u, the URL of r.
func (t transport) translate(r *http.Request, u url.URL, from []url.URL) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if err := checkFields(r); err != nil {
		return nil, &failure{engine.Fail("open", u, err), r}
	}
	var resp *http.Response
	var err error
	switch r.Method {
	case "", http.MethodGet:
		resp, err = t.get(r, u, from)
	case http.MethodHead:
		resp, err = t.head(r, u, from)
	case http.MethodPut, http.MethodPost, http.MethodDelete, "MKCOL":
		resp, err = t.change(r, u, from)
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

// checkFields returns an error if r has a field that would change its meaning and cannot be
// sent over its protocol.
func checkFields(r *http.Request) error {
	for name, values := range r.Header {
		if !slices.ContainsFunc(values, func(value string) bool { return isMeant(name, value) }) {
			continue
		}
		return engine.Reason("the field "+name+" cannot be sent over "+r.URL.Scheme, fs.ErrInvalid)
	}
	return nil
}

// isMeant reports whether a header field changes the meaning of a request although no engine obeys
// it, so that the request must be refused.
func isMeant(name, value string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Authorization":
		_, _, ok := (&http.Request{Header: http.Header{"Authorization": {value}}}).BasicAuth()
		return !ok
	case "Content-Encoding":
		return !strings.EqualFold(value, "identity")
	case "Expect":
		return !strings.EqualFold(value, "100-continue")
	case "Cookie", "Content-Range", "If", "Lock-Token", "Upgrade", "X-Http-Method-Override", "X-Http-Method", "X-Method-Override":
		return true
	}
	return false
}

// newRequest sets the From of req, and its Login if r has Basic credentials, and returns req. It
// leaves out credentials that http.Client has taken from the URL, because the engine finds them
// there.
func newRequest(r *http.Request, req *access.Request, from []url.URL) *access.Request {
	req.From = from
	user, password, ok := r.BasicAuth()
	if ok && r.URL.User == nil { // otherwise http.Client has made the field from the URL
		req.Login = func(context.Context, access.Challenge) (access.Credentials, error) {
			return access.Credentials{User: user, Password: password}, nil
		}
	}
	return req
}

// isNotAllowed reports whether a change failed because the scheme cannot do it.
func isNotAllowed(err error) bool {
	code := answer.Replied(err)
	return errors.Is(err, errors.ErrUnsupported) && (code == 0 || code == http.StatusMethodNotAllowed) &&
		!errors.Is(err, access.ErrNoScheme) && !errors.Is(err, access.ErrRedirect)
}

// notAllowed returns a response with the status 405, whose Allow field has the methods in allow.
// Its body explains why.
func notAllowed(r *http.Request, why error, allow string) *http.Response {
	resp := errorText(r, http.StatusMethodNotAllowed, why)
	resp.Header.Set("Allow", allow)
	return resp
}

// ops returns the Op of each method that changes something, by the name of the method.
func ops() map[string]access.Op {
	return map[string]access.Op{
		http.MethodPut: access.Put, http.MethodPost: access.Append, http.MethodDelete: access.Delete, "MKCOL": access.MakeDir,
	}
}

// change does the Op of a method that changes something, and returns a response without a body: 201
// for a new directory and for an addition that has a URL, and otherwise 204. The fields If-Match,
// If-Unmodified-Since and If-None-Match become conditions, and Last-Modified becomes the time of
// the resource.
func (t transport) change(r *http.Request, u url.URL, from []url.URL) (*http.Response, error) {
	req := newRequest(r, &access.Request{Op: ops()[r.Method], URL: u, Size: r.ContentLength}, from)
	req.IfMatch.ETag = r.Header.Get("If-Match")
	req.IfMatch.ModTime, _ = http.ParseTime(r.Header.Get("If-Unmodified-Since")) // zero if it is not a time
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

// setBody gives req the body of r, with a GetBody if r has one. The caller calls closeAll after the
// request, which closes the bodies that GetBody returned.
func setBody(req *access.Request, r *http.Request) (closeAll func()) {
	if r.Body == nil {
		return func() {}
	}
	req.Body = r.Body
	if b, ok := r.Body.(*onceBody); ok {
		req.Body = b.ReadCloser // it may be an io.Seeker
	}
	if r.Body != http.NoBody && req.Size == 0 { // in net/http, 0 means unknown
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

// get opens the part of u that r asks for, or the whole resource if the engine cannot open the
// part. The error is access.ErrChanged if the resource does not meet the conditions of r. The
// caller closes the Body of the response.
func (t transport) get(r *http.Request, u url.URL, from []url.URL) (*http.Response, error) {
	req := newRequest(r, answer.Request(u, r.Header), from)
	resource, part, err := answer.Open(r.Context(), t.engine, req)
	if err != nil {
		return nil, err
	}
	if !meetsConditions(r.Header, resource.Validator()) {
		resource.Body.Close()
		return nil, engine.Fail("open", u, access.ErrChanged)
	}
	return toResponse(r, resource, !part.Whole(), part.Length), nil
}

// meetsConditions reports whether now, the version of the resource, meets the fields If-Match and
// If-Unmodified-Since of h (RFC 9110 §13.1.1, §13.1.4). Without these fields it does.
func meetsConditions(h http.Header, now access.Validator) bool {
	if want := strings.Join(h.Values("If-Match"), ","); want != "" {
		return strings.TrimSpace(want) == "*" || slices.ContainsFunc(strings.Split(want, ","), func(tag string) bool {
			return answer.IsSame(access.Validator{ETag: strings.TrimSpace(tag)}, now)
		})
	}
	since, err := http.ParseTime(h.Get("If-Unmodified-Since"))
	return err != nil || !now.ModTime.Truncate(time.Second).After(since)
}

// head returns a response with the attributes of u and no body. If they do not meet the conditions
// of r, the error is access.ErrChanged.
func (t transport) head(r *http.Request, u url.URL, from []url.URL) (*http.Response, error) {
	req := newRequest(r, answer.Request(u, r.Header), from)
	req.Offset, req.Length, req.IfMatch = 0, 0, access.Validator{}
	resource, err := answer.Head(r.Context(), t.engine, req)
	if err != nil {
		return nil, err
	}
	if !meetsConditions(r.Header, resource.Validator()) {
		return nil, engine.Fail("stat", u, access.ErrChanged)
	}
	resource.Body = http.NoBody
	return toResponse(r, resource, false, 0), nil
}
