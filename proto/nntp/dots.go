package nntp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"locus/access"
)

// A dotReader reads a multi-line data block (RFC 3977 §3.1.1). It removes the first period of lines
// that start with one. The block ends at the line that is only a period. If that line is missing,
// the error is io.ErrUnexpectedEOF.
//
//	as sent         as read
//	hello CR LF     hello CR LF
//	..dot CR LF     .dot CR LF
//	. CR LF         the end
//
// A line ends in CR LF. A lone CR or LF is an ordinary byte, so a period after it has no special
// meaning.
type dotReader struct {
	r       *bufio.Reader
	pending []byte // the bytes that Read returns before fill is called again
	midLine bool   // the next byte is not at the start of a line
	afterCR bool   // the last byte was CR
	err     error  // the error after pending
}

// Read returns the block without the periods that the server has added, and io.EOF at the line
// ".". It blocks only until it has read one line, and returns further lines only if they are
// buffered.
func (d *dotReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.pending) == 0 && (n == 0 || d.hasLine()) {
			d.fill()
		}
		if len(d.pending) == 0 {
			break
		}
		k := copy(p[n:], d.pending)
		d.pending = d.pending[k:]
		n += k
	}
	if n == 0 && len(p) > 0 {
		return 0, d.err
	}
	return n, nil
}

// hasLine reports whether a whole line is buffered, so that fill would not block. It is false
// after the end.
func (d *dotReader) hasLine() bool {
	if d.err != nil {
		return false
	}
	waiting, _ := d.r.Peek(d.r.Buffered()) // reads no more bytes
	return bytes.IndexByte(waiting, '\n') >= 0
}

// fill sets pending to the next line, or to as much of it as fits into the buffer, or sets err at
// the end. pending must be empty.
func (d *dotReader) fill() {
	if d.err != nil {
		return
	}
	part, err := d.r.ReadSlice('\n')
	switch {
	case access.IsEnd(err):
		d.err = io.ErrUnexpectedEOF
	case err != nil && !errors.Is(err, bufio.ErrBufferFull):
		d.err = err
	}
	if len(part) == 0 {
		return
	}
	ends := bytes.HasSuffix(part, []byte("\r\n")) || d.afterCR && string(part) == "\n"
	start := !d.midLine
	d.midLine, d.afterCR = !ends, part[len(part)-1] == '\r'
	if start && string(part) == ".\r\n" {
		d.err = io.EOF
		return
	}
	if start && part[0] == '.' {
		part = part[1:]
	}
	d.pending = part
}

// A limitedReader returns access.ErrTooLong if r has more than left bytes.
type limitedReader struct {
	r    io.Reader
	left int
}

// Read reads from l.r. The error wraps access.ErrTooLong once l.r has returned more bytes than the
// limit.
func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, fmt.Errorf("%w: a list of more than %d bytes", access.ErrTooLong, maxBlock)
	}
	return n, err
}

// maxLine limits a line of a listing or a header, including its end.
const maxLine = 32 << 10

// A lineReader reads the lines of a block.
type lineReader struct{ r *bufio.Reader }

// next returns the next line without its end, and io.EOF after the last line. For a line that is
// too long it returns the start of the line and access.ErrTooLong.
func (l *lineReader) next() (string, error) {
	raw, err := l.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return string(raw), fmt.Errorf("%w: a line of more than %d bytes", access.ErrTooLong, maxLine)
	case access.IsEnd(err) && len(raw) > 0:
		return string(raw), nil
	case err != nil:
		return "", err
	}
	return string(bytes.TrimRight(raw, "\r\n")), nil
}

// maxSkipped limits the bytes that skip and skipBlock read to find the end of a line or block that
// is too long.
const maxSkipped = 16 << 20

// skip discards the rest of a line that was too long for next. It returns access.ErrTooLong if the
// line end does not follow within maxSkipped bytes.
func (l *lineReader) skip() error {
	for skipped := 0; skipped < maxSkipped; {
		raw, err := l.r.ReadSlice('\n')
		if skipped += len(raw); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return fmt.Errorf("%w: a line of more than %d bytes", access.ErrTooLong, maxSkipped)
}

// skipBlock reads the rest of a block and discards it. The error wraps access.ErrTooLong if the
// rest has maxSkipped bytes or more.
func skipBlock(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxSkipped))
	if err == nil && n == maxSkipped {
		err = fmt.Errorf("%w: a block of more than %d bytes", access.ErrTooLong, maxSkipped)
	}
	return err
}

// A dotWriter writes text as a data block. Each line ends in CR LF, and a line that starts with a
// period gets a second period.
type dotWriter struct {
	w       *bufio.Writer
	midLine bool // the next byte is not at the start of a line
	afterCR bool // the last byte was CR
}

var errBytes = errors.New("an article may not have NUL, or CR without LF")

// Write writes p, whose lines may end in LF or CR LF, with CR LF line ends and a second period at
// the start of lines with a period. The error is errBytes for NUL, and for CR without LF.
func (s *dotWriter) Write(p []byte) (int, error) {
	for i, c := range p {
		if c == 0 || s.afterCR && c != '\n' {
			return i, errBytes
		}
		if s.afterCR = c == '\r'; s.afterCR {
			continue
		}
		if c == '\n' {
			s.w.WriteString("\r\n")
			s.midLine = false
			continue
		}
		if c == '.' && !s.midLine {
			s.w.WriteByte('.')
		}
		s.midLine = true
		if err := s.w.WriteByte(c); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// close ends the last line, writes the line "." that ends the block, and flushes the writer. The
// error is errBytes if the text ends in CR. The connection stays open.
func (s *dotWriter) close() error {
	if s.afterCR {
		return errBytes
	}
	if s.midLine {
		s.w.WriteString("\r\n")
	}
	s.w.WriteString(".\r\n")
	return s.w.Flush()
}
