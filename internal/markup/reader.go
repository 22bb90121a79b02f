package markup

import (
	"errors"
	"io"
)

// MaxToken is the longest tag, comment or text that a Reader reads, in bytes.
const MaxToken = 1 << 20

// ErrTooLong is the error of a tag, comment or text longer than MaxToken.
var ErrTooLong = errors.New("too long without a tag")

// A Reader reads tokens from a stream. It holds about twice MaxToken bytes at most. Use it
// in one goroutine at a time.
type Reader struct {
	from   io.Reader
	tokens Tokenizer
	err    error // of from
}

// NewReader returns a Reader of a stream.
func NewReader(from io.Reader) *Reader { return &Reader{from: from} }

// Next returns the next token and the text that its places are in, which is valid until the
// next call. At the end of the stream the error is io.EOF. ErrTooLong, and errors of the
// stream, are final.
func (r *Reader) Next() (Token, []byte, error) {
	for !errors.Is(r.err, ErrTooLong) {
		before := r.tokens
		t, ok := r.tokens.Next()
		if t.To-t.From > MaxToken {
			break
		}
		if ok && (t.Kind != Text || t.To < len(r.tokens.Text) || r.hasEnded()) {
			return t, r.tokens.Text, nil
		}
		if r.hasEnded() {
			return Token{}, nil, r.err
		}
		r.tokens.at, r.tokens.raw = before.at, before.raw // the rest of it is still to come
		r.fill()
	}
	r.err = ErrTooLong
	return Token{}, nil, r.err
}

// hasEnded reports whether nothing more can be read from the stream.
func (r *Reader) hasEnded() bool { return r.err != nil }

// fill drops the text before the next token, and reads more. It reads at least an eighth of
// what is there, so that a token that comes in small pieces takes linear time.
func (r *Reader) fill() {
	z := &r.tokens
	size := copy(z.Text, z.Text[z.at:])
	z.Text, z.at = z.Text[:size], 0
	if size > MaxToken {
		r.err = ErrTooLong
		return
	}
	least := size + size/8 + 1
	if least > cap(z.Text) {
		z.Text = append(make([]byte, 0, max(2*size, 32<<10)), z.Text...)
	}
	for empty := 0; len(z.Text) < least && r.err == nil; empty++ {
		size = len(z.Text)
		n, err := r.from.Read(z.Text[size:cap(z.Text)])
		z.Text, r.err = z.Text[:size+n], err
		if n > 0 {
			empty = 0
		}
		if empty == maxEmptyReads {
			r.err = io.ErrNoProgress
		}
	}
}

// maxEmptyReads is how many reads in a row may return nothing.
const maxEmptyReads = 100
