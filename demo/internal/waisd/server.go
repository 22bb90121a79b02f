// Package waisd is a small WAIS server: Z39.50-1988 as the wide area information
// servers spoke it, over full-text indexes of its own.
//
// It keeps nothing between requests but the size of messages that an Init has
// asked for. It answers searches in words (query type 3), best documents first,
// retrievals of a document by octets or lines (query type 1), and describes its
// databases in the database INFO.
//
// The index is its own, in one file: the full-text libraries for Go bring dozens
// of modules and a store on disk, for a library of some fifty texts.
//
// Notable divergences:
//   - freeWAIS answers a search without hits with its catalog; here the list is
//     empty. It takes and, or, not, parentheses, fields and wildcards; here a
//     query is words, and any of them may be missing.
//   - freeWAIS dies of a retrieval from a database that it does not know, or
//     without a type; here the answer is a diagnostic, or the text.
//   - There is one document for each file, of one type.
package waisd

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"locus/demo/internal/serve"
)

// Connections is the most connections that a server should be given at once.
const Connections = 64

// largest is the most octets that a message may have: that of freeWAIS.
const largest = 100_000

// A Server gives documents of databases. Its fields are not changed while it
// serves; Serve may be called at once for many connections.
type Server struct {
	Databases []*Database
	Name      string            // host and port, in document-ids; "" is the address of the connection
	Log       func(line string) // called with what each request asks; nil: none
	Idle      time.Duration     // how long a client may be silent, or not take data; 0: 1 minute
}

// Serve answers the requests of a connection, one after the other. It leaves c
// to be closed by its caller. The context is not used: its end is the
// connection's.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	idle := s.Idle
	if idle == 0 {
		idle = time.Minute
	}
	name := s.Name
	if name == "" {
		name = c.LocalAddr().String()
	}
	c = serve.Patient(c, idle)
	session := &session{Server: s, name: name, limit: largest}
	for {
		h, body, err := readMessage(c)
		if err != nil {
			return
		}
		if _, err := c.Write(h.message(session.answer(body))); err != nil {
			return
		}
	}
}

// A header is what stands before a message.
//
//	0000000158 z 2 wais␣␣␣␣␣␣ ␣ ␣ 0
//	octets that follow        |   | checksum, not used
//	           | Z39.50       \ compression, encoding: none
//	             \ version  server, not used
type header [25]byte

var errHeader = errors.New("this header is not understood")

// readMessage reads a message: there is no answer to what has no header.
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

// message gives a body the header of the request that it answers, but for the
// length.
func (h header) message(body []byte) []byte {
	for i, n := 9, len(body); i >= 0; i, n = i-1, n/10 {
		h[i] = byte('0' + n%10)
	}
	h[10] |= 0x20
	return append(h[:], body...)
}
