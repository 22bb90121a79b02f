// Package message reads received mail (RFC 5322, RFC 2045): the fields of a header, and the decoded parts of a message.
// It holds no message in memory as a whole.
//
// ReadHeader reads the Header of a message. NewParts reads the parts after it, one at a time. A Part decodes its own
// content.
//
// Notable divergences:
//   - RFC 2046 §5.2.1: parts inside an attached message are not found.
//   - RFC 2045 §6.8: bytes that are not base64 are skipped, as required. Text
//     after the padding is not.
package message

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"

	"locus/access"
	"locus/proto/internal/words"
)

// maxHeader limits the header of a message, in bytes.
const maxHeader = 1 << 20

// A Header is the stored header of a message, including the empty line at its end.
type Header []byte

// ReadHeader reads the header of the message in r and appends it to buf. The end of r ends the
// header too, because a message may consist of a header only. A header of more than maxHeader bytes
// is an access.ErrTooLong.
func ReadHeader(r *bufio.Reader, buf []byte) (Header, error) {
	start := true // at the start of a line
	for {
		piece, err := r.ReadSlice('\n')
		buf = append(buf, piece...)
		switch {
		case len(buf) > maxHeader:
			return nil, fmt.Errorf("%w: a header of more than %d bytes", access.ErrTooLong, maxHeader)
		case access.IsEnd(err):
			return buf, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case start && IsEmptyLine(piece):
			return buf, nil
		}
		start = err == nil
	}
}

// IsEmptyLine reports whether line is an LF or a CR LF.
func IsEmptyLine(line []byte) bool {
	return len(line) == 1 && line[0] == '\n' || len(line) == 2 && line[0] == '\r' && line[1] == '\n'
}

// Get returns the value of the first field with that name, unfolded into one line. It returns "" if the header has no
// such field.
func (h Header) Get(name string) string {
	for f := range h.Fields() {
		if f.HasName(name) {
			return f.Value()
		}
	}
	return ""
}

// All returns the values of all fields with that name, in order, each unfolded into one line.
func (h Header) All(name string) []string {
	var values []string
	for f := range h.Fields() {
		if f.HasName(name) {
			values = append(values, f.Value())
		}
	}
	return values
}

// A Field is a stored header field with its continuation lines.
type Field []byte

// Fields yields the fields in order, up to the empty line. A line without a colon is yielded as a field without a name.
func (h Header) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		rest := []byte(h)
		for len(rest) > 0 && rest[0] != '\n' && !bytes.HasPrefix(rest, []byte("\r\n")) {
			end := fieldEnd(rest)
			if !yield(Field(rest[:end])) {
				return
			}
			rest = rest[end:]
		}
	}
}

// fieldEnd returns the length of the field at the start of b, with its continuation lines. The field ends before the
// next line that does not start with white space.
func fieldEnd(b []byte) int {
	for end := 0; ; {
		n := bytes.IndexByte(b[end:], '\n')
		if n < 0 {
			return len(b)
		}
		if end += n + 1; end == len(b) || b[end] != ' ' && b[end] != '\t' {
			return end
		}
	}
}

// HasName reports whether the field has that name. Case does not matter.
func (f Field) HasName(name string) bool {
	own, _, ok := bytes.Cut(f, []byte(":"))
	return ok && strings.EqualFold(string(bytes.TrimRight(own, " \t")), name)
}

// Value returns the text after the colon, unfolded into one line, without white space around it.
func (f Field) Value() string {
	_, v, _ := bytes.Cut(f, []byte(":"))
	return strings.TrimSpace(unfold.Replace(string(v)))
}

// unfold removes the line ends of a field.
var unfold = strings.NewReplacer("\r", "", "\n", "")

// Text returns the value of the first field with that name, with its encoded words (RFC 2047) decoded. It returns "" if
// the header has no such field.
func (h Header) Text(name string) string { return words.Header(h.Get(name)) }

// BareID returns the text between the first angle brackets of value, or value if it has no brackets. It removes all
// white space.
func BareID(value string) string {
	if _, after, ok := strings.Cut(value, "<"); ok {
		value, _, _ = strings.Cut(after, ">")
	}
	return strings.Join(strings.Fields(value), "")
}
