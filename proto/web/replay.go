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

// maxRecordedHead is the size of the largest header of a recorded response, with what is
// read ahead of its body.
const maxRecordedHead = 1 << 20

// Replay returns the answer to req that a recorded response gives: the bytes of an HTTP/1
// response to a request with that method. The answer is the one that [Client.Do] would
// have returned. The caller closes message, after the Body.
func Replay(req *access.Request, method string, message io.Reader) (*access.Resource, error) {
	r, err := replay(req, method, message)
	if err == nil && req.Op == access.Stat {
		r.Body.Close()
		return engine.For(req).Result(attributes(r), nil)
	}
	return engine.For(req).Result(r, err)
}

func replay(req *access.Request, method string, message io.Reader) (*access.Resource, error) {
	head := &io.LimitedReader{R: message, N: maxRecordedHead}
	resp, err := http.ReadResponse(bufio.NewReader(head), &http.Request{Method: method})
	if err != nil && head.N == 0 {
		err = access.ErrTooLong
	}
	head.N = math.MaxInt64 // the body is as long as it is
	if err != nil {
		return nil, fmt.Errorf("%w: the recorded response: %w", access.ErrProtocol, err)
	}
	whole := &access.Request{Op: req.Op, URL: req.URL} // a recorded response obeys no condition
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
