package extract

import (
	"cmp"
	"io"
	"strings"
)

// Line returns the line that a match is in, without its end and without bytes that are not UTF-8.
// Of a long line it returns the match, as far as 2048 bytes, and up to 80 bytes before and after.
// at has the text that m was found in. ok is false if it does not have all of the match any more.
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

// A Recent is a Reader that keeps the end of what it has read, for [Line]. One goroutine may use it
// at a time.
type Recent struct {
	io.Reader
	// Most is how many bytes it keeps, and up to a quarter more; those of the last Read in any
	// case. 0: 320 KiB, the window of a [Scanner] and the text before it; negative: no limit.
	Most int

	text []byte // the end of what was read
	past int64  // how many bytes came before text
}

// Read reads from Reader.
func (r *Recent) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	most := cmp.Or(r.Most, 320<<10)
	if drop := len(r.text) + n - most; most >= 0 && drop > most/4 { // not at each Read, because it copies
		drop = min(drop, len(r.text))
		r.past += int64(drop)
		r.text = r.text[:copy(r.text, r.text[drop:])]
	}
	r.text = append(r.text, p[:n]...)
	return n, err
}

// ReadAt reads from what is kept; at is an offset in all that was read. What is not kept any more,
// or was not read yet, is io.EOF.
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
