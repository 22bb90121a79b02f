package document

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

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

// raw are the elements whose content is not text, or has no character references.
var raw = map[string]bool{
	"style": true, "script": true, "noscript": true, "noframes": true, "noembed": true, "xmp": true, "iframe": true, "plaintext": true,
}

// htmlSpace is white space in HTML (Infra §4.6).
const htmlSpace = " \t\r\n\f"

// html reads attributes, styles and text.
func (d *document) html() {
	z := html.NewTokenizer(bytes.NewReader(d.text))
	at := 0
	hasBase, inLink := false, false
	inRaw := "" // the raw element that is open
	for {
		kind := z.Next()
		from, to := at, at+len(z.Raw())
		at = to
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			switch inRaw {
			case "style":
				d.readPart(CSS, slice(d.text, from, to), "")
			case "noscript", "noframes", "noembed":
				d.readPart(HTML, slice(d.text, from, to), "")
			case "xmp", "iframe", "plaintext":
				if !inLink {
					d.readPart(Text, slice(d.text, from, to), "")
				}
			case "":
				if !inLink {
					d.readPart(Text, decoded(d.text, from, to, resolveInText), "")
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			d.tag(t, from, to)
			if t.Data == "base" && !hasBase && slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "href" }) {
				hasBase = true
				d.setBase(attribute(t, "href"))
			}
			if kind == html.SelfClosingTagToken {
				z.NextIsNotRawText() // in XHTML and SVG this closes the element
				continue
			}
			switch {
			case t.Data == "a":
				inLink = attribute(t, "href") != "" || attribute(t, "xlink:href") != ""
			case raw[t.Data]:
				inRaw = t.Data
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch {
			case string(name) == "a":
				inLink = false
			case raw[string(name)]:
				inRaw = ""
			}
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

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (d *document) tag(t html.Token, from, to int) {
	values := attributes(d.text[from:to])
	for _, a := range t.Attr {
		i := slices.IndexFunc(values, func(v value) bool { return len(v.name) == len(a.Key) && strings.EqualFold(v.name, a.Key) })
		if i < 0 {
			continue
		}
		v := values[i]
		values = values[i+1:]
		d.attribute(t, a, from+v.from, from+v.to)
	}
}

// attribute reads an attribute whose value stands at a place.
func (d *document) attribute(t html.Token, a html.Attribute, from, to int) {
	where := t.Data + " " + a.Key
	exact := string(d.text[from:to]) == a.Val
	each := func(at int, text string) {
		if exact {
			d.addReference(from+at, from+at+len(text), text, where)
		} else {
			d.addReference(from, to, text, where)
		}
	}
	switch {
	case a.Key == "style":
		d.readPart(CSS, decoded(d.text, from, to, resolveInAttribute), "")
	case a.Key == "srcdoc":
		d.readPart(HTML, decoded(d.text, from, to, resolveInAttribute), where)
	case a.Key == "content" && t.Data == "meta":
		d.meta(t, a.Val, each)
	case !urlAttributes[a.Key], a.Key == "data" && t.Data != "object", a.Key == "icon" && t.Data != "command":
	case srcsetAttributes[a.Key]:
		candidates(a.Val, each)
	case a.Key == "archive" && t.Data == "applet":
		fields(a.Val, htmlSpace+",", each)
	case listAttributes[a.Key]:
		fields(a.Val, htmlSpace, each)
	default:
		trimmed(a.Val, each)
	}
}

// trimmed calls each with a text without the white space around it, and its place.
func trimmed(text string, each func(int, string)) {
	rest := strings.TrimLeft(text, htmlSpace)
	each(len(text)-len(rest), strings.TrimRight(rest, htmlSpace))
}

// meta reads the URL that a meta element refreshes to, or gives for a preview.
func (d *document) meta(t html.Token, content string, each func(int, string)) {
	if strings.EqualFold(attribute(t, "http-equiv"), "refresh") {
		each(refresh(content))
		return
	}
	names := strings.ToLower(attribute(t, "property") + " " + attribute(t, "name") + " " + attribute(t, "itemprop"))
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

// A value is the place of an attribute's value in a tag.
type value struct {
	name     string // as it is written
	from, to int
}

// attributes returns the values of the attributes of a start tag, in order.
func attributes(tag []byte) []value {
	var values []value
	i := 1
	for i < len(tag) && !isSpace(tag[i]) && tag[i] != '>' && tag[i] != '/' {
		i++
	}
	for i < len(tag) {
		for i < len(tag) && (isSpace(tag[i]) || tag[i] == '/') {
			i++
		}
		if i >= len(tag) || tag[i] == '>' {
			break
		}
		start := i
		for i < len(tag) && !isSpace(tag[i]) && tag[i] != '>' && tag[i] != '/' && (tag[i] != '=' || i == start) {
			i++
		}
		v := value{name: string(tag[start:i]), from: i, to: i}
		next := i
		for next < len(tag) && isSpace(tag[next]) {
			next++
		}
		if next < len(tag) && tag[next] == '=' {
			i = next + 1
			for i < len(tag) && isSpace(tag[i]) {
				i++
			}
			v.from, v.to, i = quoted(tag, i)
		}
		values = append(values, v)
	}
	return values
}

// quoted returns where the value at i starts and ends, and the place after its
// quotation mark.
func quoted(tag []byte, i int) (from, to, end int) {
	if i < len(tag) && (tag[i] == '"' || tag[i] == '\'') {
		from = i + 1
		if n := bytes.IndexByte(tag[from:], tag[i]); n >= 0 {
			return from, from + n, from + n + 1
		}
		return from, len(tag), len(tag)
	}
	end = i
	for end < len(tag) && !isSpace(tag[end]) && tag[end] != '>' {
		end++
	}
	return i, end, end
}
