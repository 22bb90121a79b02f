package emit

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"strings"
	"sync"

	"locus/extract"
)

// ErrTooLarge is yielded after the matches in a text that is longer than the limit.
var ErrTooLarge = errors.New("a document longer than the limit")

// Read reads the text of r in a format. It calls yield with the matches in the order of their offsets, and then with
// an error if there is one. If r is a *bytes.Buffer, its bytes are neither copied nor consumed.
func Read(read Format, r io.Reader, o Options, yield func(extract.Match, error) bool) {
	limit := o.Limit
	switch {
	case limit == 0:
		limit = 64 << 20
	case limit < 0:
		limit = math.MaxInt64
	}
	limit = min(limit, math.MaxInt64-1)
	b := buffers.Get().(*buffer)
	text, err := b.read(r, limit)
	d := New(text, o, yield)
	d.run.texts, d.matches, d.errs = &b.texts, b.matches[:0], b.errs[:0]
	defer func() { b.release(d) }()
	d.noteInserts()
	read(d)
	d.flush()
	if err != nil && !d.run.isStopped {
		yield(extract.Match{}, err)
	}
}

// noteInserts calls Options.Incomplete, unless it is nil, if the text contains marks of Options.Inserts, at which the
// site's generator inserts text. Marks that are exceptions do not count.
func (d *Emitter) noteInserts() {
	if d.Options.Incomplete == nil {
		return
	}
	inserts := 0
	for mark := range strings.SplitSeq(d.Options.Inserts, "|") {
		if other, isException := strings.CutPrefix(mark, "!"); isException {
			inserts -= bytes.Count(d.Text, []byte(other))
		} else if mark != "" {
			inserts += bytes.Count(d.Text, []byte(mark))
		}
	}
	if inserts > 0 {
		d.Options.Incomplete()
	}
}

// A buffer holds the memory for one document and its matches while the document is read.
type buffer struct {
	text    []byte
	matches []extract.Match
	errs    []error
	texts   recentTexts
}

// buffers holds buffers for reuse. A text larger than maxKeptBuffer is not kept.
var buffers = sync.Pool{New: func() any {
	return &buffer{text: make([]byte, 0, 64<<10), texts: recentTexts{seed: maphash.MakeSeed()}}
}}

const maxKeptBuffer = 4 << 20

// read returns the text of a document, which is valid until b is used again. If the document has more than limit
// bytes, read returns the first limit bytes and ErrTooLarge. After another error it returns the bytes before the error.
func (b *buffer) read(r io.Reader, limit int64) ([]byte, error) {
	if whole, ok := r.(*bytes.Buffer); ok {
		if text := whole.Bytes(); int64(len(text)) > limit {
			return text[:limit], ErrTooLarge
		}
		return whole.Bytes(), nil
	}
	text, err := readAll(r, b.text[:0], limit)
	if cap(text) <= maxKeptBuffer {
		b.text = text
	}
	return text, err
}

// release puts b back into buffers for reuse, with the memory of d's matches unless that is large. Neither b nor d may
// be used afterwards.
func (b *buffer) release(d *Emitter) {
	if cap(d.matches) <= 2*flushAt {
		clear(d.matches[:cap(d.matches)]) // so that the texts of the matches can be freed
		clear(d.errs[:cap(d.errs)])
		b.matches, b.errs = d.matches, d.errs
	}
	buffers.Put(b)
}

// readAll appends all bytes of r to text and returns the result. If the result would exceed limit bytes, it returns the
// first limit bytes and ErrTooLarge. After an error of r it returns the bytes before the error.
func readAll(r io.Reader, text []byte, limit int64) ([]byte, error) {
	for {
		if len(text) == cap(text) {
			text = append(make([]byte, 0, min(int64(cap(text))*3/2, limit+1)), text...)
		}
		n, err := r.Read(text[len(text):min(int64(cap(text)), limit+1)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > limit:
			return text[:limit], ErrTooLarge
		case err == io.EOF:
			return text, nil
		case err != nil:
			return text, err
		}
	}
}
