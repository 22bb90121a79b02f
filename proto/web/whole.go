package web

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	neturl "net/url"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/weburl"
	"locus/url"
)

// RequestOf returns the HTTP request in an access.Send. It returns nil if req is another kind of
// request.
func RequestOf(req *access.Request) *http.Request {
	if req.Op != access.Send {
		return nil
	}
	r, _ := req.Sys.(*http.Request)
	return r
}

// Answer returns the Resource for the response to an access.Send, with the whole response in its
// Reply.
func Answer(req *access.Request, resp *http.Response) *access.Resource {
	reply := newReply(resp)
	reply.Response = resp
	r := &access.Resource{
		Entry: access.Entry{
			URL:    req.URL,
			Type:   resp.Header.Get("Content-Type"),
			Size:   resp.ContentLength,
			Header: headerOf(resp),
			Sys:    reply,
		},
		ETag:       resp.Header.Get("ETag"),
		HTTPStatus: resp.StatusCode,
		Body:       resp.Body,
	}
	if resp.Request != nil && resp.Request.Method == http.MethodHead {
		r.Size = 0 // Content-Length announces the body of a GET
	}
	return r
}

// URLsOf returns the URL of a request, and in from the URLs of the requests whose redirects an
// http.Client has followed to it, the first one first. It escapes the bytes that HTTP does not
// allow in a URL in the same way as when the request is sent. A URL of the same origin as the URL
// before it has the login of that URL, because a Location omits it.
func URLsOf(r *http.Request) (u url.URL, from []url.URL, err error) {
	if u, err = weburl.Parse(textOf(r.URL)); err != nil || r.Response == nil || r.Response.Request == nil {
		return u, nil, err
	}
	before, from, err := URLsOf(r.Response.Request)
	if err != nil {
		return u, nil, err
	}
	return withLogin(u, before), append(from, before), nil
}

// textOf returns the text of u. It adds the host to a path in Opaque, because net/url would write the path without the
// host, and browsers would read the first directory as the host.
func textOf(u *neturl.URL) string {
	if u.Host == "" || !strings.HasPrefix(u.Opaque, "/") || strings.HasPrefix(u.Opaque, "//") {
		return u.String()
	}
	server := neturl.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	return server.String() + u.RequestURI()
}

// Location returns the target of a redirect as browsers resolve it, in a form that net/url parses. ok is false if
// net/url already resolves the Location of the response to that target, if the Location is invalid, and for a response
// that does not redirect.
func Location(r *http.Request, resp *http.Response) (location string, ok bool) {
	location = resp.Header.Get("Location")
	if location == "" || resp.StatusCode < 300 || resp.StatusCode > 399 {
		return "", false
	}
	from, _, err := URLsOf(r)
	if err != nil {
		return "", false
	}
	to, err := resolve(from, location)
	if err != nil {
		return "", false
	}
	if same, err := r.URL.Parse(location); err == nil && same.String() == to.String() {
		return "", false
	}
	if _, err := neturl.Parse(to.String()); err != nil {
		return weburl.Strict(to.String()), true
	}
	return to.String(), true
}

// sendWhole executes Send: it sends the http.Request of req, answers a 401 if it can, and returns the whole response.
func (c *Client) sendWhole(ctx context.Context, req *access.Request) (*access.Resource, error) {
	in := RequestOf(req)
	if in == nil {
		return nil, engine.Unsupported(req)
	}
	out, err := c.outgoingOf(ctx, req, in)
	if err != nil {
		closeBody(in)
		return nil, err
	}
	resp, err := c.roundTrip(out)
	if err != nil {
		return nil, err
	}
	if again := c.answerChallenge(ctx, req, out, resp); again != nil {
		resp.Body.Close()                               // without reading the rest
		if resp, err = c.roundTrip(again); err != nil { //nolint:bodyclose // the caller closes the body of the answer
			return nil, err
		}
	}
	r := Answer(req, resp)
	r.Body = &body{resp.Body, req.URL, r.Size}
	return r, nil
}

// closeBody closes the body of a request, which may be nil.
func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// outgoingOf returns the request to send for in. It has the URL of req, because the policies around
// this engine have checked that URL. The error wraps errors.ErrUnsupported for the method CONNECT and
// for a field Upgrade.
func (c *Client) outgoingOf(ctx context.Context, req *access.Request, in *http.Request) (*http.Request, error) {
	switch {
	case in.Method == http.MethodConnect:
		return nil, engine.Reason("a tunnel is not a resource", errors.ErrUnsupported)
	case in.Header.Get("Upgrade") != "":
		return nil, engine.Reason("the connection cannot change its protocol", errors.ErrUnsupported)
	}
	out, err := c.newRequestTo(ctx, req.URL, originRequest)
	if err != nil {
		return nil, err
	}
	out.Method = in.Method
	if in.Host != "" && in.Host != in.URL.Host {
		out.Host = in.Host
	}
	out.Body, out.GetBody, out.ContentLength = in.Body, in.GetBody, in.ContentLength
	out.TransferEncoding, out.Trailer, out.Close = in.TransferEncoding, in.Trailer, in.Close
	c.addHeader(ctx, out, req, in.Header)
	return out, nil
}

// addHeader sets the header of out to h, the header of the caller's request, and adds the fields of the Client and the
// login of the URL, if h lacks them. It removes a login with an empty password, which an http.Client makes of a URL with
// only a user.
func (c *Client) addHeader(ctx context.Context, out *http.Request, req *access.Request, h http.Header) {
	out.Header = h.Clone()
	if out.Header == nil {
		out.Header = make(http.Header)
	}
	name, hasUser := userOf(req.URL)
	password, hasPassword := passwordOf(req.URL)
	if hasUser && !hasPassword && out.Header.Get("Authorization") == basic(name, "") {
		out.Header.Del("Authorization") // http.Client has made it, before the server asks for a login
	}
	add := func(name, value string) {
		name = http.CanonicalHeaderKey(name)
		if _, has := out.Header[name]; !has && value != "" {
			out.Header[name] = []string{value}
		}
	}
	if c.Header != nil {
		for name, value := range c.Header(req.URL) {
			add(name, value)
		}
	}
	add("User-Agent", cmp.Or(c.UserAgent, "locus"))
	add("Via", c.via(ctx))
	if hasUser && hasPassword {
		add("Authorization", basic(name, password))
	}
}

// answerChallenge returns the request to send after a 401, with credentials. It returns nil if resp
// is final: it has another status, the request has a login of its own, its body cannot be sent
// again, or there are no other credentials.
func (c *Client) answerChallenge(ctx context.Context, req *access.Request, out *http.Request, resp *http.Response) *http.Request {
	hasBody := out.Body != nil && out.Body != http.NoBody
	if resp.StatusCode != http.StatusUnauthorized || hasBody && out.GetBody == nil || hasOwnLogin(req.URL, out.Header) {
		return nil
	}
	again, err := c.withCredentials(ctx, out, resp, req)
	if err != nil || again == nil {
		return nil
	}
	if hasBody {
		if again.Body, err = out.GetBody(); err != nil {
			return nil
		}
	}
	return again
}

// hasOwnLogin reports whether a header has a field Authorization that is not the login of u.
func hasOwnLogin(u url.URL, h http.Header) bool {
	name, _ := userOf(u)
	password, _ := passwordOf(u)
	sent := h.Get("Authorization")
	return sent != "" && sent != basic(name, password)
}

// pausingCopy returns a function that wraps the bodies of getBody as pausingBodies; nil if getBody is nil. net/http
// calls it if the server has closed an idle connection.
func pausingCopy(getBody func() (io.ReadCloser, error), w *watch) func() (io.ReadCloser, error) {
	if getBody == nil {
		return nil
	}
	return func() (io.ReadCloser, error) {
		body, err := getBody()
		if err != nil {
			return nil, err
		}
		return pausingBody{body, w}, nil
	}
}
