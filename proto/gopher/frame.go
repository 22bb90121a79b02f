package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"locus/proto/internal/wire"
)

// frame returns the data of a Gopher+ answer without what ends it.
func (h header) frame(r *bufio.Reader) io.Reader {
	switch h.size {
	case untilDot:
		return &dotted{r: r, stops: true, must: true, lf: h.lf}
	case untilClose:
		return r
	}
	return &sized{r: r, left: h.size}
}

// frame returns the data of an answer of plain Gopher without what ends it.
func (f framing) frame(r *bufio.Reader) io.Reader {
	switch f {
	case text:
		return &dotted{r: r, lf: true}
	case menu:
		return &dotted{r: r, stops: true, lf: true, whole: true}
	}
	return r
}

// sized reads left octets: fewer are an early end, more are not its business.
//
// QUIRK: Minnesota gopherd 3.0.5 sends ".\r\n" after the octets of a text.
type sized struct {
	r    io.Reader
	left int64
}

func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.r.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	if s.left > 0 {
		err = wire.Early(err)
	}
	return n, err
}

// dotted reads lines that may end in a period alone on a line. A line of two
// periods is one of one.
//
//   - QUIRK: Minnesota gopherd 2.3.0 doubles a period that is alone on its line,
//     and no other leading period; Minnesota gopherd 3.0.5, pygopherd 3.0.0 and
//     gophernicus 3.1.1 double none. So a leading period is never taken off a
//     line that has more.
//   - QUIRK: gophernicus and pygopherd end no text with a period, and send the
//     ones within as they are; Minnesota gopherd 3.0.5 does end it, but sends the
//     ones within, too. So in a text of plain Gopher only the last line counts.
//   - QUIRK: Minnesota gopherd 3.0.5 sends the lines of a script's output under
//     "+-1" as they are, with LF, and ends with a period and CR LF. So the end is
//     a period with the line end that the header has.
type dotted struct {
	r     *bufio.Reader
	stops bool // the first period alone ends it; if not, only one right before the close
	must  bool // the close without a period is an early end
	whole bool // a close within a line is an early end
	lf    bool // a period and LF without CR may end it, too

	out []byte // to be given, before anything is read
	mid bool   // what comes next is not the start of a line
	err error
}

func (d *dotted) Read(p []byte) (int, error) {
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

// fill gets more to give out, or sets err.
func (d *dotted) fill() {
	if d.mid {
		if _, err := d.r.Peek(1); err != nil {
			d.end(err)
			return
		}
		d.give()
		return
	}
	start, err := d.peekDots()
	switch {
	case len(start) == 0:
		d.end(err)
	case d.isEnd(start):
		d.err = io.EOF
	case string(start) == "..\r\n":
		_, d.err = d.r.Discard(1)
		d.take(3)
	default:
		d.give()
	}
}

// end sets err at the end of the answer.
func (d *dotted) end(err error) {
	d.err = err
	if d.must || d.whole && d.mid {
		d.err = wire.Early(err)
	}
}

// peekDots returns the next octets as far as they may be a line of one or two
// periods, and one octet more if they are not.
func (d *dotted) peekDots() ([]byte, error) {
	const most = len("..\r\n")
	for n := 1; ; n++ {
		p, err := d.r.Peek(n)
		if err != nil || n == most || !bytes.HasPrefix([]byte("..\r\n"), p) && !bytes.HasPrefix([]byte(".\r\n"), p) {
			return p, err
		}
		if p[n-1] == '\n' {
			return p, nil
		}
	}
}

// isEnd reports whether start is the line that ends the data.
func (d *dotted) isEnd(start []byte) bool {
	switch string(start) {
	case ".\r\n":
		return d.stops || d.last(start)
	case ".\n":
		return d.stops && d.lf || d.last(start)
	case ".", ".\r":
		return d.last(start)
	}
	return false
}

// last reports whether nothing follows start but the close.
func (d *dotted) last(start []byte) bool {
	_, err := d.r.Peek(len(start) + 1)
	return errors.Is(err, io.EOF)
}

// give gives what has arrived, up to a line that starts with a period.
func (d *dotted) give() {
	p, _ := d.r.Peek(d.r.Buffered())
	n := len(p)
	if i := bytes.Index(p, []byte("\n.")); i >= 0 {
		n = i + 1
	}
	d.take(n)
}

func (d *dotted) take(n int) {
	d.out, _ = d.r.Peek(n)
	d.mid = d.out[len(d.out)-1] != '\n'
	_, _ = d.r.Discard(n)
}
