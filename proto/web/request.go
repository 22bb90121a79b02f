package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ascii"
	"locus/internal/weburl"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// originRequest returns a GET request to the server that u names, without header fields. Its target is the path and the
// query. The scheme must be http or https.
func originRequest(u url.URL) (*http.Request, error) {
	if u.Scheme() != "http" && u.Scheme() != "https" {
		return nil, access.ErrNoScheme
	}
	view, err := scheme.ParseHTTP(u)
	if err != nil {
		return nil, err
	}
	host, err := hostPort(view.Host)
	if err != nil {
		return nil, err
	}
	target, err := requestURL(sendable(u, u.PathAndQuery()))
	if err != nil {
		return nil, err
	}
	target.Scheme, target.Host = u.Scheme(), host
	if strings.HasPrefix(target.Opaque, "//") {
		makeAbsolute(target)
	}
	return newRequest(target), nil
}

// newRequest returns a GET request with an empty header.
func newRequest(target *neturl.URL) *http.Request {
	return &http.Request{
		Method: http.MethodGet,
		URL:    target,
		Header: make(http.Header),
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
}

// requestURL returns a net/url.URL whose RequestURI is pathAndQuery. It has an Opaque if net/url
// would write the path differently: browsers send bytes such as "|", and "%" without digits, as they
// are.
func requestURL(pathAndQuery string) (*neturl.URL, error) {
	raw, query, hasQuery := strings.Cut(pathAndQuery, "?")
	target := &neturl.URL{Path: ascii.Unescape(raw), RawPath: raw, RawQuery: query, ForceQuery: hasQuery}
	path := cmp.Or(raw, "/")
	want := path
	if hasQuery {
		want += "?" + query
	}
	if target.RequestURI() != want {
		target.Opaque = path
	}
	if got := target.RequestURI(); got != want && !strings.HasPrefix(path, "//") {
		return nil, fmt.Errorf("net/http would send %q", got)
	}
	return target, nil
}

// makeAbsolute changes a target with an Opaque to the absolute form (RFC 9112 §3.2.2). A proxy expects that form, and
// servers accept it. net/http has no other way to send a path that starts with "//".
func makeAbsolute(target *neturl.URL) { target.Opaque = "//" + target.Host + target.Opaque }

// urlOf inverts originRequest: it returns the URL of the request, without a user and password.
func urlOf(r *http.Request) (url.URL, error) {
	target := r.URL.RequestURI()
	if strings.HasPrefix(target, "/") {
		target = r.URL.Scheme + "://" + r.URL.Host + target
	}
	return weburl.Parse(target)
}

// hostPort returns the value of the field Host for h. It refuses a host with a delimiter, because a delimiter would end
// the field.
func hostPort(h scheme.Host) (string, error) {
	if i := strings.IndexFunc(h.Name, isDelimiter); i >= 0 {
		return "", fmt.Errorf("the host has the invalid byte %#02x", h.Name[i])
	}
	name := h.Name
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if h.Port == 0 {
		return name, nil
	}
	return fmt.Sprintf("%s:%d", name, h.Port), nil
}

// isDelimiter reports whether a host must not have r.
func isDelimiter(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`"#/<>?@[\]^`+"`{|}", r)
}

// sendable returns text, a part of u, with escapes for the bytes that HTTP does not allow. It returns text unchanged if
// u follows the URL Standard, because its parser has escaped the bytes that browsers escape, and servers accept the
// others.
func sendable(u url.URL, text string) string {
	if u.Standard() == whatwg.Standard {
		return text
	}
	return escapeForHTTP(text)
}

// escapeForHTTP escapes bytes that are not allowed in a URI: space, control and non-ASCII bytes,
// and "<>\^`{|} (RFC 1630, "http"). Existing escapes stay.
func escapeForHTTP(s string) string { return escapeUnless(isSendable, s) }

// escapeUnless escapes the bytes of s for which keep reports false, as "%7C".
func escapeUnless(keep func(byte) bool, s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0xFF || !keep(byte(r)) }) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if keep(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// isASCII reports whether c is below 0x80.
func isASCII(c byte) bool { return c < 0x80 }

// isSendable reports whether c is allowed in a URI.
func isSendable(c byte) bool {
	return ' ' < c && c < 0x7f && strings.IndexByte("\"<>\\^`{|}", c) < 0
}

// setHeader sets the header fields for req, except Cookie. The fields of Client.Header do not replace those that req
// needs.
func (c *Client) setHeader(ctx context.Context, h http.Header, req *access.Request) {
	h.Set("User-Agent", cmp.Or(c.UserAgent, "locus"))
	h.Set("Accept", "*/*")
	if c.Header != nil {
		for name, value := range c.Header(req.URL) {
			h.Set(name, value)
		}
	}
	if via := c.via(ctx); via != "" {
		h.Set("Via", via)
	}
	h.Set("Accept-Encoding", "identity")
	setRange(h, req)
	setConditions(h, req)
	if name, ok := userOf(req.URL); ok {
		if password, ok := passwordOf(req.URL); ok {
			h.Set("Authorization", basic(name, password))
		}
	}
}

// via returns the Via field of a request: the value that WithVia stored, and the name of this
// Client unless that is the last name in the value.
func (c *Client) via(ctx context.Context) string {
	passed := Via(ctx)
	switch {
	case c.Via == "" || strings.HasSuffix(passed, " "+c.Via):
		return passed
	case passed == "":
		return "1.1 " + c.Via
	}
	return passed + ", 1.1 " + c.Via
}

// setRange sets the field Range if req has an Offset or a Length.
func setRange(h http.Header, req *access.Request) {
	switch {
	case req.Length > 0:
		h.Set("Range", fmt.Sprintf("bytes=%d-%d", req.Offset, req.Offset+req.Length-1))
	case req.Offset > 0:
		h.Set("Range", fmt.Sprintf("bytes=%d-", req.Offset))
	}
}

// setConditions sets the header fields for IfChanged, and for IfMatch with a range (RFC 9110 §13).
// It leaves out a weak entity tag, which If-Range does not allow; checkVersion compares it with the
// response.
func setConditions(h http.Header, req *access.Request) {
	switch v := req.IfChanged; {
	case v.ETag != "":
		h.Set("If-None-Match", v.ETag)
	case !v.ModTime.IsZero():
		h.Set("If-Modified-Since", httpDate(v.ModTime))
	}
	if h.Get("Range") == "" {
		return
	}
	switch v := req.IfMatch; {
	case v.ETag != "" && !isWeak(v.ETag):
		h.Set("If-Range", v.ETag)
	case !v.ModTime.IsZero():
		h.Set("If-Range", httpDate(v.ModTime))
	}
}

// isWeak reports whether an entity tag is weak.
func isWeak(etag string) bool { return strings.HasPrefix(etag, "W/") }

// httpDate formats a time for a header field, in GMT.
func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

// withCredentials returns a copy of out with credentials for the challenges in a 401 response: for Digest if the server
// offers it, else for Basic. It returns nil and no error if there are no credentials, or if out already had them. It
// calls Request.Login if the URL has no password, and an error of Login is joined with access.ErrPassword.
//
// QUIRK: a 401 without a challenge, which RFC 9110 §15.5.2 forbids, means Basic.
func (c *Client) withCredentials(ctx context.Context, out *http.Request, resp *http.Response, req *access.Request) (*http.Request, error) {
	all := parseChallenges(resp.Header.Values("WWW-Authenticate"))
	d := digestOf(all)
	hasBasic := len(all) == 0 || slices.ContainsFunc(all, func(c challenge) bool { return c.scheme == "basic" })
	switch sent := out.Header.Get("Authorization"); {
	case strings.HasPrefix(sent, "Digest "), d == nil && (!hasBasic || sent != ""):
		return nil, nil
	}
	name, hasUser := userOf(req.URL)
	password, known := passwordOf(req.URL)
	if !known {
		if req.Login == nil {
			return nil, nil
		}
		login, err := engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: out.URL.Hostname(), User: name, Optional: !hasUser})
		if err != nil {
			return nil, errors.Join(access.ErrPassword, err)
		}
		name, password = login.User, login.Password
		if name == "" {
			return nil, nil
		}
	}
	again := out.Clone(ctx)
	if d == nil {
		again.Header.Set("Authorization", basic(name, password))
	} else {
		again.Header.Set("Authorization", d.authorization(name, password, out.Method, out.URL.RequestURI(), rand.Text()))
	}
	return again, nil
}

// basic returns the value of the field Authorization for Basic (RFC 7617).
func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// userOf and passwordOf return the decoded parts of a URL. They return false if the part is missing or
// invalid.
func userOf(u url.URL) (string, bool)     { return unescaped(u.User()) }
func passwordOf(u url.URL) (string, bool) { return unescaped(u.Password()) }

// unescaped returns text with its escapes decoded. ok is false if present is false or an escape is invalid.
func unescaped(text string, present bool) (decoded string, ok bool) {
	decoded, err := neturl.PathUnescape(text)
	return decoded, present && err == nil
}

// WithVia returns a context for a request made on behalf of another request. via is the Via field
// of that other request (RFC 9110 §7.6.3), or "". A [Client] passes it on, so that gateways
// recognise loops.
func WithVia(ctx context.Context, via string) context.Context {
	if via == "" {
		return ctx
	}
	return context.WithValue(ctx, viaKey{}, via)
}

// Via returns the value that WithVia stored in ctx, or "".
func Via(ctx context.Context) string {
	via, _ := ctx.Value(viaKey{}).(string)
	return via
}

type viaKey struct{}
