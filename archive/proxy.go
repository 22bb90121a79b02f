package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/weburl"
	"locus/url"
)

// RoundTrip answers a request of HTTP with the recorded response, so that the client of a
// proxy sees the archive: see gateway.Gateway.Web. The header and the body are unchanged,
// also for redirects and errors, except that the hidden fields are left out. Conditions and
// ranges are ignored. But a recorded 206 with all bytes is answered as a 206 to a request
// with a range, because players of sound and film need it. Requests other than GET and HEAD
// fail with errors.ErrUnsupported.
//
// If the archive lacks an http URL, RoundTrip looks for the same URL with https, because a
// client that cannot read https through its proxy may ask for http instead.
func (a *Archive) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	u, err := requestURL(r)
	if err != nil {
		return nil, err
	}
	if r.Method != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, engine.Fail("open", u, errReadOnly)
	}
	resp, err := a.response(r, u)
	if errors.Is(err, ErrNotArchived) && u.Scheme() == "http" {
		if secure, parseErr := weburl.Parse("https" + strings.TrimPrefix(u.String(), "http")); parseErr == nil {
			if found, secureErr := a.response(r, secure); secureErr == nil {
				return found, nil
			}
		}
	}
	if err != nil {
		return nil, engine.Fail("open", u, err)
	}
	return resp, nil
}

// response returns the recorded response to r, a GET or a HEAD of u. The caller closes its Body.
func (a *Archive) response(r *http.Request, u url.URL) (*http.Response, error) {
	op := access.Get
	if r.Method == http.MethodHead {
		op = access.Stat
	}
	e, err := a.find(&access.Request{Op: op, URL: u})
	if err != nil {
		return nil, err
	}
	m, err := a.openBlock(r.Context(), e)
	if err != nil {
		return nil, err
	}
	resp, err := responseOf(r, m.entry, m)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	body := resp.Body
	if r.Method == http.MethodHead {
		resp.Body = http.NoBody
		return resp, errors.Join(body.Close(), m.Close())
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{body, closers{body, m}}
	return resp, nil
}

// responseOf returns the response to r that is recorded in m. A record without a header of HTTP
// becomes a 200 with its media type. A 206 becomes a 200, unless r asks for a range. Fields whose
// values are masked are left out. Close of the response does not close m.
func responseOf(r *http.Request, e entry, m *recorded) (*http.Response, error) {
	if e.status == 0 { // another program has recorded the page without its header
		return &http.Response{
			Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {e.mime}}, Body: io.NopCloser(m), ContentLength: -1, Request: r,
		}, nil
	}
	recorded := &http.Request{Method: http.MethodGet}
	if e.method != "" {
		recorded.Method = e.method
	}
	message, err := readable(m, recorded.Method)
	if err != nil {
		return nil, err
	}
	head := &io.LimitedReader{R: message, N: maxHead}
	resp, err := http.ReadResponse(bufio.NewReader(head), recorded)
	if err != nil {
		return nil, fmt.Errorf("%w: the recorded response: %w", access.ErrProtocol, err)
	}
	head.N = math.MaxInt64 // the limit is only for the header
	resp.Request = r
	if resp.StatusCode == http.StatusPartialContent && r.Header.Get("Range") == "" { // all bytes: see rankOf
		resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
		resp.Header.Del("Content-Range")
	}
	for name, values := range resp.Header {
		if slices.Contains(values, hidden) {
			resp.Header.Del(name)
		}
	}
	return resp, nil
}

// Transport returns a RoundTripper that records the requests and responses of through. With
// gateway.Gateway.Web it records the requests of a proxy's clients. It reduces
// Accept-Encoding to gzip or identity, because every reader of archives knows these.
// Through must obey engine.WithTap, as web.Client does. The caller closes w after the last
// response is closed.
func (w *Writer) Transport(through http.RoundTripper) http.RoundTripper {
	return recordingTransport{through, w}
}

type recordingTransport struct {
	http.RoundTripper
	writer *Writer
}

// RoundTrip sends a copy of r with a Tap that records the request and the response. If the
// Accept-Encoding of r lists several codings, the copy has only gzip or identity.
func (t recordingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := requestURL(r)
	if err != nil {
		return nil, err
	}
	c := &capture{writer: t.writer, target: Target(u), began: now()}
	c.dialogue.exchanges = c.exchange
	r = r.WithContext(engine.WithTap(r.Context(), &c.dialogue))
	if strings.Contains(r.Header.Get("Accept-Encoding"), ",") {
		r.Header = r.Header.Clone()
		r.Header.Set("Accept-Encoding", simpleCoding(r.Header.Get("Accept-Encoding")))
	}
	return t.RoundTripper.RoundTrip(r)
}

// simpleCoding returns "gzip" if field, an Accept-Encoding, accepts gzip, and otherwise "identity".
func simpleCoding(field string) string {
	for one := range strings.SplitSeq(field, ",") {
		if coding, weight, _ := strings.Cut(strings.TrimSpace(one), ";"); strings.EqualFold(coding, "gzip") && strings.TrimRight(strings.TrimSpace(weight), ".0") != "q=" {
			return "gzip"
		}
	}
	return "identity"
}

// requestURL returns the URL of r. QUIRK: httputil.ReverseProxy keeps the bytes of a path in
// Opaque.
func requestURL(r *http.Request) (url.URL, error) {
	if r.URL.Opaque == "" {
		return weburl.Parse(r.URL.String())
	}
	return weburl.Parse(r.URL.Scheme + "://" + r.URL.Host + strings.TrimPrefix(r.URL.Opaque, "//"+r.URL.Host))
}
