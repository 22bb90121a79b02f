package archive

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/internal/ascii"
)

// readable returns the recorded response in message in a form that net/http can read: its header is
// corrected so that it describes the recorded body. method is the method of the request.
//
// QUIRK: pywb records bodies without chunks and keeps Transfer-Encoding. Common Crawl records plain
// bodies and keeps Content-Encoding. Browsers and crawlers record status lines such as "HTTP/2
// 200", and servers send header lines without a colon.
func readable(message io.Reader, method string) (io.Reader, error) {
	head, err := readHead(message)
	if err != nil {
		return nil, fmt.Errorf("%w: the recorded response: %w", access.ErrProtocol, err)
	}
	h := parseHeader(head)
	body := bufio.NewReaderSize(message, peekSize)
	if method != http.MethodHead {
		h.describe(body)
	}
	return io.MultiReader(bytes.NewReader(h.text()), body), nil
}

// A header is the header of a recorded message.
type header struct {
	status string // the status line, without its line end
	fields Fields
}

// parseHeader parses the header of a response. It joins folded lines, leaves out lines that are not
// fields, and corrects the status line.
func parseHeader(head []byte) *header {
	first, rest, _ := strings.Cut(string(head), "\n")
	h := &header{status: strings.TrimRight(first, "\r")}
	if line, ok := parseStatusLine(first); ok {
		h.status = line.String()
	}
	wasField := false
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		isMore := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimRight(name, " \t")
		switch {
		case isMore && wasField: // RFC 9112 §5.2
			h.fields[len(h.fields)-1].Value += " " + cleanValue(line)
			continue
		case !isMore && ok && name != "" && strings.Trim(name, fieldNames) == "":
			h.fields = append(h.fields, Field{name, cleanValue(value)})
			wasField = true
			continue
		}
		wasField = false
	}
	return h
}

// A statusLine is the first line of a response.
//
//	HTTP/1.1 200 OK
//	     \_/ \_/ \/
//	 version code reason
type statusLine struct{ version, code, reason string }

// statusForm matches a status line. QUIRK: archives of the web have lines such as "HTTP 200 Document
// follows" of old servers, "ICY 200 OK" of Shoutcast, and lines with too many spaces or too few.
var statusForm = regexp.MustCompile(`^(?i:HTTP(?:/([0-9.]+))?|ICY)[ \t]+([0-9]{3})(.*)`)

// parseStatusLine parses a line, with or without its end. ok is false if it is not a status line.
func parseStatusLine(line string) (parsed statusLine, ok bool) {
	m := statusForm.FindStringSubmatch(line)
	if m == nil {
		return statusLine{}, false
	}
	return statusLine{m[1], m[2], strings.TrimSpace(m[3])}, true
}

// String returns the line in the form of HTTP/1.0 or, for any other version, of HTTP/1.1.
func (l statusLine) String() string {
	version := "HTTP/1.1 "
	if l.version == "1.0" {
		version = "HTTP/1.0 "
	}
	return version + l.code + " " + l.reason
}

// fieldNames has the bytes of the names of fields (RFC 9110 §5.6.2).
const fieldNames = ascii.Letters + ascii.Digits + "!#$%&'*+-.^_`|~"

// cleanValue returns the value of a field without spaces around it, and with spaces instead of
// control characters.
func cleanValue(value string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, value))
}

// describe makes the header describe body. If the body does not have the coding of
// Transfer-Encoding or Content-Encoding, it removes this field and Content-Length, which is then
// wrong. It also removes a Content-Length that is invalid or contradicts another one. It reads body
// only with Peek.
func (h *header) describe(body *bufio.Reader) {
	start, _ := body.Peek(peekSize) // a later read returns the error
	isChunked := h.has("Transfer-Encoding", "chunked")
	if size, isChunk := chunkSize(start); isChunked && isChunk {
		start = start[size:]
	} else if isChunked {
		h.remove("Transfer-Encoding", "Content-Length", "Trailer")
	}
	isPacked := h.has("Content-Encoding", "gzip") || h.has("Content-Encoding", "x-gzip")
	if isPacked && !bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		h.remove("Content-Encoding", "Content-Length")
	}
	length := h.fields.Get("Content-Length")
	isOther := func(f Field) bool { return strings.EqualFold(f.Name, "Content-Length") && f.Value != length }
	if _, err := strconv.ParseUint(length, 10, 63); err != nil || slices.ContainsFunc(h.fields, isOther) {
		h.remove("Content-Length")
	}
}

// chunkSize returns the length of the line with the size of the first chunk, including its line
// end. ok is false if start is not the start of a body in chunks (RFC 9112 §7.1).
func chunkSize(start []byte) (line int, ok bool) {
	line = bytes.IndexByte(start, '\n') + 1
	digits, _, _ := strings.Cut(strings.TrimRight(string(start[:min(line, 1<<10)]), "\r\n"), ";")
	n, err := strconv.ParseUint(strings.TrimRight(digits, " \t"), 16, 63)
	if line == 0 || err != nil {
		return 0, false
	}
	if rest := start[line:]; n < uint64(len(rest)) {
		rest = rest[n:]
		return line, n == 0 || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n")) || string(rest) == "\r"
	}
	return line, bytes.HasSuffix(start[:line], []byte("\r\n"))
}

// has reports whether a field of this name lists the coding, in any case of letters.
func (h *header) has(name, coding string) bool {
	for _, f := range h.fields {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		for value := range strings.SplitSeq(f.Value, ",") {
			if strings.EqualFold(strings.TrimSpace(value), coding) {
				return true
			}
		}
	}
	return false
}

// remove removes all fields with these names, in any case of letters.
func (h *header) remove(names ...string) {
	h.fields = slices.DeleteFunc(h.fields, func(f Field) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, f.Name) })
	})
}

// text returns the header in the form of HTTP/1.1, with the empty line after it.
func (h *header) text() []byte {
	text := append([]byte(h.status), "\r\n"...)
	for _, f := range h.fields {
		text = append(append(append(text, f.Name...), ": "...), f.Value...)
		text = append(text, "\r\n"...)
	}
	return append(text, "\r\n"...)
}
