package nntp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"locus/access"
)

// dots reads a multi-line data block (RFC 3977 §3.1.1): it takes the period off
// that lines which begin with one have too many, and ends at the line that is
// nothing but a period. A block that does not end so is cut short.
//
//	as sent         as read
//	hello CR LF     hello CR LF
//	..dot CR LF     .dot CR LF
//	. CR LF         the end
//
// A line ends in CR LF. A CR or LF alone is an octet like others: it begins no
// line, and so no period after it means anything.
type dots struct {
	r   *bufio.Reader
	out []byte // to be given, before anything is read
	mid bool   // what comes next is not the start of a line
	cr  bool   // the last octet was CR
	err error
}

func (d *dots) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.out) == 0 && (n == 0 || d.ready()) {
			d.fill()
		}
		if len(d.out) == 0 {
			break
		}
		k := copy(p[n:], d.out)
		d.out = d.out[k:]
		n += k
	}
	if n == 0 && len(p) > 0 {
		return 0, d.err
	}
	return n, nil
}

// ready reports whether fill would not wait for the server.
func (d *dots) ready() bool {
	if d.err != nil {
		return false
	}
	waiting, _ := d.r.Peek(d.r.Buffered()) // as many are there
	return bytes.IndexByte(waiting, '\n') >= 0
}

// fill gets a line, or as much of it as the buffer takes.
func (d *dots) fill() {
	if d.err != nil {
		return
	}
	part, err := d.r.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		d.err = io.ErrUnexpectedEOF
	case err != nil && !errors.Is(err, bufio.ErrBufferFull):
		d.err = err
	}
	if len(part) == 0 {
		return
	}
	ends := bytes.HasSuffix(part, []byte("\r\n")) || d.cr && string(part) == "\n"
	start := !d.mid
	d.mid, d.cr = !ends, part[len(part)-1] == '\r'
	if start && string(part) == ".\r\n" {
		d.err = io.EOF
		return
	}
	if start && part[0] == '.' {
		part = part[1:]
	}
	d.out = part
}

// maxLine is how long a line of a listing or a header may be, its end included.
const maxLine = 32 << 10

// lines reads a block that is a list.
type lines struct{ r *bufio.Reader }

// next returns the next line without its end, and io.EOF after the last. Of a
// line that is too long it returns the start, with access.ErrTooLong.
func (l *lines) next() (string, error) {
	raw, err := l.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return string(raw), fmt.Errorf("%w: a line of more than %d octets", access.ErrTooLong, maxLine)
	case errors.Is(err, io.EOF) && len(raw) > 0:
		return string(raw), nil
	case err != nil:
		return "", err
	}
	return string(bytes.TrimRight(raw, "\r\n")), nil
}

// maxSkipped is how many octets of what is too long are read and left aside, so
// that what follows can be read.
const maxSkipped = 16 << 20

// skip goes to the start of the next line.
func (l *lines) skip() error {
	for skipped := 0; skipped < maxSkipped; {
		raw, err := l.r.ReadSlice('\n')
		if skipped += len(raw); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return fmt.Errorf("%w: a line of more than %d octets", access.ErrTooLong, maxSkipped)
}

// skipBlock goes to the end of a block.
func skipBlock(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxSkipped))
	if err == nil && n == maxSkipped {
		err = fmt.Errorf("%w: a block of more than %d octets", access.ErrTooLong, maxSkipped)
	}
	return err
}

// A stuffer writes text as a data block: each line ends in CR LF, and one that
// begins with a period gets another.
type stuffer struct {
	w   *bufio.Writer
	mid bool // not at the start of a line
	cr  bool // the last octet was CR
}

var errOctets = errors.New("an article has no NUL, and CR only before LF")

func (s *stuffer) Write(p []byte) (int, error) {
	for i, c := range p {
		if c == 0 || s.cr && c != '\n' {
			return i, errOctets
		}
		if s.cr = c == '\r'; s.cr {
			continue
		}
		if c == '\n' {
			s.w.WriteString("\r\n")
			s.mid = false
			continue
		}
		if c == '.' && !s.mid {
			s.w.WriteByte('.')
		}
		s.mid = true
		if err := s.w.WriteByte(c); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// end writes the line that ends the block.
func (s *stuffer) end() error {
	if s.cr {
		return errOctets
	}
	if s.mid {
		s.w.WriteString("\r\n")
	}
	s.w.WriteString(".\r\n")
	return s.w.Flush()
}
