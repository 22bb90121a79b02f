// Package rst reads reStructuredText.
package rst

import (
	"bytes"
	"slices"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
	"locus/internal/markup"
)

// Read reads the targets, directives and embedded URLs of reStructuredText, and searches all of its text.
func Read(d *emit.Emitter) {
	d.InOrder = true
	var c codeSkipper
	var objects objectReader
	for from, to := range emit.Blocks(d.Text, 0) {
		d.Nested(emit.Slice(d.Text, from, to), "", func(sub *emit.Emitter) {
			if c.Emitter = sub; d.Options.SkipCode {
				c.skipCode()
			}
			readPiece(sub, &objects)
		})
	}
}

// readPiece reads a piece of the document.
func readPiece(d *emit.Emitter, objects *objectReader) {
	for at, line := range emit.Lines(d.Text, 0) {
		if !d.IsSkipped(at) {
			readLine(d, line, at)
		}
	}
	if d.Options.Roles {
		readRoles(d)
	}
	addEmbedded(d)
	d.Plain()
	if d.Options.Anchor != nil {
		addNames(d, objects)
	}
}

// directives are the directives whose argument is a URL.
var directives = []string{"image::", "figure::", "download::"}

// readLine adds the URL of a target, of a :target: option, or of a directive that begins in a line.
func readLine(d *emit.Emitter, line []byte, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	at += indent
	past := at + len(text)
	switch {
	case bytes.HasPrefix(text, []byte("__ ")):
		addTarget(d, at+len("__ "), blockEnd(d, past, indent))
	case bytes.HasPrefix(text, []byte(":target: ")):
		addTarget(d, at+len(":target: "), blockEnd(d, past, indent))
	case bytes.HasPrefix(text, []byte(".. ")), bytes.HasPrefix(text, []byte("..\t")):
		rest := bytes.TrimLeft(text[len(".."):], " \t")
		if name, ok := bytes.CutPrefix(rest, []byte("_")); ok {
			if n := targetNameLength(name); n > 0 {
				addTarget(d, past-len(name)+n, blockEnd(d, past, indent))
			}
			return
		}
		if bytes.HasPrefix(rest, []byte("|")) { // a substitution
			_, rest, _ = bytes.Cut(rest, []byte("| "))
		}
		for _, name := range directives {
			if argument, ok := bytes.CutPrefix(rest, []byte(name)); ok && len(argument) > 0 && markup.IsSpace(argument[0]) {
				addTarget(d, past-len(argument), blockEnd(d, past, indent, ":", ".. "))
			}
		}
	}
}

// targetNameLength returns the length of a target's name including its colon, or 0 if the name is missing or empty.
func targetNameLength(text []byte) int {
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
		case text[i] == ':' && markup.IsSpace(text[i+1]):
			if i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// blockEnd returns the end of the block that continues at the start of a line. The block ends before a line that is
// empty, is not indented by more than indent, or starts with one of marks.
func blockEnd(d *emit.Emitter, at, indent int, marks ...string) int {
	for at, line := range emit.Lines(d.Text, at) {
		text := bytes.TrimLeft(line, " \t")
		starts := func(mark string) bool { return bytes.HasPrefix(text, []byte(mark)) }
		if len(line)-len(text) <= indent || len(bytes.TrimSpace(text)) == 0 || slices.ContainsFunc(marks, starts) {
			return at
		}
	}
	return len(d.Text)
}

// addEmbedded adds the URLs in `text <URL>`_.
func addEmbedded(d *emit.Emitter) {
	for rest := 0; ; {
		end := bytes.Index(d.Text[rest:], []byte(">`_"))
		if end < 0 {
			return
		}
		end += rest
		if start := bytes.LastIndexByte(d.Text[rest:end], '<'); start >= 0 && !d.IsSkipped(rest+start) {
			addTarget(d, rest+start+1, end)
		}
		rest = end + len(">`_")
	}
}

// addTarget adds a reference to a URL, which may be written in several lines. A text that ends in "_" is the name of
// another target, and a text with a space is not a URL, so both are left out. Backslashes are removed, and the
// characters after them kept.
func addTarget(d *emit.Emitter, from, to int) {
	raw := bytes.TrimRight(d.Text[from:to], " \t\r\n")
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
	d.AddReference(from, from+len(raw), text, "target")
}

var rstEscapes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\`, `\`, "")
}}
