package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"locus/access"
)

// ReadLine reads a line and returns it without its LF or CR LF. The
// line is valid until the next read. A line that does not fit into r's buffer
// gives [access.ErrTooLong], an end within a line io.ErrUnexpectedEOF, and an end
// before one io.EOF.
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
