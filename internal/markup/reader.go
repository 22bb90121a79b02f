package markup

import (
	"errors"
	"io"
)

// MaxToken is the length in bytes of the longest tag, comment or text that a Reader reads.
const MaxToken = 1 << 20

// ErrTooLong is returned for a tag, comment or text longer than MaxToken.
var ErrTooLong = errors.New("too long without a tag")

// A Reader reads tokens from a stream. It holds at most about twice MaxToken bytes. One goroutine at a time may use
// it.
type Reader struct {
	from   io.Reader
	tokens Tokenizer
	err    error // the error of from
}

// NewReader returns a Reader of the tokens of the document from.
func NewReader(from io.Reader) *Reader { return &Reader{from: from} }

// Next returns the next token and the text that its offsets refer to. The text is valid until the next call. At the
// end of the stream the error is io.EOF. After ErrTooLong or an error of the stream, Next returns the same error
// again.
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
		r.tokens.at, r.tokens.raw = before.at, before.raw // the rest of the token is still to come
		r.fill()
	}
	r.err = ErrTooLong
	return Token{}, nil, r.err
}

// hasEnded reports whether reading the stream has failed or reached its end.
func (r *Reader) hasEnded() bool { return r.err != nil }

// fill drops the text before the next token, and reads more text. It reads at least an eighth of the remaining
// text, because a token that arrives in small pieces must still take linear time. It sets r.err if reading fails or
// the token is too long.
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

// maxEmptyReads is the number of consecutive empty reads after which the reader gives up.
const maxEmptyReads = 100
