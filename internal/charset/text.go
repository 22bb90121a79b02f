package charset

import (
	"cmp"
	"io"
	"mime"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// A TextWriter converts text to UTF-8. Use [NewTextWriter]. Only one goroutine may write at
// a time.
type TextWriter struct {
	w        io.WriteCloser
	fallback encoding.Encoding
	out      io.Writer // nil until the charset is known
	rest     []byte    // the start of a character
	isUTF8   atomic.Bool
}

// NewTextWriter returns a Writer that converts text to UTF-8 and writes it to w. If mediaType has a
// charset parameter with a known charset, the text is in that charset. Otherwise the first
// character beyond ASCII decides: if it is valid UTF-8, the text is UTF-8, and otherwise the text
// is in the charset fallback. An empty or unknown fallback means Windows-1252. Close closes w.
func NewTextWriter(w io.WriteCloser, mediaType, fallback string) *TextWriter {
	declared := ""
	if _, params, err := mime.ParseMediaType(mediaType); err == nil {
		declared = params["charset"]
	}
	t := &TextWriter{w: w, fallback: charmap.Windows1252} // a superset of Latin-1
	if e, ok := Web(fallback); ok {
		t.fallback = e
	}
	if e, ok := Web(declared); ok {
		t.out = transform.NewWriter(w, e.NewDecoder())
	}
	return t
}

// NewEncoder returns a Writer that converts UTF-8 to the charset with this name and writes it to
// w. It replaces characters that the charset lacks. NewEncoder returns nil if name is "" or
// unknown.
func NewEncoder(w io.Writer, name string) io.Writer {
	e, ok := Web(name)
	if !ok {
		return nil
	}
	return transform.NewWriter(w, encoding.ReplaceUnsupported(e.NewEncoder()))
}

// IsUTF8 reports whether a character beyond ASCII has shown that the text is UTF-8. It returns
// false for a declared charset. Any goroutine may call it.
func (t *TextWriter) IsUTF8() bool { return t.isUTF8.Load() }

// Write converts p to UTF-8 and writes it. Until the charset is decided, it writes ASCII
// unchanged, and keeps an incomplete character for the next Write.
func (t *TextWriter) Write(p []byte) (int, error) {
	if t.out != nil {
		return t.out.Write(p)
	}
	text := append(t.rest, p...)
	n := 0
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	if _, err := t.w.Write(text[:n]); err != nil {
		return 0, err
	}
	t.rest = append([]byte(nil), text[n:]...)
	if len(t.rest) > 0 && utf8.FullRune(t.rest) {
		return len(p), t.decide()
	}
	return len(p), nil
}

// decide chooses the charset by the first character beyond ASCII, which is at the start of
// t.rest, and writes t.rest.
func (t *TextWriter) decide() error {
	if r, size := utf8.DecodeRune(t.rest); r == utf8.RuneError && size <= 1 {
		t.out = transform.NewWriter(t.w, t.fallback.NewDecoder())
	} else {
		t.out = t.w
		t.isUTF8.Store(true)
	}
	_, err := t.out.Write(t.rest)
	t.rest = nil
	return err
}

// Close writes the bytes of an incomplete character, and closes w, even after an error. It
// returns the first error.
func (t *TextWriter) Close() error {
	err := t.finish()
	return cmp.Or(err, t.w.Close())
}

// finish writes the bytes of an incomplete character, and does not close t.w.
func (t *TextWriter) finish() error {
	if len(t.rest) > 0 {
		if err := t.decide(); err != nil {
			return err
		}
	}
	if c, ok := t.out.(*transform.Writer); ok {
		return c.Close()
	}
	return nil
}
