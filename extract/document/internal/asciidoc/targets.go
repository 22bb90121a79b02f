package asciidoc

import (
	"bytes"
	"strings"

	"locus/internal/ascii"
	"locus/internal/markup"
)

// A macroKind is a kind of macros whose targets are read alike.
type macroKind uint8

const (
	linkMacro  macroKind = iota // link:target[text]: a URL without white space
	mailMacro                   // mailto:address[text]
	urlMacro                    // http://host/[text]
	xrefMacro                   // xref:target[text]: an id, a title or a document
	mediaMacro                  // image:target[attributes]: a file, whose name may have spaces
	nameMacro                   // anchor:name[]
	passMacro                   // pass:[text]: HTML, unless substitutions are named
	mathMacro                   // stem:[text]
)

// A macro is a macro that is read.
type macro struct {
	name    string
	kind    macroKind
	isBlock bool // only as name::target[…]
}

// macros are the macros that are read.
var macros = []macro{
	{"link", linkMacro, false},
	{"xref", xrefMacro, false},
	{"image", mediaMacro, false},
	{"https", urlMacro, false},
	{"http", urlMacro, false},
	{"ftp", urlMacro, false},
	{"irc", urlMacro, false},
	{"mailto", mailMacro, false},
	{"include", mediaMacro, true},
	{"video", mediaMacro, true},
	{"audio", mediaMacro, true},
	{"anchor", nameMacro, false},
	{"pass", passMacro, false},
	{"stem", mathMacro, false},
	{"latexmath", mathMacro, false},
	{"asciimath", mathMacro, false},
}

// maxName is the length of the longest name in macros.
const maxName = len("latexmath")

// macroAt returns the macro whose name ends at the colon, such as "link" or "image". It returns false if no such name
// is there, or if a letter, a digit or "_" stands before the name. Asciidoctor ignores the byte before "link", "xref"
// and "image", and the mark of emphasis may stand before a URL.
func macroAt(text []byte, colon int) (macro, bool) {
	for _, m := range macros {
		if bytes.HasSuffix(text[:colon], []byte(m.name)) {
			before := colon - len(m.name) - 1
			isFree := m.kind == linkMacro || m.kind == xrefMacro || m.name == "image"
			return m, isFree || before < 0 || !isWord(text[before]) || m.kind == urlMacro && isEmphasisStart(text, before)
		}
	}
	return macro{}, false
}

// isEmphasisStart reports whether text[at] is a "_" that may begin emphasised text.
func isEmphasisStart(text []byte, at int) bool {
	return text[at] == '_' && (at == 0 || text[at-1] == '_' || !isWord(text[at-1]))
}

// readMacro reads the macro whose name ends at the colon. It returns the offset at which reading continues, or 0 if
// there is no macro.
func (r *reader) readMacro(colon int) (next int) {
	start := max(r.within.from, colon-maxName-1)
	m, ok := macroAt(r.Text[start:colon+1], colon-start)
	if !ok {
		return 0
	}
	name := colon - len(m.name)
	if m.kind == urlMacro {
		if !bytes.HasPrefix(r.rest(colon), []byte("://")) {
			return 0
		}
		return r.readURL(name)
	}
	at := colon + 1
	isBlock := at < r.within.to && r.Text[at] == ':'
	if isBlock && m.kind == mediaMacro {
		at++
	}
	if m.isBlock && !isBlock || at >= r.within.to {
		return 0
	}
	switch m.kind {
	case passMacro, mathMacro:
		return r.readPass(m, at)
	case linkMacro, mailMacro:
		return r.readLink(m, at)
	case nameMacro:
		return r.readAnchor(at)
	}
	return r.readFile(m, at)
}

// readLink adds the link of a macro whose target is at an offset, and returns the end of the target. It returns 0 if no
// "[" follows the target, or if the macro is inside another link.
func (r *reader) readLink(m macro, at int) (next int) {
	if at < max(r.within.linkEnd, r.within.bareLinks) { // the text of a link has no links
		return 0
	}
	t := r.readTarget(at, isURLEnd)
	if !r.isBracketAt(t.end) {
		r.within.bareLinks = t.end
		return 0
	}
	r.within.linkEnd = r.bracketEnd(t.end + 1)
	if !t.isKnown {
		r.Skip(at, t.end)
		return t.end
	}
	if m.kind == mailMacro && t.text != "" {
		t.text, t.from = "mailto:"+t.text, at-len("mailto:")
	}
	r.AddReference(t.from, t.to, t.text, m.name)
	return t.end
}

// readFile adds the target at an offset of the macro m, which is a cross reference, an image or another file, and the
// links in its attributes. It returns the offset at which reading continues, or 0 if the text is not such a macro.
func (r *reader) readFile(m macro, at int) (next int) {
	isStart := !markup.IsSpace(r.Text[at]) && r.Text[at] != ':' && r.Text[at] != '['
	if m.kind == xrefMacro {
		isStart = isXrefStart(r.Text[at])
	}
	if !isStart || at < r.within.bareFiles {
		return 0
	}
	t := r.readTarget(at, isFileEnd)
	if !r.isBracketAt(t.end) {
		r.within.bareFiles = t.end
		return 0
	}
	if markup.IsSpace(r.Text[t.end-1]) {
		return 0
	}
	switch {
	case !t.isKnown:
		r.Skip(at, t.end)
	case m.kind == xrefMacro:
		r.addXref(t.text, t.from, t.to, true)
	default:
		r.addFile(m.name, t)
	}
	if m.kind == mediaMacro {
		next = r.readAttributes(m.name, t.end+1)
		if at < r.within.linkEnd && r.within.linkEnd <= next { // the "]" belongs to the image in the text of the link
			r.within.linkEnd = r.bracketEnd(next + 1)
		}
		return next
	}
	return t.end
}

// addFile adds the target t of the named macro: the file of an image, a video, a sound or an include directive, or a
// resource id of Antora. A relative file is below imagesdir, except in an include directive. It leaves out the number
// of a video on a video site.
func (r *reader) addFile(name string, t target) {
	isURL := strings.Contains(t.text, "://") || strings.HasPrefix(t.text, "data:")
	if !isURL && strings.ContainsAny(t.text, "$:@") {
		r.addResource(t.text, t.from, t.to, name)
		return
	}
	if name == "video" && !isURL && !strings.Contains(t.text, ".") {
		return // the number of a video on YouTube or Vimeo
	}
	folder, _ := r.attributes.get("imagesdir")
	if name != "include" && folder != "" && !isURL && !strings.HasPrefix(t.text, "/") {
		t.text = strings.TrimSuffix(folder, "/") + "/" + t.text
	}
	r.AddReference(t.from, t.to, t.text, name)
}

// linkAttributes are the attributes of images and videos that hold a URL. The values self and none of link are
// keywords.
var linkAttributes = []struct{ macro, name string }{{"image", "link"}, {"video", "poster"}}

// readAttributes adds the links in the attributes, which begin at an offset, of an image or a video. It returns the
// offset of the "]" after them, or at if the "]" is missing or too far away.
func (r *reader) readAttributes(macro string, at int) (next int) {
	end := r.bracketEnd(at)
	if end < 0 || end-at > maxSpan {
		return at
	}
	list := string(r.Text[at:end])
	for _, a := range linkAttributes {
		if a.macro != macro {
			continue
		}
		v := attributeIn(list, a.name)
		from := at + v.at
		text, ok := r.attributes.substitute(v.text)
		switch {
		case !ok:
			r.Skip(from, from+len(v.text))
		case text != "self" && text != "none":
			r.AddReference(from, from+len(v.text), text, macro+" "+a.name)
		}
	}
	return end
}

// readInclude adds the file of an include directive in a line of code. Other lines have no effect.
func (r *reader) readInclude(line []byte, at int) {
	if bytes.HasPrefix(line, []byte("include::")) {
		r.within = textRange{from: at, to: at + len(line), lastBracket: unknownOffset, lastAngles: unknownOffset}
		r.readMacro(at + len("include"))
	}
}

// readAnchor calls Options.Anchor, unless it is nil, with the name of anchor:name[]. The name is at an offset.
// readAnchor returns the end of the name.
func (r *reader) readAnchor(at int) (next int) {
	t := r.readTarget(at, isURLEnd)
	if r.Options.Anchor != nil && r.isBracketAt(t.end) && t.text != "" {
		r.Options.Anchor(t.text)
	}
	return t.end
}

// readPass reads the text in the brackets of a macro that passes it through to the page: it skips mathematics, and
// reads other text as HTML unless substitutions are named. It returns the offset at which reading continues, or 0 if
// the brackets are missing.
func (r *reader) readPass(m macro, at int) (next int) {
	open := at
	for open < r.within.to && (ascii.IsLetter(r.Text[open]) || r.Text[open] == ',') {
		open++
	}
	if !r.isBracketAt(open) {
		return 0
	}
	substitutions := string(r.Text[at:open])
	end := r.bracketEnd(open + 1)
	switch {
	case end < 0:
		return 0
	case m.kind == mathMacro:
		r.Skip(open, end)
	case strings.ContainsAny(substitutions, "mn"):
		return open + 1
	default:
		r.readHTML(open+1, end)
	}
	return end
}

// A target is the target of a macro.
type target struct {
	text     string // with its attributes replaced, and without backslashes and the marks of passthroughs
	from, to int    // its place, without the marks of a passthrough that is the whole target
	end      int    // where reading continues
	isKnown  bool   // all its attributes are known
	isPlain  bool   // it is written as its text
}

// maxTarget is the length of the longest target.
const maxTarget = 4 << 10

// isURLEnd reports whether a byte ends a URL outside of a passthrough.
func isURLEnd(c byte) bool { return markup.IsSpace(c) || strings.IndexByte(`[]<>"`, c) >= 0 }

// isFileEnd reports whether a byte ends the name of a file or a title, which may have spaces.
func isFileEnd(c byte) bool { return c == '[' || c == '\n' }

// readTarget returns the target that starts at an offset and ends before the first byte for which isEnd returns true,
// or after maxTarget bytes. The target may be empty.
func (r *reader) readTarget(at int, isEnd func(c byte) bool) target {
	t := target{from: at, isKnown: true, isPlain: true}
	limit := min(at+maxTarget, r.within.to)
	var b strings.Builder
	copied := at
	replace := func(from, past int, text string) {
		b.Write(r.Text[copied:from])
		b.WriteString(text)
		copied, t.isPlain = past, false
	}
	i := at
	for i < limit && !isEnd(r.Text[i]) {
		switch from, to, past := r.passIn(i, limit); {
		case past > 0:
			replace(i, past, string(r.Text[from:to]))
			if i == at && (past == limit || isEnd(r.Text[past])) {
				t.from, t.to = from, to
			}
			i = past
		case r.Text[i] == '\\' && i+1 < limit && strings.IndexByte("_*#`^~{", r.Text[i+1]) >= 0:
			replace(i, i+1, "")
			i += 2
		case r.Text[i] == '{':
			n := max(referenceLength(r.Text[i:limit]), 1)
			if n > 1 {
				text, ok := r.attributes.get(string(r.Text[i+1 : i+n-1]))
				t.isKnown = t.isKnown && ok && b.Len() <= maxValue
				replace(i, i+n, text)
			}
			i += n
		default:
			i++
		}
	}
	b.Write(r.Text[copied:i])
	t.text, t.end = b.String(), i
	if t.to == 0 {
		t.to = i
	}
	return t
}

// passIn returns the range [from, to) of the text in the passthrough that begins at an offset, and the offset past
// after the passthrough. past is 0 if no passthrough that ends before limit begins there.
func (r *reader) passIn(at, limit int) (from, to, past int) {
	var mark, open string
	switch rest := r.Text[at:limit]; {
	case rest[0] == '+' || rest[0] == '$':
		if mark = passMark(rest); len(mark) < 2 {
			return 0, 0, 0
		}
		open = mark
	case bytes.HasPrefix(rest, []byte("pass:[")):
		open, mark = "pass:[", "]"
	default:
		return 0, 0, 0
	}
	from = at + len(open)
	n := bytes.Index(r.near(from), []byte(mark))
	if n < 0 || from+n+len(mark) > limit {
		return 0, 0, 0
	}
	return from, from + n, from + n + len(mark)
}

// addXref adds a reference to text, the target of a cross reference at [from, to): an id or a title in this document,
// another document, or an id in another document. isMacro is true for xref:text[] and false for <<text>>, which cannot
// name a document without a fragment.
func (r *reader) addXref(text string, from, to int, isMacro bool) {
	file, fragment, hasFragment := strings.Cut(strings.Join(strings.Fields(text), " "), "#")
	switch {
	case strings.ContainsAny(file, "$:@"):
		r.addResource(text, from, to, "xref")
		return
	case hasFragment && file != "" && !hasExtension(file):
		file += ".adoc"
	case !hasFragment && !(isMacro && hasExtension(file)):
		file, fragment = "", file
	}
	if fragment != "" {
		file += "#" + strings.ReplaceAll(fragment, " ", "%20")
	}
	r.AddReference(from, to, file, "xref")
}

// addResource adds a reference to the resource id of Antora at [from, to), such as 2.0@component:module:page.adoc, if
// Options.Dialect.ResourceIDs is set. name becomes Match.Place.
func (r *reader) addResource(id string, from, to int, name string) {
	if r.Options.Dialect.ResourceIDs {
		r.AddReference(from, to, id, name)
	}
}

// hasExtension reports whether the last segment of a file's name contains a dot.
func hasExtension(file string) bool {
	return strings.LastIndexByte(file, '.') > strings.LastIndexByte(file, '/')
}
