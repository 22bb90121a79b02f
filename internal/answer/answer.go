// Package answer translates an access into HTTP: the status of an error, the part of
// a resource that a Range asks for, and the header of a resource. Client.HTTP and the
// gateway share it.
//
// Notable divergences:
//   - RFC 9110 §14.2: only one range is understood. A request for several ranges gets the
//     whole resource, as that section allows. If the size of the resource is unknown, a
//     request for a range of more than a MiB, without an end, or counted from the end gets
//     the whole resource, too, because Content-Range must name the end before the bytes are
//     sent.
//   - RFC 9110 §8.8.1: if the protocol lacks entity tags, the response does, too.
//     Last-Modified has the time of the last change.
package answer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/url"
)

// Status returns the HTTP status for err. All other packages call it, so that an error has
// the same status everywhere. It returns 200 for nil, and the status of a web server
// unchanged.
func Status(err error) int {
	if err == nil {
		return http.StatusOK
	}
	if code := Replied(err); code != 0 {
		return code
	}
	for _, m := range meanings {
		if !errors.Is(err, *m.err) {
			continue
		}
		if m.status == http.StatusServiceUnavailable && IsTimeout(err) {
			return http.StatusGatewayTimeout
		}
		return m.status
	}
	if _, ok := errors.AsType[*url.SyntaxError](err); ok && !errors.Is(err, access.ErrProtocol) { // ErrProtocol marks a syntax error in a reply
		return http.StatusBadRequest
	}
	return http.StatusBadGateway
}

// meanings are the statuses of errors. The first error that matches counts.
var meanings = []struct {
	err    *error
	status int
}{
	{&access.ErrNotModified, http.StatusNotModified},
	{&access.ErrChanged, http.StatusPreconditionFailed},
	{&fs.ErrExist, http.StatusPreconditionFailed},
	{&access.ErrRange, http.StatusRequestedRangeNotSatisfiable},
	{&access.ErrLoop, http.StatusLoopDetected},
	{&access.ErrPassword, http.StatusUnauthorized},
	{&fs.ErrNotExist, http.StatusNotFound},
	{&fs.ErrPermission, http.StatusForbidden},
	{&fs.ErrInvalid, http.StatusBadRequest},
	{&errors.ErrUnsupported, http.StatusNotImplemented},
	{&access.ErrTemporary, http.StatusServiceUnavailable}, // 504 if the server was silent for too long
	{&context.DeadlineExceeded, http.StatusGatewayTimeout},
}

// IsTimeout reports whether err, or an error that it wraps, has a method Timeout that returns true.
func IsTimeout(err error) bool {
	late, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && late.Timeout()
}

// Replied returns the status (400 to 599) with which a web server refused the request, or 0 for any
// other error and for nil. It also returns 0 if a proxy on the way wants a password (407), because
// the client of this program cannot give it.
func Replied(err error) int {
	e, ok := errors.AsType[*access.Error](err)
	if ok && e.HTTPStatus >= 400 && e.HTTPStatus < 600 && e.HTTPStatus != http.StatusProxyAuthRequired {
		return e.HTTPStatus
	}
	return 0
}

// Range is the part of a resource that a request asks for.
type Range struct {
	Offset int64 // the first byte; negative: counted from the end
	Length int64 // how many bytes; 0: all to the end
}

// Whole reports whether r is the whole resource.
func (r Range) Whole() bool { return r == Range{} }

// Of returns r for a resource of size bytes: a negative Offset becomes the offset from the start,
// at least 0.
func (r Range) Of(size int64) Range {
	if r.Offset < 0 {
		r.Offset = max(size+r.Offset, 0)
	}
	return r
}

// parseRange parses the value of a Range field: "bytes=5-", "bytes=5-9" or "bytes=-5" (RFC 9110
// §14.1.2). For any other text, also for several ranges, it returns the zero Range.
func parseRange(field string) Range {
	unit, span, _ := strings.Cut(field, "=")
	first, last, found := strings.Cut(strings.TrimSpace(span), "-")
	if !strings.EqualFold(unit, "bytes") || !found {
		return Range{}
	}
	if first == "" {
		n, _ := strconv.ParseUint(last, 10, 62) // 0 if it is not a number
		return Range{Offset: -int64(min(n, math.MaxInt64/2))}
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

// Request returns a Get of u with the Range and the conditions of the header h. It ignores
// If-Modified-Since if there is an If-None-Match (RFC 9110 §13.2.2), and If-Range without a Range.
func Request(u url.URL, h http.Header) *access.Request {
	r := parseRange(h.Get("Range"))
	req := &access.Request{URL: u, Offset: r.Offset, Length: r.Length}
	if req.IfChanged.ETag = strings.Join(h.Values("If-None-Match"), ", "); req.IfChanged.ETag == "" {
		if since := h.Get("If-Modified-Since"); since != "" {
			req.IfChanged.ModTime, _ = http.ParseTime(since) // zero if it is not a time
		}
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

// Open opens the part of a resource that req.Offset and req.Length name. A negative Offset counts
// from the end. If the engine cannot open the part, if a Content-Range could not name it, or if the
// resource has changed since req.IfMatch, Open opens the whole resource.
//
// part is the part in Body; the zero Range means the whole resource. If the size of the resource is
// unknown, part.Length is the number of bytes in Body. Open also checks the conditions of req that
// an engine ignores; the error is [access.ErrNotModified] if IfChanged is the present version. It
// does not change req. The caller closes Body.
func Open(ctx context.Context, o access.Engine, req *access.Request) (r *access.Resource, part Range, err error) {
	if req.Offset < 0 {
		return openEnd(ctx, o, *req)
	}
	return openFrom(ctx, o, req)
}

// openFrom implements Open for an Offset that is not negative. It also opens the whole resource,
// and returns the zero Range, if the resource has changed since req.IfMatch.
func openFrom(ctx context.Context, o access.Engine, req *access.Request) (*access.Resource, Range, error) {
	part := Range{Offset: req.Offset, Length: req.Length}
	r, err := openJudged(ctx, o, req)
	if err == nil && !part.Whole() && r.Size < 0 {
		part.Length, err = measure(r, req)
	}
	switch {
	case err == nil:
		return r, part, nil
	case errors.Is(err, errWhole):
	case part.Whole() || !errors.Is(err, access.ErrChanged) && !errors.Is(err, errors.ErrUnsupported):
		return nil, Range{}, err
	}
	whole := *req
	whole.Offset, whole.Length, whole.IfMatch = 0, 0, access.Validator{}
	r, err = openJudged(ctx, o, &whole)
	return r, Range{}, err
}

// openJudged opens req. If the resource does not match req, it closes the Body and returns the
// error of judge.
func openJudged(ctx context.Context, o access.Engine, req *access.Request) (*access.Resource, error) {
	r, err := o.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := judge(r, req); err != nil {
		r.Body.Close()
		return nil, err
	}
	return r, nil
}

// openEnd implements Open for a negative Offset: it opens the last -req.Offset bytes, or the whole
// resource if it is shorter, if Stat does not tell its size, or if the size has changed since Stat.
func openEnd(ctx context.Context, o access.Engine, req access.Request) (*access.Resource, Range, error) {
	found, err := o.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login, Client: req.Client, PublicOnly: req.PublicOnly, PublicAway: req.PublicAway})
	last := -req.Offset
	req.Offset = 0
	if err == nil && found.Kind == access.Object && found.Size > last {
		req.Offset = found.Size - last
	}
	r, part, err := openFrom(ctx, o, &req)
	if part.Whole() || r.Size == found.Size {
		return r, part, err
	}
	r.Body.Close() // its size has changed since Stat, so this is not its end
	req.Offset = 0
	return openFrom(ctx, o, &req)
}

// errWhole says that the whole resource must be opened instead of the part.
var errWhole = errors.New("the part cannot be sent")

// judge checks r against the range and the conditions of req. It returns access.ErrNotModified if r
// is the version that the client has, access.ErrRange if r ends before req.Offset, and errWhole if
// the whole resource must be sent instead.
func judge(r *access.Resource, req *access.Request) error {
	partial := req.Offset > 0 || req.Length > 0
	switch {
	case IsUnchanged(req.IfChanged, r.Validator()):
		return access.ErrNotModified
	case !partial:
		return nil
	case !IsSame(req.IfMatch, r.Validator()):
		return errWhole
	case r.Size < 0 && (r.List != nil || req.Length <= 0 || req.Length > maxMeasured):
		return errWhole // its length cannot be found by reading it
	case r.Size >= 0 && req.Offset >= r.Size:
		return access.ErrRange
	case r.Offset != req.Offset:
		return errWhole
	}
	return nil
}

// maxMeasured is how many bytes of a resource of unknown size are read to find the
// length of a part.
const maxMeasured = 1 << 20

// measure reads the requested part of a resource of unknown size, and returns its length, which
// Content-Range needs (RFC 9110 §14.4: "bytes 5-9/*"). It closes the Body of r, and replaces it by
// a Body with the bytes that were read. The error is access.ErrRange if the part is empty.
func measure(r *access.Resource, req *access.Request) (length int64, err error) {
	defer r.Body.Close()
	data, err := io.ReadAll(io.LimitReader(r.Body, req.Length))
	if err == nil && len(data) == 0 {
		err = access.ErrRange
	}
	if err != nil {
		return 0, err
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	return int64(len(data)), nil
}

// IsUnchanged reports whether a client has the present version of a resource. known is the
// IfChanged of a Request, and now is the present version (RFC 9110 §13.1.2, §13.1.3). known.ETag
// may be a list of tags, or "*", which always matches. Without known.ETag, IsUnchanged compares the
// times; it returns false if one of them is zero.
func IsUnchanged(known, now access.Validator) bool {
	if known.ETag == "" {
		return !known.ModTime.IsZero() && !now.ModTime.IsZero() && !now.ModTime.Truncate(time.Second).After(known.ModTime)
	}
	if strings.TrimSpace(known.ETag) == "*" {
		return true
	}
	for tag := range strings.SplitSeq(known.ETag, ",") {
		if Weak(tag) == Weak(now.ETag) && now.ETag != "" {
			return true
		}
	}
	return false
}

// Weak returns an entity tag without its mark "W/" (RFC 9110 §8.8.3.2).
func Weak(tag string) string { return strings.TrimPrefix(strings.TrimSpace(tag), "W/") }

// IsSame reports whether v, the IfMatch of a Request, is exactly the present version now (RFC 9110
// §13.1.5). It compares the entity tags or, if v has no tag, the times to the second. A weak tag
// never matches, and the zero v always does.
func IsSame(v, now access.Validator) bool {
	if v.IsZero() {
		return true
	}
	if v.ETag != "" {
		return v.ETag == now.ETag && !strings.HasPrefix(v.ETag, "W/")
	}
	return v.ModTime.Equal(now.ModTime.Truncate(time.Second))
}

// Describe writes the header of a response with r into h, and returns the status and the length of
// the response in bytes; n is -1 if the length is unknown. If partial is set, the response is a
// part of r that begins at r.Offset and has length bytes; a length of 0 means all bytes to the end.
func Describe(h http.Header, r *access.Resource, partial bool, length int64) (status int, n int64) {
	fields := fieldSetter{header: h, values: make([]string, 0, 5)}
	fields.set("Content-Type", r.Type)
	fields.set("Etag", r.ETag)
	if !r.ModTime.IsZero() {
		fields.set("Last-Modified", r.ModTime.UTC().Format(http.TimeFormat))
	}
	size := "*"
	switch {
	case r.Size >= 0:
		n, size = r.Size-r.Offset, strconv.FormatInt(r.Size, 10)
	case partial && length > 0: // Open has measured it
		n = length
	default:
		return http.StatusOK, -1
	}
	status = http.StatusOK
	if partial {
		if length > 0 {
			n = min(n, length)
		}
		status = http.StatusPartialContent
		first := strconv.FormatInt(r.Offset, 10)
		last := strconv.FormatInt(r.Offset+n-1, 10)
		fields.set("Content-Range", "bytes "+first+"-"+last+"/"+size)
	}
	fields.set("Content-Length", strconv.FormatInt(n, 10))
	return status, n
}

// A fieldSetter sets fields of a header whose values share one allocation.
type fieldSetter struct {
	header http.Header
	values []string
}

// set sets a field, unless the value is "". name must be in canonical form.
func (f *fieldSetter) set(name, value string) {
	if value == "" {
		return
	}
	f.values = append(f.values, value)
	last := len(f.values)
	f.header[name] = f.values[last-1 : last : last]
}

// Head returns the attributes of a resource without its content. If the engine lacks Stat, Head
// opens the resource and closes its Body. If List is not nil, the resource has entries, but List
// must not be read. If req.IfChanged is the present version, the error is [access.ErrNotModified].
func Head(ctx context.Context, o access.Engine, req *access.Request) (*access.Resource, error) {
	r, err := o.Do(ctx, req.WithOp(access.Stat))
	if errors.Is(err, errors.ErrUnsupported) {
		if r, err = o.Do(ctx, req); err == nil {
			r.Body.Close()
		}
	} else if err == nil {
		r = header(r)
	}
	switch {
	case err != nil:
		return nil, err
	case IsUnchanged(req.IfChanged, r.Validator()):
		return nil, access.ErrNotModified
	}
	return r, nil
}

// header returns a copy of found, the result of Stat, that looks like the result of a Get: it sets
// the ETag, and turns a directory into a listing of unknown size. The listing has no entries.
func header(found *access.Resource) *access.Resource {
	r := *found
	if r.Kind == access.Directory {
		r.List, r.Size = noEntries{}, -1
	}
	if r.ETag == "" {
		r.ETag = r.Header.Get("ETag")
	}
	return &r
}

// noEntries is an empty listing.
type noEntries struct{}

func (noEntries) Next() (access.Entry, error) { return access.Entry{}, io.EOF }
