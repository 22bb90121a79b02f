// Package waisd is a small WAIS server. It speaks Z39.50-1988 like the wide area information
// servers, and searches full-text indexes of its own.
//
// Between requests it stores only the message size that an Init has agreed on. It answers
// searches by words (query type 3), best documents first, and retrievals by bytes or lines
// (query type 1). The database INFO describes its databases.
//
// It has its own index, because full-text libraries for Go need dozens of modules and a store
// on disk.
//
// Notable divergences:
//   - freeWAIS answers a search without hits with its catalog; here the list is empty. freeWAIS
//     supports and, or, not, parentheses, fields and wildcards; here a query consists of words,
//     and a document need not have all of them.
//   - freeWAIS dies if a retrieval names an unknown database or lacks the type; here the answer
//     is a diagnostic, or the text.
//   - Each file is one document of one type. WAIS_NEXT is not supported.
package waisd

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"locus/demo/internal/serve"
)

const idle = time.Minute // limit for each Read and Write

// largest is the maximum number of bytes of a message, as in freeWAIS.
const largest = 100_000

// A Server serves the documents of databases. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Databases []*Database
	Name      string    // host and port in document-ids; "" means the address of the connection
	Log       serve.Log // called with a description of each request; may be nil
}

// Serve answers the requests of a connection, one after the other. The caller closes c. Serve
// ignores ctx, because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	name := s.Name
	if name == "" {
		name = c.LocalAddr().String()
	}
	c = serve.WithIdle(c, idle)
	n := &conn{Server: s, name: name, limit: largest}
	for {
		h, body, err := readMessage(c)
		if err != nil {
			return
		}
		if _, err := c.Write(h.message(n.answer(body))); err != nil {
			return
		}
	}
}

// A header precedes a message.
//
//	0000000158 z 2 wais␣␣␣␣␣␣ ␣ ␣ 0
//	bytes that follow        |   | checksum, not used
//	           | Z39.50       \ compression, encoding: none
//	             \ version  server, not used
type header [25]byte

var errHeader = errors.New("the header is malformed")

// readMessage reads a message and returns its header and its body. It returns an error if the
// header is invalid or the body is too long; the server then closes the connection without an
// answer.
func readMessage(r io.Reader) (header, []byte, error) {
	var h header
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return h, nil, err
	}
	n := 0
	for _, c := range h[:10] {
		if c < '0' || c > '9' || n > largest {
			return h, nil, errHeader
		}
		n = 10*n + int(c-'0')
	}
	if n > largest || h[10]|0x20 != 'z' || h[11] > '2' || h[22] != ' ' || h[23] != ' ' {
		return h, nil, errHeader
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return h, body, err
}

// message returns a message: the header h, which a client sent, with the length of body in
// place of the old length, and body.
func (h header) message(body []byte) []byte {
	for i, n := 9, len(body); i >= 0; i, n = i-1, n/10 {
		h[i] = byte('0' + n%10)
	}
	h[10] |= 0x20
	return append(h[:], body...)
}
