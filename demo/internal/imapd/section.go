package imapd

import (
	"fmt"
	"mime"
	"strconv"
	"strings"
)

// A section names a part of a message (RFC 3501 §6.4.5).
//
//	BODY.PEEK[1.2.HEADER.FIELDS (TO)]<0.100>
//	          \_/ \________________/  \___/
//	         numbers    name         from, length
type section struct {
	text      string // in the brackets, as the client wrote it
	numbers   []int
	name      string   // in upper case, without its list: "", HEADER, TEXT, MIME or HEADER.FIELDS
	fields    []string // of HEADER.FIELDS, in upper case
	isPartial bool
	from      int
	length    int
}

// parseSection parses an item of FETCH that names a section, such as "BODY[1.TEXT]<0.100>". ok is
// false for any other item.
func parseSection(item string) (s section, ok bool) {
	before, after, ok := strings.Cut(item, "[")
	if !ok || !contains([]string{"BODY", "BODY.PEEK"}, before) {
		return s, false
	}
	s.text, after, ok = strings.Cut(after, "]")
	if !ok {
		return s, false
	}
	if after != "" {
		s.isPartial = true
		if n, err := fmt.Sscanf(after, "<%d.%d>", &s.from, &s.length); n != 2 || err != nil || s.from < 0 || s.length < 1 {
			return s, false
		}
	}
	name, list, _ := strings.Cut(strings.ToUpper(s.text), " ")
	s.fields = strings.Fields(strings.Trim(list, "()"))
	for name != "" {
		first, rest, _ := strings.Cut(name, ".")
		n, err := strconv.Atoi(first)
		if err != nil {
			break
		}
		s.numbers, name = append(s.numbers, n), rest
	}
	s.name = name
	return s, contains([]string{"", "HEADER", "TEXT", "MIME", "HEADER.FIELDS"}, name)
}

// label returns the name that the section has in a response.
func (s section) label() string {
	if s.isPartial {
		return fmt.Sprintf("BODY[%s]<%d>", s.text, s.from)
	}
	return "BODY[" + s.text + "]"
}

// of returns the bytes of the section in a message. ok is false if the message lacks the parts that
// the section names.
func (s section) of(message string) (text string, ok bool) {
	header, body := cutHeader(message)
	for i, n := range s.numbers {
		parts := partsOf(header, body)
		if parts == nil && n == 1 && i == len(s.numbers)-1 {
			break // a message without parts is its own part 1
		}
		if n < 1 || n > len(parts) {
			return "", false
		}
		header, body = cutHeader(parts[n-1])
	}
	switch {
	case s.name == "" && len(s.numbers) == 0:
		text = message
	case s.name == "" || s.name == "TEXT":
		text = body
	case s.name == "HEADER" || s.name == "MIME":
		text = header + "\r\n"
	default:
		text = fieldsOf(header, s.fields) + "\r\n"
	}
	if s.isPartial {
		text = text[min(s.from, len(text)):]
		text = text[:min(s.length, len(text))]
	}
	return text, true
}

// cutHeader splits a message or a part into its header, whose lines end with CR LF, and its body.
func cutHeader(message string) (header, body string) {
	if strings.HasPrefix(message, "\r\n") {
		return "", message[2:]
	}
	header, body, ok := strings.Cut(message, "\r\n\r\n")
	if !ok {
		return message, ""
	}
	return header + "\r\n", body
}

// fieldsOf returns the fields of a header whose names are in names, as they are written. It ignores
// case.
func fieldsOf(header string, names []string) string {
	var b strings.Builder
	isWanted := false
	for line := range strings.Lines(header) {
		if line[0] != ' ' && line[0] != '\t' {
			name, _, _ := strings.Cut(line, ":")
			isWanted = contains(names, name)
		}
		if isWanted {
			b.WriteString(line)
		}
	}
	return b.String()
}

// value returns the value of a field in a header, in one line; "" if it is missing.
func value(header, name string) string {
	_, text, _ := strings.Cut(fieldsOf(header, []string{name}), ":")
	return strings.Join(strings.Fields(text), " ")
}

// partsOf returns the parts of a multipart body, each with its header; nil if header does not say
// that the body is multipart.
func partsOf(header, body string) []string {
	kind, params, err := mime.ParseMediaType(value(header, "CONTENT-TYPE"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") || params["boundary"] == "" {
		return nil
	}
	all := strings.Split("\r\n"+body, "\r\n--"+params["boundary"])
	parts := []string{}
	for _, part := range all[1:] {
		text, ok := strings.CutPrefix(part, "\r\n")
		if !ok { // the end: "--"
			break
		}
		parts = append(parts, text)
	}
	return parts
}
