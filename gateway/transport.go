package gateway

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"locus/access/engine"
	"locus/proto"
	"locus/proto/web"
	"locus/url"
)

// Transport returns a RoundTripper for Gateway.Web, which connects by dial: it
// changes no header and no body, asks no environment for proxies, and keeps idle
// connections for a while. Unlike a web.Client it speaks HTTP/1.1 alone, and it lets a server
// be silent within a response, as for long polling.
//
// A server may close an idle connection while a request is on its way. Requests that
// may be repeated are sent again then (RFC 9110 §9.2.2). Every other request gets a
// connection of its own.
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

// Checked returns a RoundTripper that is like t, but requests no URL for which check returns
// an error, such as the method Check of guard.Ports.
func Checked(t http.RoundTripper, check func(u url.URL) error) http.RoundTripper {
	return checked{t, check}
}

type checked struct {
	http.RoundTripper
	check func(u url.URL) error
}

func (t checked) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(r.URL.String())
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

// CloseIdleConnections is called by that of http.Client.
func (t checked) CloseIdleConnections() {
	if idle, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// transport has one Transport that reuses connections and one that does not.
type transport struct{ kept, once *http.Transport }

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

// CloseIdleConnections is called by that of http.Client.
func (t *transport) CloseIdleConnections() { t.kept.CloseIdleConnections() }

var errUnanswered = errors.New("the server closed the connection without an answer")

// hideResolver returns err. It removes the name servers of this machine from a DNS
// error, because clients see it.
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
