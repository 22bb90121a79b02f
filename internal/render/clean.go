package render

import (
	"io"
	"strings"
	"unicode/utf8"

	"locus/url"
)

// Clean returns s safe to show on one line of a terminal. It replaces characters that
// control the terminal or mislead a reader:
//
//   - C0 controls and DEL by their pictures, from U+2400: ESC is "␛"
//   - C1 controls, bytes that are not UTF-8, line and paragraph separators, and marks
//     of the direction of writing, by U+FFFD
//
// It allocates only if it replaces a character.
func Clean(s string) string {
	for i, r := range s {
		if shown(r) != r || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return s[:i] + strings.Map(shown, strings.ToValidUTF8(s[i:], "\uFFFD"))
		}
	}
	return s
}

// Redacted returns the URL u without its password, cleaned by [Clean].
func Redacted(u string) string { return Clean(url.Redact(u)) }

// cleanTitle returns the title of an entry, cleaned by [Clean]. A title that is not UTF-8 is read
// as Latin-1, because old servers write titles in Latin-1.
func cleanTitle(s string) string {
	if utf8.ValidString(s) {
		return Clean(s)
	}
	text := make([]rune, len(s))
	for i := range len(s) {
		text[i] = rune(s[i])
	}
	return Clean(string(text))
}

// shown returns the character to show for r: a picture of a control character, or U+FFFD for
// characters that change the direction of writing or end a line.
func shown(r rune) rune {
	const pictures, pictureOfDEL = 0x2400, 0x2421
	switch {
	case r < ' ':
		return pictures + r
	case r < 0x7f:
		return r
	case r == 0x7f:
		return pictureOfDEL
	case r < 0xa0,
		r == 0x61c, r == 0x200e, r == 0x200f, // marks of direction
		r >= 0x2028 && r <= 0x202e, // separators, embeddings and overrides
		r >= 0x2066 && r <= 0x2069: // isolates
		return utf8.RuneError
	}
	return r
}

// CleanWriter returns a Writer that writes text to w as [Clean] does, but keeps tabs and line ends.
// CR LF becomes LF. A character may be split between two Writes. Close writes U+FFFD for a
// character that is still incomplete; it does not close w.
func CleanWriter(w io.Writer) io.WriteCloser { return &cleanWriter{w: w} }

type cleanWriter struct {
	w    io.Writer
	rest []byte // the start of a character, or a CR
	out  []byte
}

// Write writes p with its characters replaced as in [Clean], except that it keeps tabs and line
// feeds, and writes CR LF as LF. It keeps an incomplete character until the next Write. If w fails,
// it returns 0 and the error.
func (c *cleanWriter) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	if err := c.flush(false); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the bytes that Write has kept, as an incomplete character. It does not close w.
func (c *cleanWriter) Close() error { return c.flush(true) }

// flush writes the complete characters in c.rest, cleaned, and keeps an incomplete character. If
// atEnd is set, it writes everything.
func (c *cleanWriter) flush(atEnd bool) error {
	text := c.rest
	c.out = c.out[:0]
	for len(text) > 0 && (atEnd || isWhole(text)) {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t':
		case r == '\r' && len(text) > 1 && text[1] == '\n':
			r, size = '\n', 2
		default:
			r = shown(r)
		}
		c.out = utf8.AppendRune(c.out, r)
		text = text[size:]
	}
	c.rest = c.rest[:copy(c.rest, text)]
	if len(c.out) == 0 {
		return nil
	}
	_, err := c.w.Write(c.out)
	return err
}

// isWhole reports whether text, which must not be empty, starts with a whole character. A byte that
// is not UTF-8 counts as a whole character. A CR does so only if a byte follows, because that may
// be a LF.
func isWhole(text []byte) bool {
	if text[0] == '\r' {
		return len(text) > 1
	}
	return utf8.FullRune(text)
}
