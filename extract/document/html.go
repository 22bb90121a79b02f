package document

import (
	"bytes"
	"slices"
	"strings"

	"locus/extract"
)

// urlAttributes are the attributes that hold a URL, on any element.
var urlAttributes = map[string]bool{
	"href": true, "src": true, "poster": true, "data": true, "action": true, "formaction": true, "cite": true, "background": true,
	"longdesc": true, "manifest": true, "profile": true, "classid": true, "codebase": true, "usemap": true, "lowsrc": true,
	"dynsrc": true, "xlink:href": true, "icon": true, "itemid": true, "itemtype": true, "data-src": true, "data-href": true,
	"ping": true, "archive": true, "srcset": true, "imagesrcset": true, "data-srcset": true,
}

// listAttributes hold several URLs with white space between them; the archive of
// an applet may have commas instead. srcsetAttributes hold image candidates.
var (
	listAttributes   = map[string]bool{"ping": true, "archive": true, "itemtype": true, "profile": true}
	srcsetAttributes = map[string]bool{"srcset": true, "imagesrcset": true, "data-srcset": true}
)

// htmlSpace is white space in HTML (Infra §4.6).
const htmlSpace = " \t\r\n\f"

// html reads attributes, styles and text.
func (d *document) html() {
	z := tokenizer{text: d.text}
	hasBase, inLink := false, false
	for t, ok := z.next(); ok; t, ok = z.next() {
		switch t.kind {
		case textToken:
			d.htmlText(t, inLink)
		case startTag:
			for _, a := range t.attributes {
				d.attribute(t, a)
			}
			switch {
			case t.name == "a" && !t.selfClosing:
				inLink = d.value(t, "href") != "" || d.value(t, "xlink:href") != ""
			case t.name == "base" && !hasBase && t.has("href"):
				hasBase = true
				d.setBase(d.value(t, "href"))
			}
		case endTag:
			inLink = inLink && t.name != "a"
		}
	}
}

// htmlText reads text. inLink means that it is in an element "a" with a URL.
func (d *document) htmlText(t token, inLink bool) {
	if d.options.References && t.name != "style" && t.name != "noscript" && t.name != "noframes" && t.name != "noembed" {
		return
	}
	switch t.name {
	case "style":
		d.readPart(CSS, slice(d.text, t.from, t.to), "")
	case "noscript", "noframes", "noembed":
		d.readPart(HTML, slice(d.text, t.from, t.to), "")
	case "script":
	case "xmp", "iframe", "plaintext":
		if !inLink {
			d.readPart(Text, slice(d.text, t.from, t.to), "")
		}
	default:
		if !inLink {
			d.readPart(Text, decoded(d.text, t.from, t.to, resolveInText), "")
		}
	}
}

// setBase makes a URL the base. It may be relative to the old base; if the result
// is not absolute, nothing changes.
func (d *document) setBase(href string) {
	u, err := extract.Match{Text: href, Kind: extract.Reference, Base: d.base}.URL()
	if err == nil && u.IsAbs() {
		d.base = u.String()
	}
}

func (t token) has(name string) bool {
	return slices.ContainsFunc(t.attributes, func(a attribute) bool { return a.name == name })
}

// value returns the value of an attribute; "" if there is none.
func (d *document) value(t token, name string) string {
	for _, a := range t.attributes {
		if a.name == name {
			return d.decodedValue(a)
		}
	}
	return ""
}

// decodedValue returns the value of an attribute with its references resolved.
func (d *document) decodedValue(a attribute) string {
	if raw := d.text[a.from:a.to]; bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, 0) < 0 {
		return string(raw)
	}
	value := string(decoded(d.text, a.from, a.to, resolveInAttribute).text)
	return strings.ReplaceAll(value, "\x00", "\ufffd")
}

// attribute reads an attribute of a tag.
func (d *document) attribute(t token, a attribute) {
	if d.options.Anchor != nil && (a.name == "id" || a.name == "name" && t.name == "a") {
		d.options.Anchor(d.decodedValue(a))
	}
	if a.from == a.to || !urlAttributes[a.name] && a.name != "style" && a.name != "srcdoc" && a.name != "content" {
		return
	}
	where := t.name + " " + a.name
	value := d.decodedValue(a)
	exact := string(d.text[a.from:a.to]) == value
	each := func(at int, text string) {
		if exact {
			d.addReference(a.from+at, a.from+at+len(text), text, where)
		} else {
			d.addReference(a.from, a.to, text, where)
		}
	}
	switch {
	case a.name == "style":
		d.readPart(CSS, decoded(d.text, a.from, a.to, resolveInAttribute), "")
	case a.name == "srcdoc":
		d.readPart(HTML, decoded(d.text, a.from, a.to, resolveInAttribute), where)
	case a.name == "content" && t.name == "meta":
		d.meta(t, value, each)
	case !urlAttributes[a.name], a.name == "data" && t.name != "object", a.name == "icon" && t.name != "command":
	case srcsetAttributes[a.name]:
		candidates(value, each)
	case a.name == "archive" && t.name == "applet":
		fields(value, htmlSpace+",", each)
	case listAttributes[a.name]:
		fields(value, htmlSpace, each)
	default:
		trimmed(value, each)
	}
}

// trimmed calls each with a text without the white space around it, and its place.
func trimmed(text string, each func(int, string)) {
	rest := strings.TrimLeft(text, htmlSpace)
	each(len(text)-len(rest), strings.TrimRight(rest, htmlSpace))
}

// meta reads the URL that a meta element refreshes to, or gives for a preview.
func (d *document) meta(t token, content string, each func(int, string)) {
	if strings.EqualFold(d.value(t, "http-equiv"), "refresh") {
		each(refresh(content))
		return
	}
	names := strings.ToLower(d.value(t, "property") + " " + d.value(t, "name") + " " + d.value(t, "itemprop"))
	for name := range strings.FieldsSeq(names) {
		for _, end := range []string{"url", "secure_url", "image", "video", "audio", "image:src", "player", "site_name_url"} {
			if strings.HasSuffix(name, ":"+end) || name == end {
				trimmed(content, each)
				return
			}
		}
	}
}

// refresh returns the URL that a page is refreshed from, and its place: after a
// number and a separator, perhaps "url=", perhaps in quotation marks.
func refresh(content string) (at int, text string) {
	rest := strings.TrimLeft(strings.TrimLeft(content, htmlSpace), "0123456789.")
	rest = strings.TrimLeft(rest, htmlSpace+";,")
	if hasFold([]byte(rest), "url") {
		if value, ok := strings.CutPrefix(strings.TrimLeft(rest[len("url"):], htmlSpace), "="); ok {
			rest = strings.TrimLeft(value, htmlSpace)
		}
	}
	at = len(content) - len(rest)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		text, _, _ = strings.Cut(rest[1:], rest[:1])
		return at + 1, text
	}
	return at, strings.TrimRight(rest, htmlSpace)
}

// fields calls each with every piece of a text, and its place. The characters in
// between separate the pieces.
func fields(text, between string, each func(int, string)) {
	at := 0
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		at += strings.Index(text[at:], field)
		each(at, field)
		at += len(field)
	}
}

// candidates calls each with the URL of every image candidate of a srcset, and its
// place.
func candidates(text string, each func(int, string)) {
	for at := 0; at < len(text); {
		if isSpace(text[at]) || text[at] == ',' {
			at++
			continue
		}
		end := at
		for end < len(text) && !isSpace(text[end]) {
			end++
		}
		word := strings.TrimRight(text[at:end], ",")
		each(at, word)
		at += len(word)
		for depth := 0; at < len(text) && (depth > 0 || text[at] != ','); at++ {
			switch text[at] {
			case '(':
				depth++
			case ')':
				depth = max(depth-1, 0)
			}
		}
	}
}
