// Package mail reads mail and news articles (RFC 5322, RFC 5536), and mailboxes.
package mail

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/encodedword"
)

// fromLine starts the line before each message in a mailbox (RFC 4155, appendix A).
var fromLine = []byte("From ")

// Read returns the format of messages and mailboxes. formatOf returns the format for a part with a media type, or nil
// if the part is plain text or its type is unknown.
func Read(formatOf func(mediaType string) emit.Format) emit.Format {
	return messageFormat{formatOf, "text/plain"}.read
}

// A messageFormat reads messages whose parts have the formats of formatOf.
type messageFormat struct {
	formatOf func(mediaType string) emit.Format
	kind     string // the media type of a message without Content-Type
}

// read reads the header of a message and its decoded body or parts, or the messages of a mailbox. It leaves out bodies
// that are neither text nor in a known format.
func (f messageFormat) read(d *emit.Emitter) {
	d.InOrder = true
	if bytes.HasPrefix(d.Text, fromLine) {
		readMailbox(d, f.read)
		return
	}
	kind := f.kind
	header, body := readHeader(d)
	if location := header["content-location"]; location != "" {
		d.SetBase(location) // RFC 2557 §4.2
	}
	var params map[string]string
	if field := uncommented(header["content-type"]); field != "" {
		kind, params = contentType(field)
	}
	encoding := strings.ToLower(strings.Trim(uncommented(header["content-transfer-encoding"]), " \t;"))
	switch {
	case kind == "multipart/digest":
		readParts(d, body, params["boundary"], messageFormat{f.formatOf, "message/rfc822"}.read)
	case strings.HasPrefix(kind, "multipart/"):
		readParts(d, body, params["boundary"], Read(f.formatOf))
	case strings.HasPrefix(kind, "text/"), f.formatOf(kind) != nil:
		p := decodeTransfer(d.Text, body, encoding)
		if strings.EqualFold(params["format"], "flowed") && strings.EqualFold(params["delsp"], "yes") {
			p = flowed(p)
		}
		if read := f.formatOf(kind); read != nil {
			d.Nested(p, kind, read)
			return
		}
		d.ReadText(p, kind)
	}
}

// uncommented returns a header field without its comments (RFC 2045 §5.1). If a comment does not end, it returns the
// field unchanged.
func uncommented(field string) string {
	var b strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(field); i++ {
		c := field[i]
		switch {
		case c == '\\' && (quoted || depth > 0) && i+1 < len(field):
			i++ // the byte after a backslash is literal
			if depth == 0 {
				b.WriteString(field[i-1 : i+1])
			}
			continue
		case c == '"' && depth == 0:
			quoted = !quoted
		case c == '(' && !quoted:
			depth++
		case c == ')' && depth > 0:
			depth--
			continue
		}
		if depth == 0 {
			b.WriteByte(c)
		}
	}
	if depth > 0 {
		return field // a parenthesis that is not closed does not start a comment
	}
	return strings.TrimSpace(b.String())
}

// contentType returns the media type, in lower case, and the parameters of a Content-Type field. It accepts common
// mistakes, such as a boundary that contains "=" and is not quoted. If the field is not usable, the type is text/plain.
func contentType(field string) (kind string, params map[string]string) {
	kind, params, err := mime.ParseMediaType(field)
	if err != nil {
		name, rest, _ := strings.Cut(field, ";")
		kind = strings.ToLower(strings.TrimSpace(name))
		boundary := ""
		if i := strings.Index(strings.ToLower(rest), "boundary="); i >= 0 {
			boundary, _, _ = strings.Cut(rest[i+len("boundary="):], ";")
		}
		params = map[string]string{"boundary": strings.Trim(boundary, "\" \t")}
	}
	if !strings.Contains(kind, "/") || strings.HasPrefix(kind, "multipart/") && params["boundary"] == "" {
		kind = "text/plain"
	}
	return kind, params
}

// readMailbox reads each message of the mailbox d.Text with read. A line that starts with "From " precedes each
// message, and an empty line precedes that line except at the start of the mailbox.
func readMailbox(d *emit.Emitter, read emit.Format) {
	start, blank := 0, true
	for at, line := range emit.Lines(d.Text, 0) {
		if blank && bytes.HasPrefix(line, fromLine) {
			d.Nested(emit.Slice(d.Text, start, at), "", read)
			start = at + len(line)
		}
		blank = len(bytes.TrimRight(line, "\r\n")) == 0
	}
	d.Nested(emit.Slice(d.Text, start, len(d.Text)), "", read)
}

// maxField is the length in bytes above which no further lines are joined to a header field.
const maxField = 8 << 10

// readHeader searches the header of a message for URLs. It returns the fields by name in lower case, with their lines
// joined, and the offset at which the body starts.
func readHeader(d *emit.Emitter) (fields map[string]string, body int) {
	fields = map[string]string{}
	var name string
	start, end := 0, 0 // the range of the text that is to be searched next
	defer func() { readField(d, name, start, end) }()
	for from, line := range emit.Lines(d.Text, 0) {
		text := bytes.TrimRight(line, "\r\n")
		if len(text) == 0 {
			return fields, from + len(line)
		}
		if words := bytes.TrimLeft(text, " \t"); len(words) == len(text) || !bytes.HasPrefix(words, []byte("=?")) ||
			!bytes.HasSuffix(bytes.TrimRight(d.Text[start:end], " \t"), []byte("?=")) {
			readField(d, name, start, end)
			start = from
		}
		end = from + len(text)
		colon := bytes.IndexByte(text, ':')
		switch {
		case text[0] == ' ' || text[0] == '\t':
			if len(fields[name]) < maxField {
				fields[name] += " " + strings.TrimSpace(string(text))
			}
		case isField(text, colon):
			name = strings.ToLower(strings.TrimSpace(string(text[:colon])))
			fields[name] = strings.TrimSpace(string(text[colon+1:]))
			start = from + colon + 1
		default:
			name = ""
		}
	}
	return fields, len(d.Text)
}

// isField reports whether a line is a header field. colon is the offset of the first colon in the line, or -1. A line
// that looks like text is not a field, because a message may lack a header.
func isField(line []byte, colon int) bool {
	return colon > 0 && bytes.IndexByte(bytes.TrimSpace(line[:colon]), ' ') < 0 && !bytes.HasPrefix(line[colon:], []byte("://"))
}

// readField searches d.Text[from:to], a line of the header or several lines across which encoded words continue (RFC
// 2047 §6.2). It decodes encoded words. name is the name of the field and becomes Match.Place.
func readField(d *emit.Emitter, name string, from, to int) {
	p := emit.Slice(d.Text, from, to)
	if bytes.Contains(p.Text, []byte("=?")) {
		if text, err := encodedword.Decode(string(p.Text), noConversion); err == nil && text != string(p.Text) {
			readEncoded(d, name, text, from, to)
			return
		}
	}
	d.ReadText(p, name)
}

// noConversion returns r and a nil error. It serves as the converter of charsets, because URLs are in ASCII or UTF-8,
// and any other byte ends a URL.
func noConversion(_ string, r io.Reader) (io.Reader, error) { return r, nil }

// readEncoded searches text, the decoded text of d.Text[from:to], which has encoded words. Each match gets the position
// of the whole range, and name as Match.Place.
func readEncoded(d *emit.Emitter, name, text string, from, to int) {
	var whole emit.Part
	whole.Replace(text, from, to-from)
	d.Nested(whole, name, (*emit.Emitter).Plain)
}

// readParts reads each part of a multipart body (RFC 2046 §5.1.1) with read. The body starts at offset body. The last
// part may lack the boundary after it.
func readParts(d *emit.Emitter, body int, boundary string, read emit.Format) {
	mark := []byte("--" + boundary)
	start := -1
	finish := func(end int) {
		if start >= 0 {
			d.Nested(emit.Slice(d.Text, start, end), "", read)
		}
	}
	for from, line := range emit.Lines(d.Text, body) {
		rest, ok := bytes.CutPrefix(line, mark)
		if !ok {
			continue
		}
		rest = bytes.TrimSpace(rest)
		if len(rest) > 0 && string(rest) != "--" {
			continue // a longer boundary
		}
		finish(from)
		if start = from + len(line); len(rest) > 0 {
			return
		}
	}
	finish(len(d.Text))
}

// decodeTransfer returns the decoded body of a message, text[from:]. encoding is the value of Content-Transfer-Encoding
// in lower case. The body stays unchanged unless the encoding is quoted-printable or base64.
func decodeTransfer(text []byte, from int, encoding string) emit.Part {
	switch encoding {
	case "quoted-printable":
		return emit.ReplaceEscapes(text[from:], from, '=', unquotePrintable)
	case "base64":
		return base64Text(text, from)
	}
	return emit.Slice(text, from, len(text))
}

// unquotePrintable returns the size of the escape at the start of rest, and the text that it stands for (RFC 2045
// §6.7): one byte, or "" for a soft line break. An invalid escape is a literal "=".
func unquotePrintable(rest []byte) (size int, resolved string) {
	if len(rest) >= 3 {
		if b, err := hex.DecodeString(string(rest[1:3])); err == nil {
			return 3, string(b)
		}
	}
	if n := lineEnd(rest[1:]); n > 0 {
		return 1 + n, ""
	}
	return 1, "="
}

// flowed returns p with the lines of each paragraph joined into one line, without the space before each break and
// without the quotation marks after it (RFC 3676 §4, DelSp=yes).
func flowed(p emit.Part) emit.Part {
	var out emit.Part
	broken, brokenEnd, flowDepth := 0, 0, -1 // the range of the last line break; the quotation depth of a line that flows on, or -1
	for from, line := range emit.Lines(p.Text, 0) {
		text := bytes.TrimRight(line, "\r\n")
		unquoted := bytes.TrimLeft(text, ">")
		depth := len(text) - len(unquoted)
		unquoted = bytes.TrimPrefix(unquoted, []byte(" "))
		end, past := from+len(text), from+len(line)
		fixed := string(unquoted) == "-- " // a signature follows
		if depth == flowDepth && !fixed {
			from = end - len(unquoted)
		} else {
			out.Copy(p, broken, brokenEnd)
		}
		broken, brokenEnd, flowDepth = past, past, -1
		if bytes.HasSuffix(unquoted, []byte(" ")) && !fixed {
			broken, flowDepth = end-1, depth
		}
		out.Copy(p, from, broken)
	}
	return out
}

// lineEnd returns the length of the white space and the line break at the start of text. It returns 0 if text does not
// start with white space and a line break.
func lineEnd(text []byte) int {
	const longestLine = 76 // RFC 2045 §6.7
	for i, c := range text[:min(len(text), longestLine)] {
		switch c {
		case '\n':
			return i + 1
		case ' ', '\t', '\r':
		default:
			return 0
		}
	}
	return 0
}

// base64Text returns the text that text[from:] encodes in base64. It decodes groups of four bytes, and skips bytes that
// are not base64 and groups that are not valid. The last group may lack its padding.
func base64Text(text []byte, from int) emit.Part {
	var p emit.Part
	var group [4]byte
	n, start, past := 0, from, from
	decode := func() {
		var out [3]byte
		if size, err := base64.StdEncoding.Decode(out[:], group[:]); err == nil {
			p.Replace(string(out[:size]), start, past-start)
		}
		n = 0
	}
	for ; from < len(text); from++ {
		c := text[from]
		if !ascii.IsLetterOrDigit(c) && c != '+' && c != '/' && c != '=' {
			continue
		}
		if n == 0 {
			start = from
		}
		group[n], past = c, from+1
		if n++; n == len(group) {
			decode()
		}
	}
	if n > 0 {
		copy(group[n:], "===")
		decode()
	}
	return p
}
