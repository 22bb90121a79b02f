package cli

import (
	"io"
	"mime"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// Text is for verbs that show text.
type Text struct {
	Charset string `flag:"charset"` // of text that declares none and is not UTF-8
}

// Check returns an error if the charset is unknown.
func (o Text) Check() error {
	if _, err := htmlindex.Get(o.Charset); o.Charset != "" && err != nil {
		return Misuse("--charset: unknown character set %q; ISO-8859-1 and KOI8-R are known", o.Charset)
	}
	return nil
}

// Writer returns a Writer that writes text to w in UTF-8. If the media type has a charset,
// it converts from that. Otherwise the text is UTF-8 if its first character beyond ASCII
// is, else in the charset of o, which Check has accepted; "" is Latin-1. Close closes w.
func (o Text) Writer(w io.WriteCloser, mediaType string) io.WriteCloser {
	declared := ""
	if _, params, err := mime.ParseMediaType(mediaType); err == nil {
		declared = params["charset"]
	}
	t := &textWriter{w: w, fallback: charmap.Windows1252} // which has Latin-1
	if e, err := htmlindex.Get(o.Charset); err == nil {
		t.fallback = e
	}
	if e, err := htmlindex.Get(declared); err == nil {
		t.out = transform.NewWriter(w, e.NewDecoder())
	}
	return t
}

// A textWriter writes text in UTF-8. It finds out what the text is.
type textWriter struct {
	w        io.WriteCloser
	fallback encoding.Encoding
	out      io.Writer // once it is known what the text is
	rest     []byte    // the start of a character
}

// Write takes all of p, or fails.
func (t *textWriter) Write(p []byte) (int, error) {
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

// decide decides what the text is by the character at the start of rest, and writes rest.
func (t *textWriter) decide() error {
	if r, size := utf8.DecodeRune(t.rest); r == utf8.RuneError && size <= 1 {
		t.out = transform.NewWriter(t.w, t.fallback.NewDecoder())
	} else {
		t.out = t.w
	}
	_, err := t.out.Write(t.rest)
	t.rest = nil
	return err
}

// Close writes what is left, and closes w.
func (t *textWriter) Close() error {
	if len(t.rest) > 0 {
		if err := t.decide(); err != nil {
			return err
		}
	}
	if c, ok := t.out.(*transform.Writer); ok {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return t.w.Close()
}
