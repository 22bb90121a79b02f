package document

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"locus/internal/lazy"
)

// rst reads the targets, directives and embedded URLs of reStructuredText, and
// all of its text.
func (d *document) rst() {
	d.inOrder = true
	var c rstCode
	var objects rstObjects
	for from, to := range rstPieces(d.text) {
		d.nested(slice(d.text, from, to), "", func(sub *document) {
			if c.document = sub; d.options.SkipCode {
				c.skipCode()
			}
			sub.rstPiece(&objects)
		})
	}
}

// rstPiece reads a piece of reStructuredText.
func (d *document) rstPiece(objects *rstObjects) {
	for at, line := range lines(d.text, 0) {
		if !d.isSkipped(at) {
			d.rstLine(line, at)
		}
	}
	if d.options.Roles {
		d.roles()
	}
	d.rstEmbedded()
	d.plain()
	if d.options.Anchor != nil {
		d.rstNames(objects)
	}
}

// rstPieces yields ranges of a text that can be read one by one. They end at a blank line
// before one that is not indented or, if there is none for long, anywhere.
func rstPieces(text []byte) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		from, wasBlank := 0, false
		for at, line := range lines(text, 0) {
			if at-from >= minPiece && wasBlank && !isSpace(line[0]) || at-from >= maxPiece {
				if !yield(from, at) {
					return
				}
				from = at
			}
			wasBlank = len(bytes.TrimSpace(line)) == 0
		}
		yield(from, len(text))
	}
}

// directives are the directives whose argument is a URL.
var directives = []string{"image::", "figure::", "download::"}

func (d *document) rstLine(line []byte, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	at += indent
	past := at + len(text)
	switch {
	case bytes.HasPrefix(text, []byte("__ ")):
		d.rstTarget(at+len("__ "), d.rstBlock(past, indent))
	case bytes.HasPrefix(text, []byte(":target: ")):
		d.rstTarget(at+len(":target: "), d.rstBlock(past, indent))
	case bytes.HasPrefix(text, []byte(".. ")), bytes.HasPrefix(text, []byte("..\t")):
		rest := bytes.TrimLeft(text[len(".."):], " \t")
		if name, ok := bytes.CutPrefix(rest, []byte("_")); ok {
			if n := rstName(name); n > 0 {
				d.rstTarget(past-len(name)+n, d.rstBlock(past, indent))
			}
			return
		}
		if bytes.HasPrefix(rest, []byte("|")) { // a substitution
			_, rest, _ = bytes.Cut(rest, []byte("| "))
		}
		for _, name := range directives {
			if argument, ok := bytes.CutPrefix(rest, []byte(name)); ok && len(argument) > 0 && isSpace(argument[0]) {
				d.rstTarget(past-len(argument), d.rstBlock(past, indent, ":", ".. "))
			}
		}
	}
}

// rstName returns the length of a target's name, with its colon; 0 if there is no
// name or it is empty.
func rstName(text []byte) int {
	if bytes.HasPrefix(text, []byte("`")) {
		if n := bytes.Index(text, []byte("`:")); n > len("`") {
			return n + len("`:")
		}
		return 0
	}
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == ':' && isSpace(text[i+1]):
			if i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// rstBlock returns the end of the block that continues at the start of a line. It
// ends before a line that is empty, is not indented by more than indent, or starts
// with one of marks.
func (d *document) rstBlock(at, indent int, marks ...string) int {
	for at, line := range lines(d.text, at) {
		text := bytes.TrimLeft(line, " \t")
		starts := func(mark string) bool { return bytes.HasPrefix(text, []byte(mark)) }
		if len(line)-len(text) <= indent || len(bytes.TrimSpace(text)) == 0 || slices.ContainsFunc(marks, starts) {
			return at
		}
	}
	return len(d.text)
}

// rstEmbedded reads the URLs in `text <URL>`_.
func (d *document) rstEmbedded() {
	for rest := 0; ; {
		end := bytes.Index(d.text[rest:], []byte(">`_"))
		if end < 0 {
			return
		}
		end += rest
		if start := bytes.LastIndexByte(d.text[rest:end], '<'); start >= 0 && !d.isSkipped(rest+start) {
			d.rstTarget(rest+start+1, end)
		}
		rest = end + len(">`_")
	}
}

// rstTarget adds a reference to a URL, which may be in several lines. A text that
// ends in "_" is the name of another target, and a text with a blank is no URL. A
// backslash is removed, and the character after it stays.
func (d *document) rstTarget(from, to int) {
	raw := bytes.TrimRight(d.text[from:to], " \t\r\n")
	from += len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	raw = bytes.TrimLeft(raw, " \t\r\n")
	var b strings.Builder
	for line := range bytes.Lines(raw) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.ContainsAny(line, " \t<>") {
			return
		}
		b.Write(line)
	}
	text := b.String()
	if strings.HasSuffix(text, "_") && !strings.HasSuffix(text, `\_`) {
		return
	}
	text = rstEscapes.Get().Replace(text)
	if user, host, _ := strings.Cut(text, "@"); user != "" && host != "" && !strings.ContainsAny(text, ":/?#") {
		text = "mailto:" + text
	}
	d.addReference(from, from+len(raw), text, "target")
}

var rstEscapes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\`, `\`, "")
}}
