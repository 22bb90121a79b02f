package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/url"
)

// failure translates an error of net/http.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF):
		return unanswered{}
	case isClosed(err):
		return fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	case strings.Contains(err.Error(), brokenTransport):
		_, what, _ := strings.Cut(err.Error(), brokenTransport)
		return fmt.Errorf("%w: %s", access.ErrProtocol, what)
	}
	return err
}

// unanswered is an early end: a server closed the connection, and said nothing.
type unanswered struct{}

func (unanswered) Error() string { return "the server closed the connection without an answer" }
func (unanswered) Unwrap() error { return io.ErrUnexpectedEOF }

// brokenTransport is how net/http starts to say what is malformed.
const brokenTransport = "HTTP/1.x transport connection broken: "

// isClosed reports whether err says that the server closed the connection.
//
// QUIRK: net/http gives these errors no type of their own.
func isClosed(err error) bool {
	for _, text := range []string{"server closed idle connection", "server sent GOAWAY", "client connection lost"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// resource reads the header of the answer to req. It does not close the Body.
func resource(req *access.Request, resp *http.Response) (*access.Resource, error) {
	if err := status(req, resp); err != nil {
		return nil, err
	}
	r := &access.Resource{
		Entry: access.Entry{
			URL:  req.URL,
			Type: resp.Header.Get("Content-Type"),
			Size: resp.ContentLength,
			Sys:  &Reply{Proto: resp.Proto, Status: replyOf(resp), Header: resp.Header},
		},
		ETag: resp.Header.Get("ETag"),
		Body: resp.Body,
	}
	if t, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		r.ModTime = t
	}
	if resp.StatusCode == http.StatusPartialContent {
		part, err := contentRange(req, resp)
		if err != nil {
			return nil, err
		}
		r.Offset, r.Size = part.first, part.size
	}
	return r, sameVersion(req, r)
}

// sameVersion checks that r is the version that req asks for.
func sameVersion(req *access.Request, r *access.Resource) error {
	want := req.IfMatch
	switch {
	case want.IsZero():
		return nil
	case want.ETag != "" && r.ETag != "" && want.ETag != r.ETag:
		return access.ErrChanged
	case want.ETag == "" && !r.ModTime.IsZero() && !r.ModTime.Equal(want.ModTime.Truncate(time.Second)):
		return access.ErrChanged
	case want.ETag != "" && r.ETag == "" || want.ETag == "" && r.ModTime.IsZero():
		return unproven(r)
	}
	return nil
}

// unproven judges an answer without a validator: a part is only sent if the
// condition of If-Range held.
func unproven(r *access.Resource) error {
	if r.Offset > 0 {
		return nil
	}
	return access.ErrChanged
}

func replyOf(resp *http.Response) access.Reply {
	_, text, _ := strings.Cut(resp.Status, " ")
	return access.Reply{Code: resp.StatusCode, Text: text}
}

// status translates every status that is not the resource. It is the one place
// where HTTP's codes become errors.
func status(req *access.Request, resp *http.Response) error {
	tip, err := meaning(req, resp)
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		return moved
	}
	if err == nil {
		return nil
	}
	refused := refusal(resp, err)
	refused.Remedy, refused.RetryAfter = access.Advice(tip), retryAfter(resp.Header.Get("Retry-After"))
	return refused
}

// refusal returns the answer of a server that refuses, which means err.
func refusal(resp *http.Response, err error) *access.Refusal {
	return &access.Refusal{Reply: replyOf(resp), HTTPStatus: resp.StatusCode, Means: err}
}

// retryAfter reads Retry-After (RFC 9110 §10.2.3): seconds, or a date. It is 0 if
// that is neither, or past.
func retryAfter(field string) time.Duration {
	if seconds, err := strconv.ParseUint(field, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(field); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// meaning returns what a status means, and what the user can do about it.
func meaning(req *access.Request, resp *http.Response) (tip string, err error) {
	code := resp.StatusCode
	switch code {
	case http.StatusOK, http.StatusNonAuthoritativeInfo:
		return "", nil
	case http.StatusPartialContent:
		if req.Offset == 0 && req.Length == 0 {
			return "", fmt.Errorf("%w: a part came where the whole was asked for", access.ErrProtocol)
		}
		return "", nil
	case http.StatusNotModified:
		if req.IfChanged.IsZero() {
			return "", fmt.Errorf("%w: it was not asked whether the resource has changed", access.ErrProtocol)
		}
		return "", access.ErrNotModified
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return "", moved(req.URL, resp)
	case http.StatusUnauthorized:
		return "", access.Reason(access.ErrPassword.Error(), access.ErrPassword, fs.ErrPermission)
	case http.StatusProxyAuthRequired:
		return "", access.Reason("the proxy wants a password", fs.ErrPermission)
	case http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return "", fs.ErrPermission
	case http.StatusNotFound, http.StatusGone:
		return "", fs.ErrNotExist
	case http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return "", errors.ErrUnsupported
	case http.StatusPreconditionFailed:
		return "", access.ErrChanged
	case http.StatusRequestedRangeNotSatisfiable:
		return "", access.ErrRange
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "try again later", access.Reason("the server is busy", access.ErrTemporary)
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "try again later", access.Reason("the server failed", access.ErrTemporary)
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return "", access.Reason("the server refused", access.ErrTemporary)
	}
	switch {
	case code >= 500:
		return "try again later", access.ErrServer
	case code >= 400:
		return "", errors.New("the server refused")
	}
	return "", fmt.Errorf("%w: an answer without a resource", access.ErrProtocol)
}

// moved returns the *access.Moved that resp means.
func moved(from url.URL, resp *http.Response) error {
	location := resp.Header.Get("Location")
	if location == "" {
		return fmt.Errorf("%w: a redirect without a Location", access.ErrProtocol)
	}
	to, err := url.RFC3986.Resolve(from, transmissible(location))
	if err != nil {
		return fmt.Errorf("%w: a redirect to no URL: %w", access.ErrProtocol, err)
	}
	reply := replyOf(resp)
	return &access.Moved{
		To:        withLogin(to, from),
		Repeat:    resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect,
		Permanent: resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusPermanentRedirect,
		Reply:     &reply,
	}
}

// withLogin returns to with the user name and the password of from, if it has
// none and is of the same origin: a Location leaves them out.
func withLogin(to, from url.URL) url.URL {
	user, login := from.User()
	_, own := to.User()
	if !login || own || !sameOrigin(from, to) {
		return to
	}
	parts := to.Parts()
	parts.User = url.Some(user)
	if password, has := from.Password(); has {
		parts.Password = url.Some(password)
	}
	u, err := url.Build(parts)
	if err != nil {
		return to
	}
	return u
}

// A part is what Content-Range says (RFC 9110 §14.4).
type part struct {
	first, last int64
	size        int64 // -1 if the server does not know it
}

// contentRange reads the Content-Range of resp and holds it to req and to the
// Content-Length.
func contentRange(req *access.Request, resp *http.Response) (part, error) {
	field := resp.Header.Get("Content-Range")
	p, ok := parseContentRange(field)
	length := p.last - p.first + 1
	switch {
	case !ok:
		return part{}, fmt.Errorf("%w: no part of octets: Content-Range is %q", access.ErrProtocol, field)
	case p.first != req.Offset:
		return part{}, fmt.Errorf("%w: the part starts at %d, not at %d", access.ErrProtocol, p.first, req.Offset)
	case resp.ContentLength >= 0 && resp.ContentLength != length:
		return part{}, fmt.Errorf("%w: Content-Length is %d for %d octets", access.ErrProtocol, resp.ContentLength, length)
	case req.Length == 0 && p.size >= 0 && p.last != p.size-1:
		return part{}, fmt.Errorf("%w: the part ends at %d, not at %d", access.ErrProtocol, p.last, p.size-1)
	}
	return p, nil
}

// parseContentRange reads "bytes 5-9/10" or "bytes 5-9/*".
func parseContentRange(s string) (p part, ok bool) {
	unit, s, _ := strings.Cut(s, " ")
	span, size, ok := strings.Cut(s, "/")
	if !ok || !strings.EqualFold(unit, "bytes") {
		return part{}, false
	}
	first, last, _ := strings.Cut(span, "-")
	p.size = -1
	if size != "*" {
		p.size, ok = number(size)
	}
	var ok1, ok2 bool
	p.first, ok1 = number(first)
	p.last, ok2 = number(last)
	return p, ok && ok1 && ok2 && p.first <= p.last && (p.size < 0 || p.last < p.size)
}

func number(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err == nil
}

// lengthOf returns how many octets the Body of resp must give; -1 if resp does
// not tell.
func lengthOf(resp *http.Response) int64 {
	if resp.StatusCode == http.StatusPartialContent {
		if p, ok := parseContentRange(resp.Header.Get("Content-Range")); ok {
			return p.last - p.first + 1
		}
	}
	return resp.ContentLength
}
