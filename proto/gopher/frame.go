package gopher

import (
	"bufio"
	"bytes"
	"io"

	"locus/access"
	"locus/proto/internal/wire"
)

// body returns a reader of the data that follows the Gopher+ header h in r, without the terminator.
// The reader returns io.EOF at the end of the data.
func (h header) body(r *bufio.Reader) io.Reader {
	switch h.size {
	case untilDot:
		return &dotReader{r: r, endsAtFirstDot: true, requiresDot: true, allowsLF: h.endsInLF}
	case untilClose:
		return r
	}
	return &sizedReader{r: r, remaining: h.size}
}

// body returns a reader of the data of a plain Gopher reply in r, without the terminator.
func (f framing) body(r *bufio.Reader) io.Reader {
	switch f {
	case textFraming:
		return &dotReader{r: r, allowsLF: true}
	case menuFraming:
		return &dotReader{r: r, endsAtFirstDot: true, allowsLF: true, requiresWholeLines: true}
	}
	return r
}

// A sizedReader reads exactly the remaining bytes, and ignores further bytes. An earlier end is
// io.ErrUnexpectedEOF.
//
// QUIRK: Minnesota gopherd 3.0.5 sends ".\r\n" after the bytes of a text.
type sizedReader struct {
	r         io.Reader
	remaining int64
}

// Read reads from the remaining bytes. If the connection ends before them, the error is
// io.ErrUnexpectedEOF.
func (s *sizedReader) Read(p []byte) (int, error) {
	if s.remaining == 0 {
		return 0, io.EOF
	}
	n, err := s.r.Read(p[:min(int64(len(p)), s.remaining)])
	s.remaining -= int64(n)
	if s.remaining > 0 {
		err = wire.Early(err)
	}
	return n, err
}

// A dotReader reads lines up to a terminator, which is a line with only a period. It returns a line
// of two periods as a line of one period.
//
//   - QUIRK: Minnesota gopherd 2.3.0 doubles a period only if it is alone on its
//     line. Minnesota gopherd 3.0.5, pygopherd 3.0.0 and gophernicus 3.1.1 double
//     none. So a period at the start of a line with more text is kept.
//   - QUIRK: gophernicus and pygopherd send no terminator after a text, and do
//     not double lines with one period. Minnesota gopherd 3.0.5 sends the
//     terminator, but does not double either. So in plain Gopher only the last
//     line of a text can be the terminator.
//   - QUIRK: Minnesota gopherd 3.0.5 sends a script's output under "+-1" with LF
//     line ends, but the terminator with CR LF. So the terminator must have the
//     line end of the header.
type dotReader struct {
	r                  *bufio.Reader
	endsAtFirstDot     bool // any terminator ends the data; if false, only a terminator right before the close
	requiresDot        bool // a close without a terminator is an early end
	requiresWholeLines bool // a close within a line is an early end
	allowsLF           bool // a terminator may end in LF without CR

	ending    *ending // decides whether a close without a terminator is early; if nil, it is not
	hasPeriod bool    // the terminator was read

	out    []byte // the data for the next Read
	inLine bool   // the next byte is not at the start of a line
	err    error  // the error after out
}

// Read returns the data without the terminator, and removes one period from a line of two periods.
// The error is io.EOF at the terminator. If the connection ends without a terminator, it is the error
// that end sets: io.EOF for whole data, and io.ErrUnexpectedEOF for data that were cut.
func (d *dotReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(d.out) == 0 && d.err == nil {
		d.fill()
	}
	if len(d.out) == 0 {
		return 0, d.err
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// fill sets out to the next bytes of the data, or sets err at the end of the data.
func (d *dotReader) fill() {
	if d.inLine {
		if _, err := d.r.Peek(1); err != nil {
			d.end(err)
			return
		}
		d.takeBuffered()
		return
	}
	start, err := d.peekDots()
	switch {
	case len(start) == 0:
		d.end(err)
	case d.isEnd(start):
		d.err, d.hasPeriod = io.EOF, true
		if d.ending != nil {
			d.ending.recordPeriod()
		}
	case string(start) == "..\r\n":
		_, d.err = d.r.Discard(1)
		if d.ending != nil && d.ending.habit.framing == textFraming {
			d.ending.received++ // a Gopher+ size counts both periods
		}
		d.take(3)
	default:
		d.takeBuffered()
	}
}

// end sets d.err at the end of the connection, without a terminator. err is the error of the
// connection. d.err becomes io.ErrUnexpectedEOF if the framing does not allow such an end. If the
// framing allows it, ending.check may still find that the data were cut, and may ask the server a
// second time for that.
func (d *dotReader) end(err error) {
	d.err = err
	if d.requiresDot || d.requiresWholeLines && d.inLine {
		d.err = wire.Early(err)
	}
	if d.ending == nil || !access.IsEnd(d.err) {
		return
	}
	if early := d.ending.check(); early != nil {
		d.err = early
	}
}

// peekDots peeks at the next bytes for as long as they may be a line of one or two periods.
// Otherwise the result ends with the first byte that differs. It is empty only with an error.
func (d *dotReader) peekDots() ([]byte, error) {
	const longest = len("..\r\n")
	for n := 1; ; n++ {
		p, err := d.r.Peek(n)
		if err != nil || n == longest || !bytes.HasPrefix([]byte("..\r\n"), p) && !bytes.HasPrefix([]byte(".\r\n"), p) {
			return p, err
		}
		if p[n-1] == '\n' {
			return p, nil
		}
	}
}

// isEnd reports whether start, the next bytes, is the terminator. start may be an incomplete
// line. A line with a period is the terminator if the connection ends after it. If
// endsAtFirstDot is set, the first line with a period is the terminator, but it must end in CR LF
// unless allowsLF is set.
func (d *dotReader) isEnd(start []byte) bool {
	switch string(start) {
	case ".\r\n":
		return d.endsAtFirstDot || d.isLast(start)
	case ".\n":
		return d.endsAtFirstDot && d.allowsLF || d.isLast(start)
	case ".", ".\r":
		return d.isLast(start)
	}
	return false
}

// isLast reports whether the connection ends after start, the next bytes. It waits for the next
// byte.
func (d *dotReader) isLast(start []byte) bool {
	_, err := d.r.Peek(len(start) + 1)
	return access.IsEnd(err)
}

// takeBuffered moves the buffered bytes to out, up to the next line that starts with a period.
func (d *dotReader) takeBuffered() {
	p, _ := d.r.Peek(d.r.Buffered())
	n := len(p)
	if i := bytes.Index(p, []byte("\n.")); i >= 0 {
		n = i + 1
	}
	d.take(n)
}

// take moves the next n bytes, which are buffered, to out, and updates inLine and the ending. n
// must not be 0.
func (d *dotReader) take(n int) {
	d.out, _ = d.r.Peek(n)
	if d.ending != nil {
		d.ending.add(d.out)
	}
	d.inLine = d.out[len(d.out)-1] != '\n'
	_, _ = d.r.Discard(n)
}
