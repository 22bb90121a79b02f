package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// maxAgain is how many bytes of a file are read again after damaged records, besides as
// many as the file has. A file that was made to be read again and again is then read only
// forward.
const maxAgain = 64 << 20

// resume moves to the record after a damaged record: to the next gzip member that begins with a
// record or, in a file without compression, to the next line that begins a record. If the source
// can seek, resume searches from the start of the damaged record, because its damage may have
// hidden the next record. At the end of the file the error is io.EOF.
func (r *Reader) resume() error {
	r.record = nil
	if at := r.from + 1; r.base >= 0 && r.again < maxAgain+r.in.n {
		if _, err := r.source.(io.Seeker).Seek(r.base+at, io.SeekStart); err != nil {
			return err
		}
		r.again += r.in.n - at
		r.in.Reset(r.source)
		r.in.n = at
		if !r.isGzip && r.plain != nil {
			r.plain.Reset(r.in)
		}
	}
	if r.isGzip {
		r.plain = nil
		return r.findMember()
	}
	return r.findLine()
}

// findMember skips to the next gzip member that begins with a record. At the end of the file the
// error is io.EOF.
func (r *Reader) findMember() error {
	magic := []byte{0x1f, 0x8b, 8}
	for {
		text, err := r.in.Peek(peekSize)
		at := bytes.Index(text, magic)
		switch {
		case at == 0 && beginsRecord(text):
			return nil
		case at == 0:
			at = 1
		case at < 0 && err != nil:
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return err
		case at < 0:
			at = len(text) - len(magic) + 1
		}
		if err := r.in.skip(at); err != nil {
			return err
		}
	}
}

// beginsRecord reports whether member, the start of a file with gzip, decompresses to the first
// line of a record. member may be cut off.
func beginsRecord(member []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(member))
	if err != nil {
		return false
	}
	start := make([]byte, 4<<10)
	n, _ := io.ReadFull(z, start) // the member may be shorter, or longer than what was looked at
	line, _, _ := bytes.Cut(start[:n], []byte("\n"))
	return isFirstLine(string(line))
}

// findLine skips the current line, and moves to the next line that begins a record. At the end of
// the file the error is io.EOF.
func (r *Reader) findLine() error {
	for {
		_, err := r.plain.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case errors.Is(err, bufio.ErrBufferFull): // the line goes on
			continue
		case err != nil:
			return err
		}
		start, _ := r.plain.Peek(4 << 10)
		line, _, _ := bytes.Cut(start, []byte("\n"))
		if isFirstLine(string(line)) {
			return nil
		}
	}
}
