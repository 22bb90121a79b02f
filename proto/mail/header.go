package mail

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

// A header is the stored header of a message, including the empty line at its end.
type header []byte

// readHeader reads the header of the message in r and appends it to buf. The end of r ends the
// header too, because a message may consist of a header only. A header of more than maxHeader bytes
// is an access.ErrTooLong.
func readHeader(r *bufio.Reader, buf []byte) (header, error) {
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
		case start && isEmptyLine(piece):
			return buf, nil
		}
		start = err == nil
	}
}

// isEmptyLine reports whether line is an LF or a CR LF.
func isEmptyLine(line []byte) bool {
	return len(line) == 1 && line[0] == '\n' || len(line) == 2 && line[0] == '\r' && line[1] == '\n'
}

// Get returns the value of the first field with that name; "" if the header has no such field.
func (h header) Get(name string) string {
	for f := range h.fields() {
		if f.hasName(name) {
			return f.value()
		}
	}
	return ""
}

// all returns the values of all fields with that name.
func (h header) all(name string) []string {
	var values []string
	for f := range h.fields() {
		if f.hasName(name) {
			values = append(values, f.value())
		}
	}
	return values
}

// A field is a stored header field with its continuation lines.
type field []byte

// fields yields all fields in order. An invalid line is a field without a name.
func (h header) fields() iter.Seq[field] {
	return func(yield func(field) bool) {
		rest := []byte(h)
		for len(rest) > 0 && rest[0] != '\n' && !bytes.HasPrefix(rest, []byte("\r\n")) {
			end := fieldEnd(rest)
			if !yield(field(rest[:end])) {
				return
			}
			rest = rest[end:]
		}
	}
}

// fieldEnd returns the length of the field at the start of b. The field ends before the next line
// that does not start with white space.
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

// hasName reports whether the field has that name, in either case.
func (f field) hasName(name string) bool {
	own, _, ok := bytes.Cut(f, []byte(":"))
	return ok && strings.EqualFold(string(bytes.TrimRight(own, " \t")), name)
}

// value returns the text after the colon, unfolded into one line, without white space around it.
func (f field) value() string {
	_, v, _ := bytes.Cut(f, []byte(":"))
	return strings.TrimSpace(unfold.Replace(string(v)))
}

// unfold removes the line ends of a field.
var unfold = strings.NewReplacer("\r", "", "\n", "")

// text returns the value of a field, with its encoded words (RFC 2047) decoded.
func (h header) text(name string) string { return words.Header(h.Get(name)) }

// bareID returns the text between angle brackets, or all of value if it has none, without white space.
func bareID(value string) string {
	if _, after, ok := strings.Cut(value, "<"); ok {
		value, _, _ = strings.Cut(after, ">")
	}
	return strings.Join(strings.Fields(value), "")
}
