// Package answer says over HTTP what came of an access: which status an error
// is, which part of a resource a Range asks for, and what the header says of a
// resource. It is shared by what gives such answers to Go programs and to
// browsers.
//
// Notable divergences:
//   - RFC 9110 §14.2: one range is understood; several ask for the whole, as that
//     section allows: what is asked for in pieces is asked for again in time. So
//     does one of more than a MiB, without an end, or counted from the end where
//     the size of the resource is not known: its end has to be told before its
//     octets.
//   - RFC 9110 §8.8.1: no entity tag is made up where a protocol has none. All
//     that could be made of the time of the last change, Last-Modified says.
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

// Status returns the HTTP status that says what err means. It is the one place
// where errors become statuses. nil is 200; what a web server answered stays what
// it is.
func Status(err error) int {
	if err == nil {
		return http.StatusOK
	}
	if code := Replied(err); code != 0 {
		return code
	}
	for _, m := range meanings {
		if !errors.Is(err, m.err) {
			continue
		}
		if m.status == http.StatusServiceUnavailable && isTimeout(err) {
			return http.StatusGatewayTimeout
		}
		return m.status
	}
	if _, ok := errors.AsType[*url.SyntaxError](err); ok && !errors.Is(err, access.ErrProtocol) { // which is the server's
		return http.StatusBadRequest
	}
	return http.StatusBadGateway
}

// meanings are the statuses of errors; the first that fits counts.
var meanings = []struct {
	err    error
	status int
}{
	{access.ErrNotModified, http.StatusNotModified},
	{access.ErrChanged, http.StatusPreconditionFailed},
	{fs.ErrExist, http.StatusPreconditionFailed},
	{access.ErrRange, http.StatusRequestedRangeNotSatisfiable},
	{access.ErrPassword, http.StatusUnauthorized},
	{fs.ErrNotExist, http.StatusNotFound},
	{fs.ErrPermission, http.StatusForbidden},
	{errors.ErrUnsupported, http.StatusNotImplemented},
	{access.ErrTemporary, http.StatusServiceUnavailable}, // 504 if the server was silent for too long
	{context.DeadlineExceeded, http.StatusGatewayTimeout},
}

// isTimeout reports whether err says that something took too long.
func isTimeout(err error) bool {
	late, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && late.Timeout()
}

// Replied returns the status with which a web server refused; 0 if err is something
// else. It is 0 too if a proxy on the way wants a password (407): the client that
// asks here cannot give it.
func Replied(err error) int {
	e, ok := errors.AsType[*access.Error](err)
	if ok && e.HTTPStatus >= 400 && e.HTTPStatus < 600 && e.HTTPStatus != http.StatusProxyAuthRequired {
		return e.HTTPStatus
	}
	return 0
}

// Range is the part of a resource that a request asks for.
type Range struct {
	Offset int64 // the first octet; less than 0: so many before the end
	Length int64 // how many octets; 0 means all to the end
}

// Whole reports whether r is everything.
func (r Range) Whole() bool { return r == Range{} }

// Of returns r of a resource of so many octets: Offset is that of its first one.
func (r Range) Of(size int64) Range {
	if r.Offset < 0 {
		r.Offset = max(size+r.Offset, 0)
	}
	return r
}

// ParseRange reads a Range field: "bytes=5-", "bytes=5-9" and "bytes=-5" (RFC 9110
// §14.1.2). Any other asks for the whole.
func ParseRange(field string) Range {
	unit, span, _ := strings.Cut(field, "=")
	first, last, found := strings.Cut(strings.TrimSpace(span), "-")
	if !strings.EqualFold(unit, "bytes") || !found {
		return Range{}
	}
	if first == "" {
		n, _ := strconv.ParseUint(last, 10, 62) // 0 if it is none
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

// Request returns the access that the header h asks for: a part of u, or u if it
// has changed. A date does not count beside an entity tag (RFC 9110 §13.2.2).
func Request(u url.URL, h http.Header) *access.Request {
	r := ParseRange(h.Get("Range"))
	req := &access.Request{URL: u, Offset: r.Offset, Length: r.Length}
	req.IfChanged = validator(strings.Join(h.Values("If-None-Match"), ", "), h.Get("If-Modified-Since"))
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

func validator(etag, date string) access.Validator {
	if etag != "" {
		return access.Validator{ETag: etag}
	}
	if date == "" {
		return access.Validator{}
	}
	t, _ := http.ParseTime(date) // zero if it is none
	return access.Validator{ModTime: t}
}

// Open opens req. If the part that req asks for cannot be had, or its place could not
// be written in a Content-Range, Open opens the whole. An Offset less than 0 counts
// from the end, as in Range.
//
// part says what Body has: the zero Range if it is the whole. If the size of the
// resource is not known, part.Length is the number of bytes that are there. Open
// checks the conditions of req that an engine ignores. It does not change req.
func Open(ctx context.Context, o access.Engine, req *access.Request) (r *access.Resource, part Range, err error) {
	asked := *req
	if asked.Offset < 0 {
		return openEnd(ctx, o, asked)
	}
	return openFrom(ctx, o, asked)
}

// openFrom is Open for an Offset from the start.
func openFrom(ctx context.Context, o access.Engine, req access.Request) (*access.Resource, Range, error) {
	part := Range{Offset: req.Offset, Length: req.Length}
	r, err := openJudged(ctx, o, &req)
	if err == nil && !part.Whole() && r.Size < 0 {
		part.Length, err = measure(r, &req)
	}
	switch {
	case err == nil:
		return r, part, nil
	case errors.Is(err, errWhole):
	case part.Whole() || !errors.Is(err, access.ErrChanged) && !errors.Is(err, errors.ErrUnsupported):
		return nil, Range{}, err
	}
	req.Offset, req.Length, req.IfMatch = 0, 0, access.Validator{}
	r, err = openJudged(ctx, o, &req)
	return r, Range{}, err
}

// openJudged opens req, and checks that the resource is what req asks for.
func openJudged(ctx context.Context, o access.Engine, req *access.Request) (*access.Resource, error) {
	r, err := o.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := judge(r, req); err != nil {
		return nil, err
	}
	return r, nil
}

// openEnd opens the last -req.Offset bytes, or the whole if the size is not known
// before.
func openEnd(ctx context.Context, o access.Engine, req access.Request) (*access.Resource, Range, error) {
	found, err := o.Do(ctx, &access.Request{Op: access.Stat, URL: req.URL, Login: req.Login, Client: req.Client})
	last := -req.Offset
	req.Offset = 0
	if err == nil && found.Kind == access.Object && found.Size > last {
		req.Offset = found.Size - last
	}
	r, part, err := openFrom(ctx, o, req)
	if part.Whole() || r.Size == found.Size {
		return r, part, err
	}
	r.Body.Close() // its size has changed since, so this is not its end
	req.Offset = 0
	return openFrom(ctx, o, req)
}

// errWhole says that the part asked for cannot be told.
var errWhole = errors.New("no part of it")

// judge closes r, and says why, if it is not what req asks for.
func judge(r *access.Resource, req *access.Request) error {
	var err error
	partial := req.Offset > 0 || req.Length > 0
	switch {
	case isUnchanged(req.IfChanged, r.Validator()):
		err = access.ErrNotModified
	case !partial:
	case !req.IfMatch.IsZero() && !isSame(req.IfMatch, r.Validator()):
		err = errWhole
	case r.Size < 0 && !isMeasurable(r, req):
		err = errWhole
	case r.Size >= 0 && req.Offset >= r.Size:
		err = access.ErrRange
	case r.Offset != req.Offset:
		err = errWhole
	}
	if err != nil {
		r.Body.Close()
	}
	return err
}

// maxMeasured is how many octets of a resource of unknown size are taken to see how
// many there are.
const maxMeasured = 1 << 20

// isMeasurable reports whether a part of a resource of unknown size can be told.
func isMeasurable(r *access.Resource, req *access.Request) bool {
	isList := r.List != nil
	return !isList && req.Length > 0 && req.Length <= maxMeasured
}

// measure reads the part that req asks for, and returns its length (RFC 9110 §14.4:
// "bytes 5-9/*").
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

// isUnchanged reports whether who has the version known has that of now (RFC 9110
// §13.1.2, §13.1.3): known.ETag may be a list, or "*".
func isUnchanged(known, now access.Validator) bool {
	if known.ETag == "" {
		return !known.ModTime.IsZero() && !now.ModTime.IsZero() && !now.ModTime.Truncate(time.Second).After(known.ModTime)
	}
	if strings.TrimSpace(known.ETag) == "*" {
		return true
	}
	for tag := range strings.SplitSeq(known.ETag, ",") {
		if weak(tag) == weak(now.ETag) && now.ETag != "" {
			return true
		}
	}
	return false
}

// weak returns an entity tag without what says that it is weak (RFC 9110
// §8.8.3.2).
func weak(tag string) string { return strings.TrimPrefix(strings.TrimSpace(tag), "W/") }

// isSame reports whether v is the very version of now (RFC 9110 §13.1.5): a weak
// entity tag never is.
func isSame(v, now access.Validator) bool {
	if v.ETag != "" {
		return v.ETag == now.ETag && !strings.HasPrefix(v.ETag, "W/")
	}
	return v.ModTime.Equal(now.ModTime.Truncate(time.Second))
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
	size := "*"
	switch {
	case r.Size >= 0:
		octets, size = r.Size-r.Offset, strconv.FormatInt(r.Size, 10)
	case partial && length > 0: // Open has measured it
		octets = length
	default:
		return http.StatusOK, -1
	}
	status = http.StatusOK
	if partial {
		if length > 0 {
			octets = min(octets, length)
		}
		status = http.StatusPartialContent
		first := strconv.FormatInt(r.Offset, 10)
		last := strconv.FormatInt(r.Offset+octets-1, 10)
		h.Set("Content-Range", "bytes "+first+"-"+last+"/"+size)
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
	case isUnchanged(req.IfChanged, r.Validator()):
		return nil, access.ErrNotModified
	}
	return r, nil
}

// header returns what the header of a Get tells of a resource that Stat found: it
// has an ETag, and a directory is a listing of unknown size.
func header(found *access.Resource) *access.Resource {
	r := *found
	if r.Kind == access.Directory {
		r.List, r.Size = noEntries{}, -1
	}
	if f, ok := r.Sys.(Fielder); ok && r.ETag == "" {
		r.ETag = f.Field("ETag")
	}
	return &r
}

// noEntries is the List of a listing that nobody reads.
type noEntries struct{}

func (noEntries) Next() (access.Entry, error) { return access.Entry{}, io.EOF }

// A Fielder is a Sys that has the header fields of HTTP.
type Fielder interface {
	// Field returns the value of the field; several are joined by commas, "" is
	// none. name is as RFC 9110 writes it.
	Field(name string) string
}
