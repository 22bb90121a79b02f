package locus

import (
	"context"
	"errors"
	"io"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"sync"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/proto/web"
	"locus/url"
)

// HTTP returns an http.Client that opens the URLs of every scheme that c opens. Its
// Transport is an http.RoundTripper for other clients, too. Registered at an
// http.Transport, it opens the schemes that the http.Transport lacks:
//
//	t := http.DefaultTransport.(*http.Transport).Clone()
//	t.RegisterProtocol("ftp", c.HTTP().Transport)
//
// # Over http and https
//
// A request is sent unchanged, with its method, header, body and trailers. User-Agent and
// the fields of Client.Header are added if the request lacks them. The response is returned
// unchanged, whatever its status. The http.Client follows redirects, so its Jar and its
// CheckRedirect work. Every request and the target of every redirect passes the policies
// and bounds of c, except Cache and Retries, because they do not understand every method
// and field. A redirect is an error if access.Schemes.AllowRedirect refuses it, or if its
// target was already asked for with the same cookies. If c has NoRedirects, a redirect is
// the response. A 401 is answered with the login of the URL, or of Client.Login, unless the
// request has a field Authorization.
//
// A method CONNECT and a field Upgrade are refused. An Accept-Encoding is passed on, and
// the response is not decompressed.
//
// # Over every other scheme
//
// GET and HEAD open a resource. PUT stores, POST appends, DELETE removes, and MKCOL makes a
// directory. Other methods, and those that the scheme does not have, are answered with 405.
// HEAD returns the attributes that access.Stat finds. For a text over ftp their size may
// differ from the size of a GET, because the server converts line ends.
//
// These fields are obeyed: Range with one range, If-Range, If-Match, If-None-Match,
// If-Modified-Since, If-Unmodified-Since, Authorization with Basic as a login, Expect with
// 100-continue, and Last-Modified with PUT if the protocol can store it. A request is refused
// with an error that wraps fs.ErrInvalid if it has a field that would change its meaning and
// that no protocol can send: another Authorization, Cookie, Content-Encoding, Content-Range,
// another Expect, If, Lock-Token, Upgrade, and X-HTTP-Method-Override and its like. All other
// fields are left out.
//
// The Client follows redirects, not the http.Client. Request.URL of the response is the
// final URL. A change is sent to another URL if the protocol says so and its body can be
// sent again: by GetBody, or if Body is an io.Seeker. Set-Cookie of another origin is
// removed, because a Jar would store it for the origin of the request.
//
// If a resource does not exist or its server refuses it, the response is a 404, 403 … with
// a text that gives the reason. A refusal by c itself is an error.
//
// # Errors
//
// All other failures are errors: a connection that fails, a URL, a port, an address or a
// redirect that c refuses (access.ErrRedirect), an interactive session
// (errors.ErrUnsupported).
func (c *Client) HTTP() *http.Client {
	hc := httpClient(c)
	if c.NoRedirects {
		hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		hc.Transport = noRedirects{hc.Transport}
	}
	return hc
}

// httpClient returns an http.Client over an engine that follows redirects.
func httpClient(e access.Engine) *http.Client {
	return &http.Client{
		Transport:     transport{resources{e}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return nil }, // access.Follow decides
	}
}

// noRedirects is a RoundTripper that refuses the targets of redirects, whatever the
// CheckRedirect of its http.Client.
type noRedirects struct{ http.RoundTripper }

// RoundTrip sends r if it is a first request. If r is the result of a redirect, RoundTrip closes
// its body and returns access.ErrRedirect.
func (n noRedirects) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Response == nil {
		return n.RoundTripper.RoundTrip(r)
	}
	if r.Body != nil {
		r.Body.Close()
	}
	return nil, engine.Reason("the client follows no redirects", access.ErrRedirect)
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (n noRedirects) CloseIdleConnections() { closeIdle(n.RoundTripper) }

// closeIdle calls CloseIdleConnections of v, if v has that method.
func closeIdle(v any) {
	if i, ok := v.(idler); ok {
		i.CloseIdleConnections()
	}
}

// A transport is an http.RoundTripper over an engine that follows redirects.
type transport struct{ engine resources }

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t transport) CloseIdleConnections() { closeIdle(t.engine.Engine) }

// RoundTrip sends r over http and https. For other schemes it does the Op that the method of r
// stands for. It closes the body of r, as an http.RoundTripper must.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return t.roundTrip(r)
	}
	once := *r
	once.Body = &onceBody{ReadCloser: r.Body}
	resp, err := t.roundTrip(&once)
	if err != nil {
		once.Body.Close()
		return nil, err
	}
	if resp.Request == &once {
		resp.Request = r
	}
	return resp, nil
}

// roundTrip sends r over HTTP, or translates it to a request to an Engine if the scheme is another
// one, or if the engine for http lacks access.Send. A redirect in a circle is an error.
func (t transport) roundTrip(r *http.Request) (*http.Response, error) {
	u, from, err := web.URLsOf(r)
	if err != nil {
		return nil, err
	}
	if isCircle(r) {
		return nil, &failure{engine.Fail("open", u, engine.Reason("the redirects lead in a circle", access.ErrRedirect)), r}
	}
	if access.Schemes(nil).Of(u.Scheme()).Web {
		resp, err := t.send(r, u, from)
		if !isMissingSend(err) {
			return resp, err
		}
	}
	return t.translate(r, u, from)
}

// send sends r unchanged over HTTP, whatever its method, and returns the response, whatever its
// status. u is the URL of r, and from are the URLs that redirected to it. The error is
// errors.ErrUnsupported if the engine gives no HTTP response.
func (t transport) send(r *http.Request, u url.URL, from []url.URL) (*http.Response, error) {
	found, err := t.engine.Do(r.Context(), &access.Request{Op: access.Send, URL: u, From: from, Sys: r, Safe: isSafe(r.Method)})
	if err != nil {
		return nil, &failure{err, r}
	}
	reply := web.ReplyOf(found)
	if reply == nil || reply.Response == nil {
		found.Body.Close()
		return nil, errors.ErrUnsupported
	}
	resp := reply.Response // net/http adds late trailers to this one
	resp.Request, resp.Body = r, found.Body
	if location, ok := web.Location(r, resp); ok {
		resp.Header.Set("Location", location)
	}
	return resp, nil
}

// isMissingSend reports whether err says that the engine for http lacks access.Send. An engine that
// a program adds may lack it.
func isMissingSend(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	return ok && e.Op == access.Send.String() && e.Err == errors.ErrUnsupported //nolint:errorlint // engine.Unsupported returns it so
}

// isSafe reports whether a method leaves the server unchanged (RFC 9110 §9.2.1).
func isSafe(method string) bool {
	return slices.Contains([]string{"", "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"}, method)
}

// isCircle reports whether redirects have led r to the method, the URL and the cookies of a request
// that was sent before.
func isCircle(r *http.Request) bool {
	for resp := r.Response; resp != nil && resp.Request != nil; resp = resp.Request.Response {
		before := resp.Request
		if before.Method == r.Method && withoutFragment(before.URL) == withoutFragment(r.URL) && slices.Equal(before.Header["Cookie"], r.Header["Cookie"]) {
			return true
		}
	}
	return false
}

// withoutFragment returns the text of u without its fragment.
func withoutFragment(u *neturl.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	return text
}

// A onceBody is the body of a request. It closes the body once, because net/http and this
// package may both close it.
type onceBody struct {
	io.ReadCloser
	once sync.Once
	err  error
}

// Close closes the body on the first call. Later calls return the result of the first one.
func (b *onceBody) Close() error {
	b.once.Do(func() { b.err = b.ReadCloser.Close() })
	return b.err
}

// resources is an Engine that refuses interactive sessions, because their Body may never
// end.
type resources struct{ access.Engine }

// Do executes req. If the URL or the resource to which it leads is an interactive session, Do
// closes it and returns an error that wraps errors.ErrUnsupported.
func (e resources) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if len(req.From) == 0 && access.Schemes(nil).Of(req.URL.Scheme()).Session { // access.Follow refuses redirects to a session
		return nil, engine.Fail(req.Op.String(), req.URL, errSession)
	}
	r, err := e.Engine.Do(ctx, req)
	if err != nil || r.Session == nil {
		return r, err
	}
	r.Body.Close()
	return nil, engine.Fail(req.Op.String(), req.URL, errSession)
}

var errSession = sentinel.New("it is an interactive session", errors.ErrUnsupported)
