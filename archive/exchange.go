package archive

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// An exchange records a request of HTTP and its response. It is an engine.Exchange.
type exchange struct {
	writer *Writer
	target string
	began  time.Time

	mu       sync.Mutex
	request  message
	response message
	ended    bool
}

// newExchange begins an exchange with the resource at target. Its End writes its records to w.
func newExchange(w *Writer, target string) *exchange {
	x := &exchange{writer: w, target: target, began: now()}
	x.request.isSecret, x.response.isSecret = isSecretRequest, isSecretResponse
	x.response.growsAt = target
	return x
}

// A message is one direction of an exchange.
type message struct {
	isSecret func(name string) bool // by the canonical name of a field
	growsAt  string                 // of a response: its target; see newBlock
	head     []byte                 // the header so far; when it is complete, its secrets are hidden
	block    *block                 // nil until the header is complete
	tooLong  bool                   // the header exceeds maxHead, so the message is dropped
}

// write adds bytes as they were on the wire. It leaves out interim responses. When the header is
// complete, write masks its secret fields, and begins the block. A header longer than maxHead makes
// the message tooLong, and later bytes are ignored.
func (m *message) write(x *exchange, p []byte) {
	if m.tooLong {
		return
	}
	if m.block != nil {
		_, _ = m.block.Write(p) // seal returns its error
		return
	}
	before := len(m.head)
	m.head = append(m.head, p...)
	for end := headEnd(m.head, before); m.block == nil; end = headEnd(m.head, 0) {
		if end == 0 {
			if m.tooLong = len(m.head) > maxHead; m.tooLong {
				m.head = nil
			}
			return
		}
		rest := m.head[end:]
		if status, _, _ := parseHead(m.head[:end]); status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
			m.head = rest
			continue
		}
		m.head = maskHead(m.head[:end], m.isSecret)
		m.block = newBlock(x.writer, m.head, true, m.growsAt)
		_, _ = m.block.Write(rest)
	}
}

// method returns the method of m, a request whose header is complete.
func (m *message) method() string {
	method, _, _ := strings.Cut(string(m.head[:min(len(m.head), 32)]), " ")
	return method
}

// Sent adds bytes of the request. It ignores bytes after End.
func (x *exchange) Sent(p []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ended {
		x.request.write(x, p)
	}
}

// Received adds bytes of the response. It ignores bytes after End.
func (x *exchange) Received(p []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ended {
		x.response.write(x, p)
	}
}

// End writes the records of the request and the response. err is the error with which the exchange
// ended; nil if the response is complete. If the header of the request or the response is
// incomplete, End writes no records. This is an error only if err is nil, because otherwise the
// server was not reached, or net/http sends the request again. A second End returns nil.
func (x *exchange) End(err error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return nil
	}
	x.ended = true
	if x.response.block == nil || x.request.block == nil {
		for _, m := range []message{x.request, x.response} {
			if m.block != nil {
				m.block.discard()
			}
		}
		if err == nil {
			return errNoMessage
		}
		return nil
	}
	return x.writer.add(x.responseRecord(err), &record{
		kind: typeRequest, target: x.target, media: mediaRequest, date: x.began, block: x.request.block,
	})
}

var errNoMessage = errors.New("the header of the exchange cannot be recorded")

// responseRecord returns the record of the response: a metadata record for HEAD, because the
// response has no payload, a revisit record for the status 304, and otherwise a response record. If
// err is not nil, the response is not complete, and the record is marked as truncated.
func (x *exchange) responseRecord(err error) *record {
	r := &record{
		kind: typeResponse, target: x.target, media: mediaResponse, date: x.began, block: x.response.block, head: x.response.head,
		truncated: truncation(err),
	}
	r.status, r.mime, r.isPart = parseHead(r.head)
	switch method := x.request.method(); {
	case method == http.MethodHead:
		r.kind, r.method = typeMetadata, method
	case r.status == http.StatusNotModified:
		r.kind, r.profile = typeRevisit, profileNotModified
	case method != http.MethodGet:
		r.method = method
	}
	return r
}

// unspecified is the WARC-Truncated of a body that ended early for another reason.
const unspecified = "unspecified"

// truncation returns the WARC-Truncated of a record whose source ended with err: "time",
// "disconnect" or "unspecified"; "" if err is nil.
func truncation(err error) string {
	timeout, isTimeout := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	switch {
	case err == nil:
		return ""
	case isTimeout && timeout.Timeout():
		return "time"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "disconnect"
	}
	return unspecified
}
