package extract

import (
	"cmp"
	"io"
	"strings"
)

// Line returns the line that contains the match m, without its line end and without bytes that are not UTF-8. If the
// line is long, it returns at most 2048 bytes of the match and 80 bytes before and after it. at holds the text in
// which m was found. ok is false if at no longer has the whole match.
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

// A Recent is a Reader that keeps the end of the text that it has read, for [Line]. One goroutine may use it at a
// time.
type Recent struct {
	io.Reader
	// Most is the number of bytes to keep. Up to a quarter more may be kept, and the bytes of the last Read always
	// are. 0 means 320 KiB, which is the window of a [Scanner] and the text before it; a negative value means no
	// limit.
	Most int

	text []byte // the end of the text that was read
	past int64  // the number of bytes before text
}

// Read reads from Reader and keeps the bytes for ReadAt. It may drop the oldest bytes that it keeps.
func (r *Recent) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	most := cmp.Or(r.Most, 320<<10)
	if drop := len(r.text) + n - most; most >= 0 && drop > most/4 { // not after each Read, because it copies
		drop = min(drop, len(r.text))
		r.past += int64(drop)
		r.text = r.text[:copy(r.text, r.text[drop:])]
	}
	r.text = append(r.text, p[:n]...)
	return n, err
}

// ReadAt reads from the bytes that were kept. at is an offset in the whole text. It returns io.EOF for bytes that are
// no longer kept or not yet read.
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
