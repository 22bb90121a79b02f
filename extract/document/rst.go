package document

import (
	"bytes"
	"strings"
)

// rst reads the targets, directives and embedded URLs of reStructuredText, and
// all of its text.
func (d *document) rst() {
	at := 0
	for line := range bytes.Lines(d.text) {
		d.rstLine(line, at)
		at += len(line)
	}
	d.plain()
}

// directives are those whose argument is a URL.
var directives = []string{"image::", "figure::", "download::"}

func (d *document) rstLine(line []byte, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	switch {
	case bytes.HasPrefix(text, []byte(".. _")):
		if n := bytes.Index(text, []byte(": ")); n >= 0 {
			d.rstTarget(text[n+2:], at+indent+n+2)
		}
	case bytes.HasPrefix(text, []byte("__ ")):
		d.rstTarget(text[len("__ "):], at+indent+len("__ "))
	case bytes.HasPrefix(text, []byte(":target: ")):
		d.rstTarget(text[len(":target: "):], at+indent+len(":target: "))
	case bytes.HasPrefix(text, []byte(".. ")):
		for _, name := range directives {
			if n := bytes.Index(text, []byte(name+" ")); n >= 0 {
				n += len(name) + 1
				d.rstTarget(text[n:], at+indent+n)
			}
		}
	}
	for rest := 0; ; { // `text <url>`_
		end := bytes.Index(line[rest:], []byte(">`_"))
		if end < 0 {
			return
		}
		end += rest
		if start := bytes.LastIndexByte(line[rest:end], '<'); start >= 0 {
			start += rest + 1
			d.rstTarget(line[start:end], at+start)
		}
		rest = end + len(">`_")
	}
}

// rstTarget refers to a URL. One that ends in "_" is the name of another
// target, and one with white space is none. What a backslash stands before is
// itself.
func (d *document) rstTarget(raw []byte, at int) {
	text := strings.TrimSpace(string(raw))
	if text == "" || strings.HasSuffix(text, "_") && !strings.HasSuffix(text, `\_`) || strings.ContainsAny(text, " \t") {
		return
	}
	at += bytes.Index(raw, []byte(text))
	d.refer(at, at+len(text), strings.ReplaceAll(text, `\`, ""), "target")
}
