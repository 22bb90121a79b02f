package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"locus/access"
)

// ReadLine reads a line and returns it without its LF or CR LF. The line is
// valid until the next read. Errors: [access.ErrTooLong] if the line does not
// fit r's buffer, io.ErrUnexpectedEOF at an end within a line, and io.EOF at an
// end before one.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: a line of more than %d bytes", access.ErrTooLong, r.Size())
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}
