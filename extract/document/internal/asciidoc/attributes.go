package asciidoc

import (
	"bytes"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/lazy"
	"locus/internal/markup"
)

// attributes are the attributes that a document has set.
type attributes map[string]string

// maxAttributes is how many attributes of a document are kept.
const maxAttributes = 1000

// maxValue is the size of the largest value, and of the largest text in which attributes are replaced.
const maxValue = 4 * emit.MaxLabel

// get returns the value of an attribute that the document has set or that every document has. The case of name does not
// matter. ok is false if the attribute is unknown.
func (a attributes) get(name string) (value string, ok bool) {
	name = strings.ToLower(name)
	if value, ok = a[name]; ok {
		return value, true
	}
	value, ok = characters.Get()[name]
	return value, ok
}

// characters are the attributes that every document has.
var characters = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"nbsp": "\u00a0", "plus": "+", "apos": "'", "amp": "&", "lt": "<", "gt": ">", "asterisk": "*", "tilde": "~", "backtick": "`",
		"caret": "^", "startsb": "[", "endsb": "]", "vbar": "|", "two-colons": "::", "two-semicolons": ";;", "empty": "", "blank": "", "sp": " ",
		"docdir": ".", "pp": "++", "cpp": "C++", "cxx": "C++", "backslash": "\\", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°",
		"brvbar": "¦", "zwsp": "\u200b", "wj": "\u2060", "quot": "\"",
	}
}}

// set sets an attribute to value, in which it replaces the references to other attributes. The attribute becomes
// unknown if value refers to an unknown attribute or is too long, or if there are too many attributes.
func (a attributes) set(name, value string) {
	name = strings.ToLower(name)
	value, ok := a.substitute(value)
	if _, isSet := a[name]; ok && (isSet || len(a) < maxAttributes) {
		a[name] = strings.Clone(value)
		return
	}
	delete(a, name)
}

// substitute returns text with its attribute references, such as {name}, replaced by their values. Unknown references
// stay. It returns false if an attribute is unknown or the result is too long.
func (a attributes) substitute(text string) (string, bool) {
	if strings.IndexByte(text, '{') < 0 {
		return text, len(text) <= maxValue
	}
	var b strings.Builder
	isKnown := true
	for len(text) > 0 && b.Len() <= maxValue {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at:]
		n := referenceLength(text)
		value, ok := "", false
		if n > 0 {
			value, ok = a.get(text[1 : n-1])
			isKnown = isKnown && ok
		}
		if !ok {
			n = max(n, 1)
			value = text[:n]
		}
		b.WriteString(value)
		text = text[n:]
	}
	b.WriteString(text)
	return b.String(), isKnown && b.Len() <= maxValue
}

// referenceLength returns the length of the attribute reference, such as {name}, at the start of text. It returns 0 if
// text does not begin with a reference.
func referenceLength[T string | []byte](text T) int {
	for i := 1; i < len(text) && i < emit.MaxLabel; i++ {
		switch c := text[i]; {
		case c == '}' && i > 1:
			return i + 1
		case !isWord(c) && c != '-':
			return 0
		}
	}
	return 0
}

// isWord reports whether c is an ASCII letter, a digit or "_", as \w of a regular expression matches.
func isWord(c byte) bool { return ascii.IsLetterOrDigit(c) || c == '_' }

// attributeName returns the name in a line such as ":name: value", and the offset of the value. The name begins or ends
// with "!" if the attribute is unset. ok is false for other lines.
func attributeName(bare []byte) (name []byte, at int, ok bool) {
	if bare[0] != ':' {
		return nil, 0, false
	}
	end := bytes.IndexByte(bare[1:], ':') + 1
	if end <= 1 || end+1 < len(bare) && !markup.IsSpace(bare[end+1]) {
		return nil, 0, false
	}
	name = bare[1:end]
	for i, c := range bytes.Trim(name, "!") {
		if !isWord(c) && (c != '-' || i == 0) {
			return nil, 0, false
		}
	}
	return name, end + 1, true
}

// isAttribute reports whether a line sets or unsets an attribute, such as ":name: value".
func isAttribute(bare []byte) bool {
	_, _, ok := attributeName(bare)
	return ok
}

// isWrapped reports whether the value of an attribute continues in the next line, because the line bare ends in " \".
func isWrapped(bare []byte) bool { return bytes.HasSuffix(bare, []byte(` \`)) }

// addAttribute sets the attribute of a line, at [at, past), if isMet is true and all open conditions are met. In any
// case it adds the macros in the value, because a document shows them where it names the attribute. If Options.SkipCode
// is set, the search of plain text skips the line, because a URL in the value is often only the start of URLs.
func (r *reader) addAttribute(line []byte, at, past int, isMet bool) {
	if isMet && r.conditions.isMet() {
		r.readAttribute(line)
	}
	if r.Options.SkipCode {
		r.Skip(at, past)
	}
	r.readText(at, past)
}

// readAttribute reads a line with a value, or with a further line of a value. At the last line of the value it sets the
// attribute, or unsets it if "!" is beside its name.
func (r *reader) readAttribute(line []byte) {
	bare := bytes.Trim(line, " \t\r\n")
	value := bare
	if !r.isValueWrapped {
		name, at, _ := attributeName(bare)
		r.wrapped, r.wrappedValue = string(name), ""
		value = bytes.TrimLeft(bare[at:], " \t")
	}
	r.isValueWrapped = r.blocks.isWrapped
	if r.isValueWrapped {
		value = bytes.TrimSuffix(value, []byte(`\`))
	}
	if len(r.wrappedValue) <= maxValue {
		r.wrappedValue += string(value)
	}
	if r.isValueWrapped {
		return
	}
	if name := strings.Trim(r.wrapped, "!"); name != r.wrapped {
		delete(r.attributes, strings.ToLower(name))
		return
	}
	r.attributes.set(r.wrapped, r.wrappedValue)
}
