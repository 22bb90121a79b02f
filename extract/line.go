package extract

import (
	"io"
	"strings"
)

// Line returns the line of a text that a match is in, or the text around it if the line is
// long. ok is false if at does not have it any more.
func Line(at io.ReaderAt, m Match) (line string, ok bool) {
	const near = 80
	from := max(m.Offset-near, 0)
	before := int(m.Offset - from)
	buf := make([]byte, before+min(m.Length, 2048)+near)
	n, _ := at.ReadAt(buf, from)
	end := before + min(m.Length, 2048)
	if n < end {
		return "", false
	}
	text := string(buf[:n])
	if i := strings.LastIndexByte(text[:before], '\n'); i >= 0 {
		text, end = text[i+1:], end-i-1
	}
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		text = text[:end+i]
	}
	return strings.ToValidUTF8(strings.TrimRight(text, "\r"), ""), true
}

// A Recent is a Reader that keeps the end of what it has read, for [Line].
type Recent struct {
	io.Reader
	Most int // how many bytes it keeps

	text []byte // the end of what was read
	past int64  // how many bytes came before text
}

// Read reads from Reader.
func (r *Recent) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if drop := len(r.text) + n - r.Most; drop > r.Most/4 { // not at each Read, because it copies
		drop = min(drop, len(r.text))
		r.past += int64(drop)
		r.text = r.text[:copy(r.text, r.text[drop:])]
	}
	r.text = append(r.text, p[:n]...)
	return n, err
}

// ReadAt reads what is kept.
func (r *Recent) ReadAt(p []byte, at int64) (int, error) {
	if at < r.past || at-r.past > int64(len(r.text)) {
		return 0, io.EOF
	}
	n := copy(p, r.text[at-r.past:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
