// Package answer says over HTTP what came of an access: which status an error
// is, which part of a resource a Range asks for, and what the header says of a
// resource. It is shared by what gives such answers to Go programs and to
// browsers.
//
// Notable divergences:
//   - RFC 9110 §14.2: of the ranges, one from an offset is understood; any other
//     Range asks for the whole, as that section allows.
package answer

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"locus/access"
	"locus/url"
)

// Status returns the HTTP status that says what err means. It is the one place
// where errors become statuses. nil is 200.
func Status(err error) int {
	var syntax *url.SyntaxError
	switch {
	case err == nil:
		return http.StatusOK
	case errors.As(err, &syntax):
		return http.StatusBadRequest
	case errors.Is(err, access.ErrNotModified):
		return http.StatusNotModified
	case errors.Is(err, access.ErrChanged):
		return http.StatusPreconditionFailed
	case errors.Is(err, access.ErrRange):
		return http.StatusRequestedRangeNotSatisfiable
	case errors.Is(err, access.ErrPassword):
		return http.StatusUnauthorized
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	case errors.Is(err, fs.ErrPermission):
		return http.StatusForbidden
	case errors.Is(err, errors.ErrUnsupported):
		return http.StatusNotImplemented
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusBadGateway
}

// Range is the part of a resource that a request asks for.
type Range struct {
	Offset int64 // the first octet
	Length int64 // how many octets; 0 means all to the end
}

// Whole reports whether r is everything.
func (r Range) Whole() bool { return r == Range{} }

// ParseRange reads a Range field: "bytes=5-" and "bytes=5-9" (RFC 9110 §14.1.2).
// Any other asks for the whole.
func ParseRange(field string) Range {
	span, ok := strings.CutPrefix(field, "bytes=")
	first, last, found := strings.Cut(span, "-")
	if !ok || !found {
		return Range{}
	}
	from, err := strconv.ParseUint(first, 10, 62)
	if err != nil {
		return Range{}
	}
	if last == "" {
		return Range{Offset: int64(from)}
	}
	to, err := strconv.ParseUint(last, 10, 62)
	if err != nil || to < from {
		return Range{}
	}
	return Range{Offset: int64(from), Length: int64(to-from) + 1}
}

// Request returns the access that the header h asks for: a part of u, or u if it
// has changed.
func Request(u url.URL, h http.Header) *access.Request {
	r := ParseRange(h.Get("Range"))
	req := &access.Request{URL: u, Offset: r.Offset, Length: r.Length}
	req.IfChanged.ETag = h.Get("If-None-Match")
	if t, err := http.ParseTime(h.Get("If-Modified-Since")); err == nil {
		req.IfChanged.ModTime = t
	}
	condition := h.Get("If-Range")
	if r.Whole() || condition == "" {
		return req
	}
	if t, err := http.ParseTime(condition); err == nil {
		req.IfMatch.ModTime = t
	} else {
		req.IfMatch.ETag = condition
	}
	return req
}

// Open opens req; if the part that it asks for cannot be had, or could not be
// told in a Content-Range, the whole.
func Open(ctx context.Context, o access.Opener, req *access.Request) (r *access.Resource, partial bool, err error) {
	r, err = o.Open(ctx, req)
	partial = req.Offset > 0 || req.Length > 0
	switch {
	case !partial:
		return r, false, err
	case err == nil && r.Size >= 0:
		return r, true, nil
	case err == nil:
		r.Body.Close()
	case !errors.Is(err, access.ErrChanged) && !errors.Is(err, errors.ErrUnsupported):
		return nil, false, err
	}
	whole := *req
	whole.Offset, whole.Length, whole.IfMatch = 0, 0, access.Validator{}
	r, err = o.Open(ctx, &whole)
	return r, false, err
}

// Describe writes into h what is known of r, and returns the status of an answer
// that has it and how many octets that answer has: -1 if that is not known.
// length is how many octets were asked for, 0 for all to the end; partial says
// whether a part was.
func Describe(h http.Header, r *access.Resource, partial bool, length int64) (status int, octets int64) {
	setIf(h, "Content-Type", r.Type)
	setIf(h, "ETag", r.ETag)
	if !r.ModTime.IsZero() {
		h.Set("Last-Modified", r.ModTime.UTC().Format(http.TimeFormat))
	}
	if r.Size < 0 {
		return http.StatusOK, -1
	}
	octets = r.Size - r.Offset
	status = http.StatusOK
	if partial && (r.Offset > 0 || length > 0) {
		if length > 0 {
			octets = min(octets, length)
		}
		status = http.StatusPartialContent
		first := strconv.FormatInt(r.Offset, 10)
		last := strconv.FormatInt(r.Offset+octets-1, 10)
		h.Set("Content-Range", "bytes "+first+"-"+last+"/"+strconv.FormatInt(r.Size, 10))
	}
	h.Set("Content-Length", strconv.FormatInt(octets, 10))
	return status, octets
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// Head finds the attributes of what req names; where that is not supported it
// opens the resource and closes it again.
func Head(ctx context.Context, o access.Opener, req *access.Request) (access.Entry, error) {
	e, err := access.Stat(ctx, o, req)
	if !errors.Is(err, errors.ErrUnsupported) {
		return e, err
	}
	r, err := o.Open(ctx, req)
	if err != nil {
		return access.Entry{}, err
	}
	e = access.Entry{URL: r.URL, Kind: access.Object, Type: r.Type, Size: r.Size, ModTime: r.ModTime, Sys: r.Sys}
	if _, is := r.Lister(); is {
		e.Kind = access.Directory
	}
	return e, r.Body.Close()
}
