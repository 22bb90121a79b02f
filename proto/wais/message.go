package wais

import (
	"bytes"
	"fmt"
	"strconv"

	"locus/access"
)

// headerSize is the size of the header before every message:
//
//	0000000158 z 2 wais␣␣␣␣␣␣ ␣ ␣ 0
//	bytes after the header    |   | checksum, never used
//	           | Z39.50       \ compression, encoding: none
//	             \ version  server
const headerSize = 25

const (
	lengthSize         = 10
	typeAt             = 10
	compressionAt      = 22
	encodingAt         = 23
	apduType      byte = 'z'
	headerFormat       = "%010dz2wais        0"
)

// maxMessage is the maximum number of bytes of a reply. The client requests fewer, and a
// freeWAIS server sends at most 100 000.
const maxMessage = 1 << 20

// parseHeader parses h, the header of a message, and returns the number of
// bytes after it. The error wraps access.ErrTooLong for more than maxMessage
// bytes, and access.ErrProtocol for a header of another form.
func parseHeader(h []byte) (int, error) {
	digits := string(h[:lengthSize])
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil { // ParseUint refuses signs
		return 0, malformed(fmt.Sprintf("the length %q of a message", digits))
	}
	switch {
	case h[typeAt]|0x20 != apduType:
		return 0, fmt.Errorf("a message of type %q: %w", h[typeAt], access.ErrProtocol)
	case h[compressionAt] != ' ' || h[encodingAt] != ' ':
		return 0, fmt.Errorf("unexpected encoding %q: %w", h[compressionAt:encodingAt+1], access.ErrProtocol)
	case n > maxMessage:
		return 0, fmt.Errorf("a message of %d bytes: %w", n, access.ErrTooLong)
	}
	return int(n), nil
}

// The types of APDUs. A message is one APDU.
const (
	apduInit           = 20
	apduInitResponse   = 21
	apduSearch         = 22
	apduSearchResponse = 23
)

// An apdu is a message of Z39.50-1988.
//
//	length  type  fixed part  elements  user information
//	 2     | 1   |          |         | to the end of the message
//	       \________________________/ length bytes
type apdu struct {
	kind     byte
	fixed    []byte
	variable elements
	user     elements
}

// parseAPDU parses b, a message without its header, as an APDU of type kind.
// fixed is the number of bytes in its fixed part. The result refers to the
// memory of b.
func parseAPDU(b []byte, kind byte, fixed int) (apdu, error) {
	if len(b) < 2 {
		return apdu{}, malformed("a message")
	}
	length, rest := int(b[0])<<8|int(b[1]), b[2:]
	if length > len(rest) || length < 1+fixed {
		return apdu{}, malformed("the length of an APDU's header")
	}
	if rest[0] != kind {
		return apdu{}, fmt.Errorf("an APDU of type %d, want %d: %w", rest[0], kind, access.ErrProtocol)
	}
	return apdu{
		kind:     kind,
		fixed:    rest[1 : 1+fixed],
		variable: rest[1+fixed : length],
		user:     rest[length:],
	}, nil
}

// message returns the message to send: the header and then the encoded APDU.
func (a apdu) message() []byte {
	var b bytes.Buffer
	length := 1 + len(a.fixed) + len(a.variable)
	fmt.Fprintf(&b, headerFormat, 2+length+len(a.user))
	b.Write([]byte{byte(length >> 8), byte(length), a.kind})
	b.Write(a.fixed)
	b.Write(a.variable)
	b.Write(a.user)
	return b.Bytes()
}
