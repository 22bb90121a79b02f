package document

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"locus/extract"
)

// linking are the attributes that hold a URL, on any element.
var linking = map[string]bool{
	"href": true, "src": true, "poster": true, "data": true, "action": true, "formaction": true, "cite": true, "background": true,
	"longdesc": true, "manifest": true, "profile": true, "classid": true, "codebase": true, "usemap": true, "lowsrc": true,
	"dynsrc": true, "xlink:href": true, "icon": true, "itemid": true, "itemtype": true, "data-src": true, "data-href": true,
	"ping": true, "archive": true, "srcset": true, "imagesrcset": true, "data-srcset": true,
}

// spaced are those of them that hold URLs between white space, but the archive
// of an applet between commas, and listed those that hold image candidates.
var (
	spaced = map[string]bool{"ping": true, "archive": true, "itemtype": true, "profile": true}
	listed = map[string]bool{"srcset": true, "imagesrcset": true, "data-srcset": true}
)

// raw are the elements whose text is no text, or has no references in it.
var raw = map[string]bool{
	"style": true, "script": true, "noscript": true, "noframes": true, "noembed": true, "xmp": true, "iframe": true, "plaintext": true,
}

// htmlSpace is white space in HTML (Infra §4.6).
const htmlSpace = " \t\r\n\f"

// html reads attributes, styles and text.
func (d *document) html() {
	z := html.NewTokenizer(bytes.NewReader(d.text))
	at := 0
	based, linked := false, false
	inside := "" // a raw element
	for {
		kind := z.Next()
		from, to := at, at+len(z.Raw())
		at = to
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			switch inside {
			case "style":
				d.part(CSS, slice(d.text, from, to), "")
			case "noscript", "noframes", "noembed":
				d.part(HTML, slice(d.text, from, to), "")
			case "xmp", "iframe", "plaintext":
				if !linked {
					d.part(Text, slice(d.text, from, to), "")
				}
			case "":
				if !linked {
					d.part(Text, decoded(d.text, from, to, inText), "")
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			d.tag(t, from, to)
			if t.Data == "base" && !based && slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "href" }) {
				based = true
				d.rebase(attribute(t, "href"))
			}
			if kind == html.SelfClosingTagToken {
				z.NextIsNotRawText() // in XHTML and SVG it is closed
				continue
			}
			switch {
			case t.Data == "a":
				linked = attribute(t, "href") != "" || attribute(t, "xlink:href") != ""
			case raw[t.Data]:
				inside = t.Data
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch {
			case string(name) == "a":
				linked = false
			case raw[string(name)]:
				inside = ""
			}
		}
	}
}

// rebase makes a URL the base, relative to the document's. What stays relative
// is none.
func (d *document) rebase(href string) {
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

// tag reads the attributes of a tag that stands at a place.
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

// attribute reads a value that stands at a place.
func (d *document) attribute(t html.Token, a html.Attribute, from, to int) {
	where := t.Data + " " + a.Key
	exact := string(d.text[from:to]) == a.Val
	each := func(at int, text string) {
		if exact {
			d.refer(from+at, from+at+len(text), text, where)
		} else {
			d.refer(from, to, text, where)
		}
	}
	switch {
	case a.Key == "style":
		d.part(CSS, decoded(d.text, from, to, inAttribute), "")
	case a.Key == "srcdoc":
		d.part(HTML, decoded(d.text, from, to, inAttribute), where)
	case a.Key == "content" && t.Data == "meta":
		d.meta(t, a.Val, each)
	case !linking[a.Key], a.Key == "data" && t.Data != "object", a.Key == "icon" && t.Data != "command":
	case listed[a.Key]:
		candidates(a.Val, each)
	case a.Key == "archive" && t.Data == "applet":
		fields(a.Val, htmlSpace+",", each)
	case spaced[a.Key]:
		fields(a.Val, htmlSpace, each)
	default:
		trimmed(a.Val, each)
	}
}

// trimmed calls each for a text without the white space around it.
func trimmed(text string, each func(int, string)) {
	rest := strings.TrimLeft(text, htmlSpace)
	each(len(text)-len(rest), strings.TrimRight(rest, htmlSpace))
}

// meta reads what a meta element refreshes to, or says about the page.
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

// refresh returns the URL that a page is refreshed from, and where it stands:
// after a number and a separator, perhaps "url=", perhaps in quotation marks.
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

// fields calls each for every piece of a text that has some octets between them.
func fields(text, between string, each func(int, string)) {
	at := 0
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		at += strings.Index(text[at:], field)
		each(at, field)
		at += len(field)
	}
}

// candidates calls each for the URL of every image candidate of a srcset.
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

// A value is where the value of an attribute stands in a tag.
type value struct {
	name     string // as it is written
	from, to int
}

// attributes returns the values of the attributes of a tag that starts
// something, in order.
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

// quoted returns where the value that starts at i stands, and where it ends
// with its quotation mark.
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
