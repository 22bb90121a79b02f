package document

import (
	"bytes"
	"encoding/xml"
	"strings"
	"unicode/utf8"

	"locus/extract"
	"locus/internal/markup"
)

// isURLElement reports whether the text of an element of feeds and sitemaps is a URL.
func isURLElement(name string) bool {
	switch name {
	case "link", "url", "loc", "id", "uri", "icon", "logo", "comments", "docs", "guid", "href",
		"wfw:commentrss", "content_loc", "thumbnail_loc", "player_loc":
		return true
	}
	return false
}

// xml reads the attributes and the text of any XML, and the URLs of feeds and
// sitemaps.
func (d *document) xml() {
	d.inOrder = true
	text := sanitized(d.text)
	z, start := xmlDecoder(text), 0
	open := []element{{base: d.base}}
	for {
		from := start + int(z.InputOffset())
		token, err := z.RawToken()
		to := start + int(z.InputOffset())
		switch {
		case err != nil && to == len(text): // the end, perhaps in the middle of something
			d.readText(slice(d.text, from, to), "")
			return
		case err != nil:
			d.brokenXML(from, to)
			z, start = xmlDecoder(text[to:]), to
		}
		switch t := token.(type) {
		case xml.StartElement:
			d.base = open[len(open)-1].base
			d.element(fullName(t.Name), d.text[from:to], from)
			open = append(open, newElement(t, d.base))
		case xml.EndElement:
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
			d.base = open[len(open)-1].base
		case xml.CharData:
			d.data(open[len(open)-1], from, to)
		case xml.ProcInst:
			if t.Target == "xml-stylesheet" {
				d.element("xml-stylesheet", d.text[from:to], from)
			}
		}
	}
}

// xmlSpace is white space in XML (§2.3).
const xmlSpace = " \t\r\n"

func xmlDecoder(text []byte) *xml.Decoder {
	z := xml.NewDecoder(bytes.NewReader(text))
	z.Strict = false
	return z
}

// brokenXML reads the range that the decoder failed on: the attributes of a tag, or
// text.
func (d *document) brokenXML(from, to int) {
	if tag := d.text[from:to]; len(tag) > 1 && tag[0] == '<' && startsName(tag[1]) {
		d.element(string(bytes.Fields(tag[1:])[0]), tag, from)
		return
	}
	d.readText(slice(d.text, from, to), "")
}

// startsName reports whether a byte can start the name of an element (XML §2.3,
// NameStartChar).
func startsName(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

// sanitized returns a copy of a text, of the same length, without most of what the
// decoder fails on: bytes that are not UTF-8, controls, "&", and hyphens in
// comments. It is for the decoder alone. Everything else keeps its place.
func sanitized(text []byte) []byte {
	clean := bytes.Clone(text)
	replaceHyphens(clean)
	for i := 0; i < len(clean); {
		r, size := utf8.DecodeRune(clean[i:])
		if r == utf8.RuneError || r == '&' || r < ' ' && !isSpace(clean[i]) || r == '\f' || r >= 0xfffe && r <= 0xffff {
			for n := range size {
				clean[i+n] = '?'
			}
		}
		i += size
	}
	return clean
}

// replaceHyphens replaces the hyphens in comments, where the decoder fails on "--".
// It leaves sections of CDATA as they are.
func replaceHyphens(text []byte) {
	for {
		start := bytes.Index(text, []byte("<!"))
		if start < 0 {
			return
		}
		text = text[start+len("<!"):]
		end := 0
		if inner, ok := bytes.CutPrefix(text, []byte("--")); ok {
			if end = bytes.Index(inner, []byte("-->")); end > 0 {
				copy(inner, bytes.ReplaceAll(inner[:end], []byte("-"), []byte("?")))
			}
			text = inner
		} else if bytes.HasPrefix(text, []byte("[CDATA[")) {
			end = bytes.Index(text, []byte("]]>"))
		}
		if end < 0 {
			return
		}
		text = text[end:]
	}
}

type element struct {
	name, base string
	link       bool // its text is a URL
}

func newElement(t xml.StartElement, base string) element {
	e := element{name: strings.ToLower(fullName(t.Name)), base: base}
	e.link = isURLElement(e.name) || isURLElement(e.local())
	for _, a := range t.Attr {
		if a.Name.Local == "isPermaLink" && a.Value == "false" {
			e.link = false // it is only a name
		}
	}
	return e
}

// local returns the element's name without its prefix.
func (e element) local() string { return e.name[strings.LastIndexByte(e.name, ':')+1:] }

func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// element reads the attributes of a tag at a place.
func (d *document) element(name string, tag []byte, at int) {
	values := markup.Attributes(tag)
	for _, v := range values {
		if v.Name == "xml:base" {
			d.setBase(resolveReferences(string(tag[v.From:v.To])))
		}
	}
	for _, v := range values {
		where := name + " " + v.Name
		switch key := strings.ToLower(v.Name); {
		case key == "xmlns", strings.HasPrefix(key, "xmlns:"), key == "xml:base", key == "namespace", key == "targetnamespace":
		case strings.HasSuffix(key, ":schemalocation"): // pairs of a namespace and the URL of its schema
			n := 0
			fields(string(tag[v.From:v.To]), xmlSpace, func(from int, text string) {
				if n++; n%2 == 0 {
					d.addReference(at+v.From+from, at+v.From+from+len(text), resolveReferences(text), where)
				}
			})
		case key == "href", key == "src", key == "xlink:href", key == "url", key == "action", key == "xmlurl", key == "htmlurl",
			key == "rdf:about", key == "rdf:resource", key == "schemalocation", key == "xsi:nonamespaceschemalocation":
			raw := string(tag[v.From:v.To])
			from := at + v.From + len(raw) - len(strings.TrimLeft(raw, htmlSpace))
			raw = strings.Trim(raw, htmlSpace)
			d.addReference(from, from+len(raw), resolveReferences(raw), where)
		case key == "style":
			d.nested(decoded(d.text, at+v.From, at+v.To, resolveInXML), where, (*document).css)
		default:
			d.readText(decoded(d.text, at+v.From, at+v.To, resolveInXML), where)
		}
	}
}

func (d *document) data(e element, from, to int) {
	raw := d.text[from:to]
	if rest, ok := bytes.CutPrefix(raw, []byte("<![CDATA[")); ok {
		from += len("<![CDATA[")
		to -= len(raw) - len("<![CDATA[") - len(bytes.TrimSuffix(rest, []byte("]]>")))
		d.leaf(e, slice(d.text, from, to))
		return
	}
	d.leaf(e, decoded(d.text, from, to, resolveInXML))
}

func (d *document) leaf(e element, p part) {
	text := bytes.TrimSpace(p.text)
	if e.link && !bytes.ContainsAny(text, " \t\r\n<") && bytes.ContainsAny(text, ":/.") {
		at := bytes.Index(p.text, text)
		from, to := p.place(at, at+len(text))
		m := extract.Match{Offset: int64(from), Length: to - from, Text: string(text), Kind: extract.Reference, Place: e.name}
		if _, err := m.URL(); err == nil && (e.local() != "id" || isKnown(text)) {
			d.add(m, nil)
			return
		}
	}
	switch e.local() {
	case "style":
		d.nested(p, e.name, (*document).css)
		return
	case "encoded", "description", "content", "summary":
		if bytes.IndexByte(text, '<') >= 0 {
			d.nested(p, e.name, (*document).html)
			return
		}
	}
	d.readText(p, e.name)
}

// isKnown reports whether a text starts with the name of a known scheme. Other
// identifiers do not: com.example, group:name.
func isKnown(text []byte) bool {
	name, _, ok := bytes.Cut(text, []byte(":"))
	return ok && extract.Known(string(name))
}
