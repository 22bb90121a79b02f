package gateway

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"locus/access/engine"
	"locus/internal/weburl"
	"locus/proto"
	"locus/proto/web"
	"locus/url"
)

// Transport returns a RoundTripper for Gateway.Web that connects by dial. It does not change
// headers or bodies, ignores the proxies in the environment, and keeps idle connections for 30
// seconds. Unlike a web.Client it speaks only HTTP/1.1, and it does not limit how long a server
// is silent within a response, because long polling needs that.
//
// A server may close an idle connection while a request is on its way. Then Transport sends
// the request again if it may be repeated (RFC 9110 §9.2.2). Every other request gets a new
// connection.
func Transport(dial proto.Dial) http.RoundTripper {
	kept := &http.Transport{
		DialContext:            dial,
		DisableCompression:     true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    30 * time.Second,
		ResponseHeaderTimeout:  2 * time.Minute,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	once := kept.Clone()
	once.MaxIdleConnsPerHost = -1 // unlike DisableKeepAlives, this adds no field to requests
	return &transport{kept, once}
}

// Checked returns a RoundTripper that is like t, but fails for URLs for which check returns an
// error. check may be the method Check of guard.Ports.
func Checked(t http.RoundTripper, check func(u url.URL) error) http.RoundTripper {
	return checked{t, check}
}

// A checked is the RoundTripper of Checked.
type checked struct {
	http.RoundTripper
	check func(u url.URL) error
}

// RoundTrip sends r unless check returns an error for its URL. Then it closes the body of r and
// returns the error.
func (t checked) RoundTrip(r *http.Request) (*http.Response, error) {
	target := r.URL.RequestURI()
	if strings.HasPrefix(target, "/") { // otherwise it is the whole URL
		target = r.URL.Scheme + "://" + r.URL.Host + target
	}
	u, err := weburl.Parse(target)
	if err == nil {
		err = t.check(u)
	}
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return t.RoundTripper.RoundTrip(r)
}

// CloseIdleConnections closes the idle connections of t. http.Client.CloseIdleConnections calls it.
func (t checked) CloseIdleConnections() {
	if idle, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// transport has one http.Transport that reuses connections, and one that does not.
type transport struct{ kept, once *http.Transport }

// RoundTrip sends r. It uses a connection that was used before only if r can be repeated, because a
// server may close such a connection before it reads r. The error is errUnanswered if the server
// closes the connection without an answer.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	through := t.once
	if web.IsRepeatable(r) {
		through = t.kept
	}
	resp, err := through.RoundTrip(r)
	if errors.Is(err, io.EOF) {
		err = errUnanswered
	}
	return resp, err
}

// CloseIdleConnections closes the kept connections. http.Client.CloseIdleConnections calls it.
func (t *transport) CloseIdleConnections() { t.kept.CloseIdleConnections() }

var errUnanswered = errors.New("the server closed the connection without an answer")

// hideResolver returns err with another text if it is a DNS error, because clients see the text and
// must not learn the name servers of this machine. It returns other errors unchanged.
func hideResolver(err error) error {
	e, ok := errors.AsType[*net.DNSError](err)
	if !ok {
		return err
	}
	text := "the name server failed"
	switch {
	case e.IsNotFound:
		text = "no such host"
	case e.IsTimeout:
		text = "the name server does not answer"
	}
	return engine.Reason(text+" ("+e.Name+")", err)
}
