// Package xml reads XML of any kind, and knows the elements of feeds and sitemaps.
package xml

import (
	"bytes"
	"encoding/xml"
	"strings"
	"unicode/utf8"

	"locus/extract"
	"locus/extract/document/internal/css"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/html"
	"locus/internal/markup"
)

// encodingOf returns the encoding that the XML declaration at the start of a document names, or "" if it names no
// encoding.
func encodingOf(text []byte) string {
	if !bytes.HasPrefix(text, []byte("<?xml")) {
		return ""
	}
	declaration, _, _ := bytes.Cut(text[:min(len(text), 1024)], []byte("?>"))
	_, after, ok := strings.Cut(string(declaration), "encoding")
	after = strings.TrimLeft(after, " \t\r\n=")
	if !ok || after == "" {
		return ""
	}
	label, _, _ := strings.Cut(after[1:], after[:1])
	return label
}

// isURLElement reports whether the text of an element is a URL in feeds or sitemaps.
func isURLElement(name string) bool {
	switch name {
	case "link", "url", "loc", "id", "uri", "icon", "logo", "comments", "docs", "guid", "href",
		"wfw:commentrss", "content_loc", "thumbnail_loc", "player_loc":
		return true
	}
	return false
}

// Read reads the attributes and the text of any XML, and the URLs of feeds and sitemaps.
func Read(d *emit.Emitter) {
	d.InOrder = true
	d.Declare(encodingOf(d.Text))
	text := sanitized(d.Text)
	z, start := xmlDecoder(text), 0
	open := []element{{base: d.Base}}
	for {
		from := start + int(z.InputOffset())
		token, err := z.RawToken()
		to := start + int(z.InputOffset())
		switch {
		case err != nil && to == len(text): // the end, perhaps within a token
			d.ReadText(emit.Slice(d.Text, from, to), "")
			return
		case err != nil:
			readBroken(d, from, to)
			z, start = xmlDecoder(text[to:]), to
		}
		switch t := token.(type) {
		case xml.StartElement:
			d.Base = open[len(open)-1].base
			readElement(d, fullName(t.Name), d.Text[from:to], from)
			if d.Options.Element != nil {
				d.Options.Element(t.Name.Local)
			}
			open = append(open, newElement(t, d.Base))
		case xml.EndElement:
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
			d.Base = open[len(open)-1].base
		case xml.CharData:
			readData(d, open[len(open)-1], from, to)
		case xml.ProcInst:
			if t.Target == "xml-stylesheet" {
				readElement(d, "xml-stylesheet", d.Text[from:to], from)
			}
		}
	}
}

// xmlSpace is the white space of XML (§2.3).
const xmlSpace = " \t\r\n"

// xmlDecoder returns a decoder of text that accepts most mistakes.
func xmlDecoder(text []byte) *xml.Decoder {
	z := xml.NewDecoder(bytes.NewReader(text))
	z.Strict = false
	return z
}

// readBroken reads d.Text[from:to], on which the decoder failed, as a tag with attributes if it starts like a tag, and
// otherwise as text.
func readBroken(d *emit.Emitter, from, to int) {
	if tag := d.Text[from:to]; len(tag) > 1 && tag[0] == '<' && startsName(tag[1]) {
		readElement(d, string(bytes.Fields(tag[1:])[0]), tag, from)
		return
	}
	d.ReadText(emit.Slice(d.Text, from, to), "")
}

// startsName reports whether c can start the name of an element (XML §2.3, NameStartChar).
func startsName(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

// sanitized returns a copy of text with the same length, in which most bytes that make the decoder fail are replaced:
// bytes that are not UTF-8, control characters, "&", and hyphens in comments. Only the decoder reads the copy, so
// that the matches come from the original bytes.
func sanitized(text []byte) []byte {
	clean := bytes.Clone(text)
	replaceHyphens(clean)
	for i := 0; i < len(clean); {
		r, size := utf8.DecodeRune(clean[i:])
		if r == utf8.RuneError || r == '&' || r < ' ' && !markup.IsSpace(clean[i]) || r == '\f' || r >= 0xfffe && r <= 0xffff {
			for n := range size {
				clean[i+n] = '?'
			}
		}
		i += size
	}
	return clean
}

// replaceHyphens replaces the hyphens in the comments of text by "?", because the decoder fails on "--" there. It
// changes text in place, and leaves CDATA sections alone.
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

// An element is an open element.
type element struct {
	name, base string
	link       bool // the text of the element is a URL
}

// newElement returns the element that the tag t opens. base is the base of the URLs in it. Its text is a URL if its
// name says so, unless it is a guid that is not a permalink.
func newElement(t xml.StartElement, base string) element {
	e := element{name: strings.ToLower(fullName(t.Name)), base: base}
	e.link = isURLElement(e.name) || isURLElement(e.local())
	for _, a := range t.Attr {
		if a.Name.Local == "isPermaLink" && a.Value == "false" {
			e.link = false // the text is only a name
		}
	}
	return e
}

// local returns the element's name without its prefix.
func (e element) local() string { return e.name[strings.LastIndexByte(e.name, ':')+1:] }

// fullName returns a name with its prefix, such as "xlink:href".
func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// readElement reads the attributes of a tag, which is at offset at: it sets the base, gives ids to Options.Anchor, adds
// the URLs, and searches the other values. name is the name of the element.
func readElement(d *emit.Emitter, name string, tag []byte, at int) {
	values := markup.Attributes(tag)
	for _, v := range values {
		if v.Name == "xml:base" {
			d.SetBase(markup.ValueInXML(tag[v.From:v.To]))
		}
	}
	for _, v := range values {
		if d.Options.Anchor != nil && (v.Name == "id" || v.Name == "xml:id") {
			d.Options.Anchor(markup.ValueInXML(tag[v.From:v.To]))
		}
		where := name + " " + v.Name
		switch key := strings.ToLower(v.Name); {
		case key == "xmlns", strings.HasPrefix(key, "xmlns:"), key == "xml:base", key == "namespace", key == "targetnamespace",
			key == "prefix", key == "epub:prefix": // names of vocabularies (RDFa 1.1 §7.5, EPUB 3.3 §D.1.4)
		case strings.HasSuffix(key, ":schemalocation"): // pairs of a namespace and the URL of its schema
			n := 0
			html.Fields(string(tag[v.From:v.To]), xmlSpace, func(from int, text string) {
				if n++; n%2 == 0 {
					d.AddReference(at+v.From+from, at+v.From+from+len(text), markup.ValueInXML([]byte(text)), where)
				}
			})
		case key == "href", key == "src", key == "xlink:href", key == "url", key == "action", key == "xmlurl", key == "htmlurl",
			key == "rdf:about", key == "rdf:resource", key == "schemalocation", key == "xsi:nonamespaceschemalocation":
			raw := string(tag[v.From:v.To])
			from := at + v.From + len(raw) - len(strings.TrimLeft(raw, markup.Space))
			raw = strings.Trim(raw, markup.Space)
			d.AddReference(from, from+len(raw), markup.ValueInXML([]byte(raw)), where)
		case key == "style":
			d.Nested(emit.Decoded(d.Text, at+v.From, at+v.To, markup.ResolveInXML), where, css.Read)
		default:
			d.ReadText(emit.Decoded(d.Text, at+v.From, at+v.To, markup.ResolveInXML), where)
		}
	}
}

// readData reads d.Text[from:to], which is character data or a CDATA section of the element e.
func readData(d *emit.Emitter, e element, from, to int) {
	raw := d.Text[from:to]
	if rest, ok := bytes.CutPrefix(raw, []byte("<![CDATA[")); ok {
		from += len("<![CDATA[")
		to -= len(raw) - len("<![CDATA[") - len(bytes.TrimSuffix(rest, []byte("]]>")))
		readLeaf(d, e, emit.Slice(d.Text, from, to))
		return
	}
	readLeaf(d, e, emit.Decoded(d.Text, from, to, markup.ResolveInXML))
}

// readLeaf adds p, the decoded text of the element e, as a URL if it is one. Otherwise it searches the text, as CSS or
// HTML in some elements.
func readLeaf(d *emit.Emitter, e element, p emit.Part) {
	text := bytes.TrimSpace(p.Text)
	if e.link && (!bytes.ContainsAny(text, " \t\r\n<") && bytes.ContainsAny(text, ":/.") || e.isPage(text)) {
		at := bytes.Index(p.Text, text)
		from, to := p.Place(at, at+len(text))
		m := extract.Match{Offset: int64(from), Length: to - from, Text: string(text), Kind: extract.Reference, Place: e.name}
		if _, err := m.URL(); err == nil && (e.local() != "id" || hasKnownScheme(text)) {
			d.Add(m, nil)
			return
		}
	}
	switch e.local() {
	case "style":
		d.Nested(p, e.name, css.Read)
		return
	case "encoded", "description", "content", "summary":
		if bytes.IndexByte(text, '<') >= 0 {
			d.Nested(p, e.name, html.Read)
			return
		}
	}
	d.ReadText(p, e.name)
}

// isPage reports whether text is an http or https URL in an element of a sitemap or a feed that holds the URL of a
// page. The URL may have spaces and "<", because browsers escape them.
func (e element) isPage(text []byte) bool {
	switch e.local() {
	case "loc", "link", "content_loc", "thumbnail_loc", "player_loc":
		isWeb := bytes.HasPrefix(text, []byte("http://")) || bytes.HasPrefix(text, []byte("https://"))
		return isWeb && bytes.Count(text, []byte("://")) == 1 && !bytes.ContainsAny(text, "\t\r\n")
	}
	return false
}

// hasKnownScheme reports whether text starts with the name of a known scheme and ":". Identifiers such as com.example
// and group:name do not.
func hasKnownScheme(text []byte) bool {
	name, _, ok := bytes.Cut(text, []byte(":"))
	return ok && extract.Known(string(name))
}
