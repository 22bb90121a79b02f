// Package calendar reads iCalendar (RFC 5545) and vCard (RFC 6350).
package calendar

import (
	"bytes"
	"slices"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/html"
)

// Read reads the properties whose values are URLs, and searches the other values. A property may continue in lines that
// begin with white space.
func Read(d *emit.Emitter) {
	d.InOrder = true
	for from, to := range properties(d.Text) {
		if d.IsStopped() {
			return
		}
		readProperty(d, d.Text[from:to], from)
	}
}

// properties yields the offsets in text at which each property starts and ends. A property includes its line breaks and
// the lines in which it continues.
func properties(text []byte) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		from := 0
		for at, line := range emit.Lines(text, 0) {
			if at > from && !isFolded(line) {
				if !yield(from, at) {
					return
				}
				from = at
			}
		}
		if from < len(text) {
			yield(from, len(text))
		}
	}
}

// isFolded reports whether a line, which must not be empty, continues the line before it (RFC 5545 §3.1).
func isFolded(line []byte) bool { return line[0] == ' ' || line[0] == '\t' }

// unfolded returns the property raw, which is at offset at of the document, without its line breaks and the white space
// that continues its lines.
func unfolded(raw []byte, at int) emit.Part {
	var p emit.Part
	for from, line := range emit.Lines(raw, 0) {
		if from > 0 && isFolded(line) {
			line, from = line[1:], from+1
		}
		p.Append(bytes.TrimRight(line, "\r\n"), at+from)
	}
	return p
}

// links are the properties whose values are URLs.
var links = []string{
	"url", "attach", "tzurl", "source", "image", "conference", "structured-data", "photo", "logo", "sound", "key", "member", "related",
	"fburl", "caladruri", "caluri",
}

// readProperty adds the value of a property at offset at if it is a URL. Otherwise it searches the value, as HTML if it
// is HTML, and leaves out the content of files. It also searches the parameters.
func readProperty(d *emit.Emitter, raw []byte, at int) {
	if bytes.IndexByte(raw, ':') < 0 {
		return
	}
	p := unfolded(raw, at)
	start := valueStart(p.Text)
	if start == 0 {
		d.ReadText(p, "")
		return
	}
	header := strings.ToLower(string(p.Text[:start-1]))
	name, parameters, _ := strings.Cut(header, ";")
	name = strings.TrimSpace(name[strings.LastIndexByte(name, '.')+1:]) // the group of a vCard may be before it
	var head, value emit.Part
	head.Copy(p, 0, start-1)
	value.Copy(p, start, len(p.Text))
	d.ReadText(head, name) // parameters such as ALTREP
	switch {
	case strings.Contains(parameters, "encoding=b"): // the content of a file
	case isLink(name, parameters) && isURL(value.Text):
		from, to := value.Place(0, len(value.Text))
		d.AddReference(from, to, string(value.Text), name)
	case strings.Contains(parameters, "fmttype=text/html"):
		d.Nested(unescaped(value), name, html.Read)
	default:
		d.ReadText(unescaped(value), name)
	}
}

// valueStart returns the offset after the colon that ends the name and the parameters of a property, or 0 if there is
// no such colon. A colon in quotation marks belongs to a parameter.
func valueStart(text []byte) int {
	isQuoted := false
	for i, c := range text {
		switch {
		case c == '"':
			isQuoted = !isQuoted
		case c == ':' && !isQuoted:
			return i + 1
		}
	}
	return 0
}

// isLink reports whether the value of a property is a URL: by its VALUE parameter or, without this parameter, by its
// name. name and parameters are in lower case.
func isLink(name, parameters string) bool {
	if strings.Contains(parameters, "value=") {
		return strings.Contains(parameters, "value=uri")
	}
	return slices.Contains(links, name)
}

// isURL reports whether a value has a mark of a URL and no spaces.
func isURL(value []byte) bool {
	return bytes.ContainsAny(value, ":/.") && !bytes.ContainsAny(value, " \t")
}

// unescaped returns value with its escapes, such as "\," and "\n", replaced by the characters that they stand for (RFC
// 5545 §3.3.11).
func unescaped(value emit.Part) emit.Part {
	if bytes.IndexByte(value.Text, '\\') < 0 {
		return value
	}
	var p emit.Part
	from := 0
	for i := 0; i+1 < len(value.Text); i++ {
		if value.Text[i] != '\\' {
			continue
		}
		p.Copy(value, from, i)
		text := string(value.Text[i+1])
		if text == "n" || text == "N" {
			text = "\n"
		}
		start, end := value.Place(i, i+2)
		p.Replace(text, start, end-start)
		i++
		from = i + 1
	}
	p.Copy(value, from, len(value.Text))
	return p
}
