// Package asciidoc reads AsciiDoc.
package asciidoc

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/lazy"
	"locus/internal/markup"
)

// Read reads the macros and cross references of AsciiDoc, and searches all of its text. It knows only the attributes
// that the document itself sets and those that every document has.
func Read(d *emit.Emitter) {
	d.InOrder = true
	at := emit.FrontMatter(d.Text)
	d.ReadText(emit.Slice(d.Text, 0, at), "")
	a := reader{attributes: standardAttributes()}
	for at, line := range emit.Lines(d.Text, at) {
		if d.IsStopped() {
			return
		}
		isCode := a.isCode(line)
		if isCode && d.Options.SkipCode {
			continue
		}
		d.Nested(emit.Slice(d.Text, at, at+len(line)), "", func(sub *emit.Emitter) {
			if !isCode {
				a.Emitter = sub
				a.readLine()
			}
			sub.Plain()
		})
	}
}

// standardAttributes returns the attributes that every document has.
func standardAttributes() map[string]string {
	return map[string]string{
		"nbsp": "\u00a0", "plus": "+", "apos": "'", "amp": "&", "lt": "<", "gt": ">", "asterisk": "*", "tilde": "~", "backtick": "`",
		"caret": "^", "startsb": "[", "endsb": "]", "vbar": "|", "two-colons": "::", "two-semicolons": ";;", "empty": "", "blank": "", "sp": " ",
		"docdir": ".",
	}
}

// A reader reads AsciiDoc line by line.
type reader struct {
	*emit.Emitter // the current line
	attributes    map[string]string

	delimiter string // the line that ends the open block of code, or "" outside a block
	isLiteral bool   // the current paragraph is code
	isSource  bool   // the next paragraph is code
	wasText   bool   // the last line was not blank
}

// maxAttributes is how many attributes of a document are kept.
const maxAttributes = 1000

// isCode reports whether the next line is code, literal text or a comment. It must be called once for each line, in
// order.
func (a *reader) isCode(line []byte) bool {
	text := string(bytes.TrimRight(line, " \t\r\n"))
	wasText := a.wasText
	a.wasText = text != ""
	switch {
	case a.delimiter != "":
		if text == a.delimiter {
			a.delimiter = ""
		}
		return true
	case text == "":
		a.isLiteral = false
		return false
	case isCodeDelimiter(text):
		a.delimiter, a.isSource = text, false
		if strings.HasPrefix(text, "```") {
			a.delimiter = "```"
		}
		return true
	case strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "///"), a.isLiteral:
		return true
	case !wasText && isBlockStyle(text, "[source", "[listing", "[literal"):
		a.isSource, a.wasText = true, false
		return false
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") || strings.HasPrefix(text, ".") && !strings.HasPrefix(text, ". "):
		a.wasText = false // the line belongs to the block that follows
		return false
	case !wasText && (a.isSource || markup.IsSpace(text[0]) && !isListItem(strings.TrimLeft(text, " \t"))):
		a.isLiteral, a.isSource = true, false
		return true
	}
	a.isSource = false
	return false
}

// isCodeDelimiter reports whether a line begins a block of code, literal text or comments.
func isCodeDelimiter(text string) bool {
	if strings.HasPrefix(text, "```") {
		return !strings.Contains(text[len("```"):], "`")
	}
	return len(text) >= 4 && strings.IndexByte("-./", text[0]) >= 0 && strings.Trim(text, text[:1]) == ""
}

// isBlockStyle reports whether a line is the attribute list of a block in one of the styles.
func isBlockStyle(text string, styles ...string) bool {
	for _, style := range styles {
		if rest, ok := strings.CutPrefix(text, style); ok && rest != "" && strings.IndexByte("],%#.", rest[0]) >= 0 {
			return true
		}
	}
	return false
}

func isListItem(text string) bool { return patterns.Get().item.MatchString(text) }

// A syntax holds the patterns of the constructs that may be in a line.
type syntax struct {
	item, attribute, title, macro, xref, url, name, monospace, reference *regexp.Regexp
}

var patterns = lazy.Value[syntax]{Make: func() (p syntax) {
	p.item = regexp.MustCompile(`^(?:[*\-.]{1,5}|\d+\.|[a-zA-Z]\.|[ivxIVX]+\)|<[\d.]+>)[ \t]|::(?:[ \t]|$)`)
	p.attribute = regexp.MustCompile(`^:([\w][\w-]*):[ \t]*(.*?)[ \t\r\n]*$`)
	p.title = regexp.MustCompile(`^(?:={1,6}|#{1,6})[ \t]+(.*?)[ \t\r\n]*$`)
	p.macro = regexp.MustCompile(`(?:\b(link|xref|image|video|audio|include|mailto):{1,2}|(https?://|ftp://|irc://|\{[\w-]+\}))([^\s\[\]<>"]*)\[`)
	p.xref = regexp.MustCompile(`<<([^<>,\n]+)(?:,[^<>\n]*)?>>`)
	p.url = regexp.MustCompile(`\bhttps?://[^\s\[\]<>"]*\{[\w-]+\}[^\s\[\]<>"]*`)
	p.name = regexp.MustCompile(`\[\[\[?([^\]\[,\s]+)[^\]\[]*\]\]|\[[^\]\[#\n]*#([^\]\[,.%\s]+)[^\]\[]*\]|\[[^\]\n]*\bid=["']?([^"'\],\s]+)|\banchor:([^\s\[]+)\[`)
	p.monospace = regexp.MustCompile("`[^`\n]+`|\\+\\+[^\n]+?\\+\\+|\\B\\+[^+\\s](?:[^+\n]*[^+\\s])?\\+\\B")
	p.reference = regexp.MustCompile(`\{([\w-]+)\}`)
	return p
}}

// maxLine is the length of the longest line in which macros are read.
const maxLine = 64 << 10

// readLine reads an attribute, or the names, macros and cross references, of a line.
func (a *reader) readLine() {
	if len(a.Text) > maxLine {
		return
	}
	line := string(a.Text)
	if m := patterns.Get().attribute.FindStringSubmatch(line); m != nil {
		a.setAttribute(strings.ToLower(m[1]), m[2])
		return
	}
	if m := patterns.Get().title.FindStringSubmatch(line); m != nil && a.Options.Anchor != nil {
		a.addSection(m[1])
	}
	if strings.ContainsAny(line, "`+") {
		for _, at := range patterns.Get().monospace.FindAllStringIndex(line, -1) {
			if a.Options.SkipCode && !strings.HasPrefix(line[:at[0]], "link:") && !strings.HasSuffix(line[:at[0]], "link:") {
				a.Skip(at[0], at[1])
			}
		}
	}
	if strings.IndexByte(line, '[') >= 0 {
		a.addNames(line)
		a.addMacros(line)
	}
	if strings.Contains(line, "<<") {
		a.addXrefs(line)
	}
	if strings.Contains(line, "{") {
		a.addURLs(line)
	}
}

// setAttribute sets an attribute. If its value refers to an unknown attribute, it becomes unknown itself.
func (a *reader) setAttribute(name, value string) {
	value, ok := a.substitute(value)
	if _, isSet := a.attributes[name]; ok && (isSet || len(a.attributes) < maxAttributes) {
		a.attributes[name] = strings.Clone(value)
		return
	}
	delete(a.attributes, name)
}

// substitute replaces the attribute references in text by their values. It returns false if an attribute is unknown
// or the result is too long.
func (a *reader) substitute(text string) (string, bool) {
	known := true
	text = patterns.Get().reference.ReplaceAllStringFunc(text, func(reference string) string {
		value, ok := a.attributes[strings.ToLower(reference[1:len(reference)-1])]
		if !ok {
			known = false
			return reference
		}
		return value
	})
	return text, known && len(text) <= 4*emit.MaxLabel
}

// addMacros adds the targets of macros such as link:target[text] and url[text].
func (a *reader) addMacros(line string) {
	for _, m := range patterns.Get().macro.FindAllStringSubmatchIndex(line, -1) {
		from, to := m[6], m[7]
		if a.IsSkipped(m[0]) || m[0] > 0 && line[m[0]-1] == '\\' {
			continue
		}
		if m[2] < 0 { // a URL, or an attribute reference at the start of one
			if m[0] > 0 && ascii.IsLetterOrDigit(line[m[0]-1]) || m[4] >= 0 && from > to {
				continue
			}
			from = m[4]
			text, ok := a.substitute(line[from:to])
			if !ok || !strings.Contains(text, "://") {
				a.Skip(from, to)
				continue
			}
			a.AddReference(from, to, text, "link")
			continue
		}
		target, ok := a.substitute(line[from:to])
		if bare, found := strings.CutPrefix(target, "++"); found && strings.HasSuffix(bare, "++") && len(bare) == to-from-2 {
			target, from, to = bare[:len(bare)-2], from+2, to-2
		}
		if !ok || target == "" {
			a.Skip(from, to)
			continue
		}
		a.addMacro(line[m[2]:m[3]], target, from, to)
	}
}

// addMacro adds the target of a macro.
func (a *reader) addMacro(name, target string, from, to int) {
	isURL := strings.Contains(target, "://") || strings.HasPrefix(target, "data:")
	switch name {
	case "mailto":
		from -= len("mailto:")
		target = "mailto:" + target
	case "xref":
		a.addXref(target, from, to)
		return
	case "image", "video", "audio", "include":
		if !isURL && strings.ContainsAny(target, "$:") {
			return // a resource of Antora
		}
		if folder := a.attributes["imagesdir"]; name != "include" && folder != "" && !isURL && !strings.HasPrefix(target, "/") {
			target = strings.TrimSuffix(folder, "/") + "/" + target
		}
		if name == "video" && !isURL && !strings.Contains(target, ".") {
			return // the number of a video on YouTube or Vimeo
		}
	}
	a.AddReference(from, to, target, name)
}

// addXrefs adds the targets of cross references such as <<id>> and <<id,text>>.
func (a *reader) addXrefs(line string) {
	for _, m := range patterns.Get().xref.FindAllStringSubmatchIndex(line, -1) {
		if a.IsSkipped(m[0]) || m[0] > 0 && line[m[0]-1] == '\\' {
			continue
		}
		if target, ok := a.substitute(line[m[2]:m[3]]); ok {
			a.addXref(target, m[2], m[3])
		}
	}
}

// addXref adds the target of a cross reference: an id or a title in this document, another document, or an id in
// another document.
func (a *reader) addXref(target string, from, to int) {
	file, fragment, hasFragment := strings.Cut(strings.TrimSpace(target), "#")
	switch {
	case strings.ContainsAny(file, "$:@"):
		return // a resource of Antora
	case !hasFragment && strings.HasSuffix(file, ".adoc"), hasFragment && strings.Contains(file, "."):
	case hasFragment && file != "":
		file += ".adoc"
	case !hasFragment:
		file, fragment = "", file
	}
	if fragment != "" {
		file += "#" + strings.ReplaceAll(fragment, " ", "%20")
	}
	a.AddReference(from, to, file, "xref")
}

// addURLs adds the URLs with attribute references that are not part of a macro. It skips the URLs with unknown
// attributes.
func (a *reader) addURLs(line string) {
	for _, m := range patterns.Get().url.FindAllStringIndex(line, -1) {
		if m[1] < len(line) && line[m[1]] == '[' || a.IsSkipped(m[0]) {
			continue
		}
		if text, ok := a.substitute(line[m[0]:m[1]]); ok {
			a.AddReference(m[0], m[1], strings.TrimRight(text, ".,;:!?)"), "link")
			continue
		}
		a.Skip(m[0], m[1])
	}
}

// addNames adds the explicit names in a line.
func (a *reader) addNames(line string) {
	if a.Options.Anchor == nil {
		return
	}
	for _, m := range patterns.Get().name.FindAllStringSubmatch(line, -1) {
		for _, name := range m[1:] {
			if name != "" {
				a.Options.Anchor(name)
			}
		}
	}
}

// addSection adds the names of a section: its title, and the ids that Asciidoctor and GitHub derive from the title.
func (a *reader) addSection(title string) {
	a.Options.Anchor(title)
	prefix, hasPrefix := a.attributes["idprefix"]
	separator, hasSeparator := a.attributes["idseparator"]
	if !hasPrefix {
		prefix = "_"
	}
	if !hasSeparator {
		separator = "_"
	}
	for _, form := range [][2]string{{prefix, separator}, {"_", "_"}, {"", "-"}} {
		id := form[0] + sectionID(title, form[1])
		if n := a.Repeat(form[0] + form[1] + id); n > 0 {
			a.Options.Anchor(id + form[1] + strconv.Itoa(n+1))
		}
		a.Options.Anchor(id)
	}
}

// sectionID returns the id that Asciidoctor derives from a title, without its prefix. It replaces each run of spaces,
// periods and hyphens by the separator, and leaves out other punctuation.
func sectionID(title, separator string) string {
	var b strings.Builder
	gap := false
	for _, c := range strings.ToLower(title) {
		switch {
		case c == ' ' || c == '.' || c == '-' || string(c) == separator:
			gap = true
		case unicode.In(c, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			if gap && b.Len() > 0 {
				b.WriteString(separator)
			}
			gap = false
			b.WriteRune(c)
		}
	}
	return b.String()
}
