// Package rst reads reStructuredText.
//
// Notable divergences from docutils:
//   - A URL in emphasised text is found, because people open it although it is not a link.
//   - The URL of a target is found where the target is defined, even if the document does not refer to the target.
package rst

import (
	"bytes"
	"slices"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/html"
	"locus/internal/ascii"
	"locus/internal/lazy"
	"locus/internal/markup"
)

// How the pieces work together:
//
// A reader reads a document line by line. code.go decides which lines are code, comments or HTML. This file reads
// targets and the arguments of directives, directives.go their options and content, names.go and objects.go the names
// of sections, targets and objects. Then embedded URLs and, in roles.go, the roles of Sphinx are searched in the piece
// as a whole, because they may continue in the next line.

// Read reads the targets, directives and embedded URLs of reStructuredText, and searches all of its text.
func Read(d *emit.Emitter) {
	d.InOrder = true
	var r reader
	for from, to := range emit.Blocks(d.Text, 0) {
		d.Nested(emit.Slice(d.Text, from, to), "", r.readPiece)
	}
}

// A reader reads reStructuredText. Its state continues across the pieces of the text.
type reader struct {
	*emit.Emitter // the current piece
	code          codeReader
	directive     directive
	objects       objectReader
	title         []byte // the last line, if it may be a title that the next line underlines
	html          emit.Interval
}

// readPiece reads d, which holds one piece of the document, and searches its text.
func (r *reader) readPiece(d *emit.Emitter) {
	r.Emitter, r.code.Emitter = d, d
	for at, line := range emit.Lines(d.Text, 0) {
		isCode := r.code.readLine(line, at)
		r.readHTML(line, at)
		bare := bytes.TrimRight(line, " \t\r\n")
		if !isCode || r.code.isHTML {
			r.readDirective(bare, at)
		}
		if isCode {
			continue
		}
		if d.Options.Anchor != nil {
			r.readNames(bare)
		}
		if len(bare) > 0 {
			r.readTarget(line, at)
		}
	}
	r.endHTML()
	if d.Options.Roles {
		readRoles(d)
	}
	addEmbedded(d)
	if d.Options.Anchor != nil {
		addInlineTargets(d)
	}
	readEscaped(d)
	d.Plain()
}

// readHTML adds the line at offset at to the collected HTML if the line is HTML. Otherwise it calls endHTML.
func (r *reader) readHTML(line []byte, at int) {
	if !r.code.isHTML {
		r.endHTML()
		return
	}
	if r.html.To == 0 {
		r.html.From = at
	}
	r.html.To = at + len(line)
}

// endHTML reads and forgets the lines of HTML that readHTML has collected.
func (r *reader) endHTML() {
	if r.html.To == 0 {
		return
	}
	r.Nested(emit.Slice(r.Text, r.html.From, r.html.To), "", html.Read)
	r.Skip(r.html.From, r.html.To)
	r.html = emit.Interval{}
}

// imageDirectives are the directives whose argument is a URL.
var imageDirectives = []string{"image", "figure", "download"}

// readTarget adds the URL of the target, the :target: option, or the directive for an image or a file that begins in a
// line at offset at. The URL may continue in the next lines.
func (r *reader) readTarget(line []byte, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	at += indent
	past := at + len(text)
	switch {
	case bytes.HasPrefix(text, []byte("__ ")):
		addTarget(r.Emitter, at+len("__ "), blockEnd(r.Emitter, past, indent))
	case bytes.HasPrefix(text, []byte(":target: ")):
		addTarget(r.Emitter, at+len(":target: "), blockEnd(r.Emitter, past, indent))
	case isExplicit(text):
		rest := bytes.TrimLeft(text[len(".."):], " \t")
		if name, ok := bytes.CutPrefix(rest, []byte("_")); ok {
			if n := targetNameLength(name); n > 0 {
				addTarget(r.Emitter, past-len(name)+n, blockEnd(r.Emitter, past, indent))
			}
			return
		}
		if bytes.HasPrefix(rest, []byte("|")) { // a substitution
			_, rest, _ = bytes.Cut(rest, []byte("| "))
		}
		name, argument, ok := bytes.Cut(rest, []byte("::"))
		if ok && len(argument) > 0 && markup.IsSpace(argument[0]) && slices.Contains(imageDirectives, string(name)) {
			addTarget(r.Emitter, past-len(argument), blockEnd(r.Emitter, past, indent, ":", ".. "))
		}
	}
}

// isExplicit reports whether a line, without its indent, begins with ".." and a space or a tab, as a block of explicit
// markup does.
func isExplicit(text []byte) bool {
	return len(text) > 2 && text[0] == '.' && text[1] == '.' && (text[2] == ' ' || text[2] == '\t')
}

// targetNameLength returns the length of the target's name at the start of text, including its backquotes and its
// colon. It returns 0 if the name is empty or its colon is missing.
func targetNameLength(text []byte) int {
	if bytes.HasPrefix(text, []byte("`")) {
		if n := bytes.Index(text[min(2, len(text)):], []byte("`:")); n >= 0 {
			return 2 + n + len("`:")
		}
		return 0
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == ':' && i+1 < len(text) && markup.IsSpace(text[i+1]):
			if i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// blockEnd returns the end of the block that may continue in the line at offset at. The block ends before the first
// line that is empty, is not indented by more than indent, or starts with one of marks.
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

// addEmbedded adds the URLs that are written `text <URL>`_ in d.Text. White space or the "`" comes before "<".
func addEmbedded(d *emit.Emitter) {
	for rest := 0; ; {
		end := bytes.Index(d.Text[rest:], []byte(">`_"))
		if end < 0 {
			return
		}
		end += rest
		start := rest + bytes.LastIndexByte(d.Text[rest:end], '<')
		if start > rest && d.Text[end-1] != '\\' && (markup.IsSpace(d.Text[start-1]) || d.Text[start-1] == '`') && !d.IsSkipped(start) {
			addEmbeddedTarget(d, start+1, end)
		}
		rest = end + len(">`_")
	}
}

// addEmbeddedTarget adds a reference to the URL in d.Text[from:to]. It adds no reference if the text ends in "_" and
// has no scheme, because such a text names a target of the document.
func addEmbeddedTarget(d *emit.Emitter, from, to int) {
	raw := bytes.TrimSpace(d.Text[from:to])
	scheme, _, hasScheme := bytes.Cut(raw, []byte(":"))
	if bytes.HasSuffix(raw, []byte("_")) && !bytes.HasSuffix(raw, []byte(`\_`)) && !(hasScheme && ascii.IsScheme(string(scheme))) {
		return
	}
	addURL(d, from, to)
}

// addTarget adds a reference to d.Text[from:to], the URL of a target, unless this text is the name of another target.
func addTarget(d *emit.Emitter, from, to int) {
	if !isReference(bytes.TrimSpace(d.Text[from:to])) {
		addURL(d, from, to)
	}
}

// isReference reports whether text is a reference to a target, such as name_ and `a name`_.
func isReference(text []byte) bool {
	name, ok := bytes.CutSuffix(text, []byte("_"))
	if !ok {
		return false
	}
	if len(name) > 1 && name[0] == '`' && name[len(name)-1] == '`' {
		return true
	}
	wasMark := true // a mark may stand only between letters
	for _, c := range name {
		isMark := strings.IndexByte("-._+:", c) >= 0
		if isMark && wasMark || !isMark && !ascii.IsLetterOrDigit(c) && c < 0x80 {
			return false
		}
		wasMark = isMark
	}
	return !wasMark
}

// addURL adds a reference to the URL d.Text[from:to], which may be written in several lines. White space is left out,
// unless a backslash is before it. A mail address becomes a mailto URL. addURL ignores a text with "<", ">" or an empty
// line.
func addURL(d *emit.Emitter, from, to int) {
	raw := bytes.TrimRight(d.Text[from:to], " \t\r\n")
	from += len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	raw = bytes.TrimLeft(raw, " \t\r\n")
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) == 0 || bytes.ContainsAny(line, "<>") {
			return
		}
	}
	text := unescapeURL(raw)
	if user, host, _ := strings.Cut(text, "@"); user != "" && host != "" && !strings.ContainsAny(text, ":/?#") {
		text = "mailto:" + text
	}
	d.AddReference(from, from+len(raw), text, "target")
}

// unescapeURL removes backslashes and white space from a URL. A character after a backslash stays; white space after a
// backslash becomes one space.
func unescapeURL(raw []byte) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw):
			i++
			if c = raw[i]; markup.IsSpace(c) {
				c = ' '
			}
			b.WriteByte(c)
		case !markup.IsSpace(c):
			b.WriteByte(c)
		}
	}
	return b.String()
}

// readEscaped adds the URLs in words that have a colon before their first backslash. It removes each backslash, so that
// the character after it belongs to the URL. It skips such a word, because the search of plain text would find the URL
// again.
func readEscaped(d *emit.Emitter) {
	for at := 0; ; {
		n := bytes.IndexByte(d.Text[at:], '\\')
		if n < 0 {
			return
		}
		from, to := at+n, at+n
		for from > at && !markup.IsSpace(d.Text[from-1]) {
			from--
		}
		for to < len(d.Text) && !markup.IsSpace(d.Text[to]) {
			to++
		}
		if bytes.IndexByte(d.Text[from:at+n], ':') >= 0 && !d.IsSkipped(at+n) {
			d.ReadText(emit.ReplaceEscapes(d.Text[from:to], from, '\\', unescape), "")
			d.Skip(from, to)
		}
		at = to
	}
}

// unescape returns the size of the escape at the start of text, and the character that it stands for. A backslash at
// the end of text stands for "".
func unescape(text []byte) (size int, resolved string) {
	if len(text) < 2 {
		return len(text), ""
	}
	return 2, string(text[1:2])
}

var rstEscapes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\`, `\`, "")
}}
