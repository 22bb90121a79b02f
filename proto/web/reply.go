package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/internal/weburl"
	"locus/proto/internal/wire"
	"locus/url"
)

// failure translates err, an error of net/http for a request with ctx. It returns the cause of ctx
// if ctx is done, a *wire.IdleError for a timeout, an error that wraps io.ErrUnexpectedEOF if the
// connection broke, and one that wraps access.ErrProtocol for a malformed response. It returns
// other errors unchanged.
//
// QUIRK: net/http has no type for its timeout of a TLS handshake.
func (c *Client) failure(ctx context.Context, err error) error {
	idle, isIdle := errors.AsType[*wire.IdleError](err)
	network, isNetwork := errors.AsType[*net.OpError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case isIdle && strings.Contains(err.Error(), malformedPrefix): // a write has failed
		return idle
	case err.Error() == "net/http: TLS handshake timeout":
		return &wire.IdleError{Did: "sent nothing", Limit: c.dialer().IdleLimit()}
	case errors.Is(err, io.EOF): // net/http wraps it
		return engine.Reason("the server closed the connection without an answer", io.ErrUnexpectedEOF)
	case isClosed(err):
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	case errors.Is(err, net.ErrClosed), isNetwork && network.Op == "write" && !network.Timeout():
		return engine.Reason("the connection to the server broke", io.ErrUnexpectedEOF)
	case isNetwork && strings.Contains(err.Error(), malformedPrefix):
		return network
	case strings.Contains(err.Error(), malformedPrefix):
		_, reason, _ := strings.Cut(err.Error(), malformedPrefix)
		return fmt.Errorf("%w: %s", access.ErrProtocol, reason)
	}
	return err
}

// malformedPrefix starts the errors of net/http about malformed responses, and about requests that
// were written in part only.
const malformedPrefix = "HTTP/1.x transport connection broken: "

// isClosed reports whether err says that the server has closed the connection.
//
// QUIRK: net/http has no types for these errors.
func isClosed(err error) bool {
	for _, text := range []string{"server closed idle connection", "server sent GOAWAY", "client connection lost"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// toResource returns the Resource for a response to req, or the error that the response means. It
// sets resp.ContentLength to the number of bytes that the Body should have, and removes content
// codings. The caller closes the Body of resp in both cases.
func toResource(req *access.Request, resp *http.Response) (*access.Resource, error) {
	if err := checkStatus(req, resp); err != nil {
		return nil, err
	}
	if err := decode(req, resp); err != nil {
		return nil, err
	}
	r := &access.Resource{
		Entry: access.Entry{
			URL:    req.URL,
			Type:   resp.Header.Get("Content-Type"),
			Size:   resp.ContentLength,
			Header: headerOf(resp),
			Sys:    newReply(resp),
		},
		ETag:       resp.Header.Get("ETag"),
		HTTPStatus: resp.StatusCode,
		Body:       resp.Body,
	}
	if t, err := parseDate(resp.Header.Get("Last-Modified")); err == nil {
		r.ModTime = t
	}
	if resp.StatusCode == http.StatusPartialContent {
		part, err := checkContentRange(req, resp)
		if err != nil {
			return nil, err
		}
		r.Offset, r.Size, resp.ContentLength = part.first, part.size, part.wanted(req)-part.first
	}
	return r, checkVersion(req, r)
}

// A body is the Body of a Resource. It returns io.EOF only if the response is complete.
type body struct {
	io.ReadCloser
	url       url.URL
	remaining int64 // bytes still expected; -1 if unknown
}

// Read reads the body. More or fewer bytes than announced are an error.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.remaining >= 0 {
		if int64(n) > b.remaining {
			return 0, engine.Fail("read", b.url, fmt.Errorf("%w: more bytes than announced", access.ErrProtocol))
		}
		b.remaining -= int64(n)
		if b.remaining > 0 && access.IsEnd(err) {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, engine.FailReading("read", b.url, err)
}

// checkVersion returns access.ErrChanged if IfMatch is set, and r is not known to be that version. It
// accepts a part without a validator that begins after the first byte, because servers send a part
// only if the condition of If-Range was true.
func checkVersion(req *access.Request, r *access.Resource) error {
	want := req.IfMatch
	isKnown, isSame := r.ETag != "", r.ETag == want.ETag
	if want.ETag == "" {
		isKnown, isSame = !r.ModTime.IsZero(), r.ModTime.Equal(want.ModTime.Truncate(time.Second))
	}
	if want.IsZero() || isKnown && isSame || !isKnown && r.Offset > 0 {
		return nil
	}
	return access.ErrChanged
}

// replyOf returns the status of a response.
func replyOf(resp *http.Response) access.Reply {
	_, text, _ := strings.Cut(resp.Status, " ")
	return access.Reply{Code: resp.StatusCode, Text: text}
}

// checkStatus returns nil if the status of resp means success. Otherwise it returns an
// *access.Moved for a redirect, or an *engine.Refusal.
func checkStatus(req *access.Request, resp *http.Response) error {
	err := statusError(req, resp)
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		return moved
	}
	if err == nil {
		return nil
	}
	refused := refusal(resp, err)
	refused.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	return refused
}

// refusal returns resp as a refusal that wraps err, the meaning of its status.
func refusal(resp *http.Response, err error) *engine.Refusal {
	return &engine.Refusal{Reply: replyOf(resp), HTTPStatus: resp.StatusCode, Means: err, Header: headerOf(resp), Sys: newReply(resp)}
}

// retryAfter parses Retry-After (RFC 9110 §10.2.3): seconds or a date. It returns 0 if the field is
// invalid or the date is past.
func retryAfter(field string) time.Duration {
	if seconds, err := strconv.ParseUint(field, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := parseDate(field); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

const tryLater = access.Advice("try again later")

// statusErrors maps statuses to the errors that they mean.
var statusErrors = map[int]error{
	http.StatusNoContent:                    engine.Reason("the server has no content to send", access.ErrProtocol), // which callers expect of an answer without a resource
	http.StatusUnauthorized:                 engine.Reason(access.ErrPassword.Error(), access.ErrPassword, fs.ErrPermission),
	http.StatusProxyAuthRequired:            access.WithRemedy(engine.Reason("the proxy requires a password", fs.ErrPermission), access.NeedProxyLogin),
	http.StatusForbidden:                    fs.ErrPermission,
	http.StatusUnavailableForLegalReasons:   fs.ErrPermission,
	http.StatusNotFound:                     fs.ErrNotExist,
	http.StatusGone:                         fs.ErrNotExist,
	http.StatusMethodNotAllowed:             errors.ErrUnsupported,
	http.StatusNotImplemented:               errors.ErrUnsupported,
	http.StatusHTTPVersionNotSupported:      errors.ErrUnsupported,
	http.StatusPreconditionFailed:           access.ErrChanged,
	http.StatusRequestedRangeNotSatisfiable: access.ErrRange,
	http.StatusTooManyRequests:              access.WithRemedy(engine.Reason("the server is busy", access.ErrTemporary), tryLater),
	http.StatusServiceUnavailable:           access.WithRemedy(engine.Reason("the server is busy", access.ErrTemporary), tryLater),
	http.StatusBadGateway:                   access.WithRemedy(engine.Reason("the server failed", access.ErrTemporary), tryLater),
	http.StatusGatewayTimeout:               access.WithRemedy(engine.Reason("the server failed", access.ErrTemporary), tryLater),
	http.StatusRequestTimeout:               engine.Reason("the server refused", access.ErrTemporary),
	http.StatusTooEarly:                     engine.Reason("the server refused", access.ErrTemporary),
}

// changeErrors maps statuses to the errors that they mean after a change; nil is success. It takes
// precedence over statusErrors.
var changeErrors = map[int]error{
	http.StatusCreated:      nil,
	http.StatusAccepted:     nil,
	http.StatusNoContent:    nil,
	http.StatusResetContent: nil,
	http.StatusMultiStatus:  errors.New("only a part of it was done"),
	http.StatusConflict: access.WithRemedy(
		errors.New("it conflicts with an existing resource"), access.Advice("the folder of a new resource must exist")),
	http.StatusLengthRequired: access.WithRemedy(
		errors.New("the server requires a length"), access.Advice("send a file instead of a stream")),
	http.StatusRequestEntityTooLarge: errors.New("it is larger than the server accepts"),
	http.StatusUnsupportedMediaType:  errors.New("the server does not accept this type"),
	http.StatusLocked:                engine.Reason("it is locked", fs.ErrPermission),
	http.StatusPreconditionRequired: access.WithRemedy(
		errors.New("the server requires a condition"), access.Advice("give the entity tag of the version")),
	http.StatusInsufficientStorage: access.ErrFull,
	http.StatusMethodNotAllowed:    access.WithRemedy(errNoChanges, enableChanges),
	http.StatusNotImplemented:      access.WithRemedy(errNoChanges, enableChanges),
}

const enableChanges = access.Advice("for uploads, PUT or WebDAV must be enabled on the server")

var (
	errNoChanges = sentinel.New("the server does not allow this change here", errors.ErrUnsupported)
	errNoStorage = sentinel.New("no resource can be stored here", fs.ErrNotExist)
)

// statusError returns the error that the status of a response to req means; nil for success. It is
// an *access.Moved for a redirect.
func statusError(req *access.Request, resp *http.Response) error {
	code := resp.StatusCode
	if req.Op.Changes() {
		if err, ok := changeErrors[code]; ok {
			return err
		}
	}
	switch code {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
		return nil
	case http.StatusPartialContent:
		if req.Offset == 0 && req.Length == 0 {
			return fmt.Errorf("%w: a part instead of the whole", access.ErrProtocol)
		}
		return nil
	case http.StatusNotModified:
		if req.IfChanged.IsZero() {
			return fmt.Errorf("%w: the request had no condition", access.ErrProtocol)
		}
		return access.ErrNotModified
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return movedError(req.URL, resp)
	}
	err, ok := statusErrors[code]
	switch {
	case code == http.StatusPreconditionFailed && req.IfAbsent:
		return fs.ErrExist
	case code == http.StatusNotFound && (req.Op == access.Put || req.Op == access.MakeDir):
		return access.WithRemedy(errNoStorage, enableChanges)
	case code == http.StatusUnauthorized && hasAuthorization(resp):
		return access.ErrLogin
	case ok:
		return err
	case code >= 500 && (req.Op == access.Put || req.Op == access.MakeDir) && len(lastName(req.URL)) >= longName:
		why := fmt.Sprintf("the server failed, perhaps at a name of %d bytes", len(lastName(req.URL)))
		return access.WithRemedy(engine.Reason(why, access.ErrServer), access.Advice("use a shorter name; if that fails, too, try again later"))
	case code >= 500:
		return access.WithRemedy(access.ErrServer, tryLater)
	case code >= 400:
		return errors.New("the server refused")
	}
	return fmt.Errorf("%w: an unexpected status", access.ErrProtocol)
}

// longName is the number of bytes from which a name may be too long for a server. Most systems
// accept 255, but a server may write under a temporary name first, which is longer.
//
// QUIRK: lighttpd 1.4.69 responds with 500 to a PUT of such a name.
const longName = 240

// lastName returns the decoded name at the end of the path of u, without a final "/"; "" if the
// path is empty.
func lastName(u url.URL) string {
	all := u.Segments()
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// resolve resolves a Location (RFC 9110 §10.2.2), or a link in a listing, against the URL of the
// request as browsers do. Like Chromium, it escapes each byte beyond ASCII, in whatever encoding.
func resolve(from url.URL, location string) (url.URL, error) {
	if to, ok := weburl.Resolve(from, escapeUnless(isASCII, location)); ok {
		return to, nil
	}
	base, err := url.Parse(from.String()) // from may have been parsed by another standard
	if err != nil {
		return url.URL{}, err
	}
	return base.Resolve(escapeForHTTP(location))
}

// movedError returns the *access.Moved of a redirect from the URL from, or access.ErrProtocol if
// resp has no valid Location.
func movedError(from url.URL, resp *http.Response) error {
	location := resp.Header.Get("Location")
	if location == "" {
		return fmt.Errorf("%w: a redirect without a Location", access.ErrProtocol)
	}
	to, err := resolve(from, location)
	if err != nil {
		return fmt.Errorf("%w: a redirect to an invalid URL: %w", access.ErrProtocol, err)
	}
	reply := replyOf(resp)
	return &access.Moved{
		To:        withLogin(to, from),
		Repeat:    resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect,
		Permanent: resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusPermanentRedirect,
		Reply:     &reply,
		Header:    headerOf(resp),
		Sys:       newReply(resp),
	}
}

// withLogin adds the user and password of from to a URL of the same origin without a user, because
// a Location omits them.
func withLogin(to, from url.URL) url.URL {
	user, login := from.User()
	_, own := to.User()
	if !login || own || !sameOrigin(from, to) {
		return to
	}
	u, err := to.With(url.User, url.Some(user))
	if password, has := from.Password(); err == nil && has {
		u, err = u.With(url.Password, url.Some(password))
	}
	if err != nil {
		return to
	}
	return u
}

// A byteRange is the content of Content-Range (RFC 9110 §14.4).
type byteRange struct {
	first, last int64
	size        int64 // the size of the whole; -1 if the server does not know it
}

// length returns the number of bytes in the range.
func (p byteRange) length() int64 { return p.last - p.first + 1 }

// wanted returns the offset at which the bytes that req asks for end, or the end of the resource if
// that is earlier. It is larger than p.last+1 if the server sends fewer bytes than it should.
func (p byteRange) wanted(req *access.Request) int64 {
	end := p.last + 1
	if p.size >= 0 {
		end = p.size
	}
	if req.Length > 0 {
		end = min(end, req.Offset+req.Length)
	}
	return max(end, p.last+1)
}

// checkContentRange returns the Content-Range of resp. It returns an error unless the range matches
// Content-Length and has the first byte that req asks for. The range may begin earlier, as in
// access.Resource.Offset. If it ends earlier than req asks, the end of the Body is an error.
func checkContentRange(req *access.Request, resp *http.Response) (byteRange, error) {
	field := resp.Header.Get("Content-Range")
	p, ok := parseContentRange(field)
	switch {
	case !ok:
		return byteRange{}, fmt.Errorf("%w: invalid Content-Range %q", access.ErrProtocol, field)
	case p.first > req.Offset || p.last < req.Offset:
		return byteRange{}, fmt.Errorf("%w: the part has the bytes from %d to %d, and not byte %d", access.ErrProtocol, p.first, p.last, req.Offset)
	case resp.ContentLength >= 0 && resp.ContentLength != p.length():
		return byteRange{}, fmt.Errorf("%w: Content-Length is %d for %d bytes", access.ErrProtocol, resp.ContentLength, p.length())
	}
	return p, nil
}

// parseContentRange parses "bytes 5-9/10" or "bytes 5-9/*". ok is false if s is invalid.
func parseContentRange(s string) (p byteRange, ok bool) {
	unit, s, _ := strings.Cut(s, " ")
	span, size, ok := strings.Cut(s, "/")
	if !ok || !strings.EqualFold(unit, "bytes") {
		return byteRange{}, false
	}
	first, last, _ := strings.Cut(span, "-")
	p.size = -1
	if size != "*" {
		p.size, ok = parseNumber(size)
	}
	var ok1, ok2 bool
	p.first, ok1 = parseNumber(first)
	p.last, ok2 = parseNumber(last)
	return p, ok && ok1 && ok2 && p.first <= p.last && (p.size < 0 || p.last < p.size)
}

// parseNumber parses a decimal number without a sign. ok is false if s is invalid or too large.
func parseNumber(s string) (number int64, ok bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err == nil
}

// hasAuthorization reports whether the request that resp answers had a field Authorization.
func hasAuthorization(resp *http.Response) bool {
	return resp.Request != nil && resp.Request.Header.Get("Authorization") != ""
}
