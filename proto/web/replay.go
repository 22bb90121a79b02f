package web

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"net/http"

	"locus/access"
	"locus/access/engine"
)

// maxRecordedHead limits the header of a recorded response, together with the bytes of the body
// that are read ahead.
const maxRecordedHead = 1 << 20

// Replay returns the Resource that [Client.Do] would have returned for req if the server had sent
// the recorded response. message has the bytes of the response, in HTTP/1 format, to a request with
// that method. The caller closes message, after the Body.
func Replay(req *access.Request, method string, message io.Reader) (*access.Resource, error) {
	r, err := replay(req, method, message)
	if err == nil && req.Op == access.Stat {
		r.Body.Close()
		return engine.For(req).Result(attributes(r), nil)
	}
	return engine.For(req).Result(r, err)
}

// replay returns the Resource that Replay returns for a Get.
func replay(req *access.Request, method string, message io.Reader) (*access.Resource, error) {
	head := &io.LimitedReader{R: message, N: maxRecordedHead}
	resp, err := http.ReadResponse(bufio.NewReader(head), &http.Request{Method: method})
	if err != nil && head.N == 0 {
		err = access.ErrTooLong
	}
	head.N = math.MaxInt64 // the body has no limit
	if err != nil {
		return nil, fmt.Errorf("%w: the recorded response: %w", access.ErrProtocol, err)
	}
	whole := &access.Request{Op: req.Op, URL: req.URL} // without the conditions and the range, which the recorded request did not have
	r, err := toResource(whole, resp)
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	r.Body = &body{resp.Body, req.URL, resp.ContentLength}
	if method == http.MethodHead {
		r.Body = access.NoBody
	}
	return r, nil
}
