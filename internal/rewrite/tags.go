package rewrite

import (
	"bytes"
	"sort"
	"strings"

	"locus/internal/markup"
)

// A tag is a start tag with an attribute rel, integrity, crossorigin or srcdoc. Other tags
// are not stored.
type tag struct {
	from, to   int
	rel        string
	attributes []markup.Attribute // places are in the page
}

// scan appends the tags in p.text[from:to] that type tag describes to p.tags. depth is the
// number of elements noscript, noframes and noembed around the range.
func (p *page) scan(from, to, depth int) {
	z := markup.Tokenizer{Text: p.text[from:to]}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		switch t.Kind {
		case markup.Text:
			switch t.Name {
			case "noscript", "noframes", "noembed":
				if depth < maxNested { // package document ignores deeper elements, too
					p.scan(from+t.From, from+t.To, depth+1)
				}
			}
		case markup.StartTag:
			p.addTag(t, from)
		}
	}
}

// addTag appends a start tag to p.tags if it has one of the attributes of type tag. The offsets
// of t are relative to at.
func (p *page) addTag(t markup.Token, at int) {
	matters := false
	for _, a := range t.Attributes {
		switch a.Name {
		case "rel", "integrity", "crossorigin", "srcdoc":
			matters = true
		}
	}
	if !matters {
		return
	}
	found := tag{from: at + t.From, to: at + t.To}
	for _, a := range t.Attributes {
		a.From, a.To = at+a.From, at+a.To
		if a.Name == "rel" {
			found.rel = strings.ToLower(markup.Value(p.text[a.From:a.To]))
		}
		found.attributes = append(found.attributes, a)
	}
	p.tags = append(p.tags, found)
}

// tagAt returns the tag in p.tags that contains the offset at, or the zero tag.
func (p *page) tagAt(at int) tag {
	n := sort.Search(len(p.tags), func(n int) bool { return p.tags[n].to > at })
	if n == len(p.tags) || p.tags[n].from > at {
		return tag{}
	}
	return p.tags[n]
}

// attribute returns the attribute with this name, or the zero Attribute if t lacks it.
func (t tag) attribute(name string) markup.Attribute {
	for _, a := range t.attributes {
		if a.Name == name {
			return a
		}
	}
	return markup.Attribute{}
}

// attributeAt returns the attribute whose value contains the offset at, or the zero Attribute.
func (t tag) attributeAt(at int) markup.Attribute {
	for _, a := range t.attributes {
		if a.From <= at && at < a.To {
			return a
		}
	}
	return markup.Attribute{}
}

// isInner reports whether the offset at is in the value of an attribute srcdoc.
func (t tag) isInner(at int) bool { return t.attributeAt(at).Name == "srcdoc" }

// disable adds an edit that renames attribute a of t to "data-" and its name, so that browsers
// ignore it. It has no effect if a is the zero Attribute, or if its name is not before its value.
// The error wraps ErrTooLarge if the result becomes too long.
func (p *page) disable(t tag, a markup.Attribute) error {
	if a.Name == "" {
		return nil
	}
	end := a.From
	if end > t.from && (p.text[end-1] == '"' || p.text[end-1] == '\'') {
		end--
	}
	if head := bytes.TrimRight(p.text[t.from:end], htmlSpace); bytes.HasSuffix(head, []byte("=")) {
		end = t.from + len(bytes.TrimRight(head[:len(head)-1], htmlSpace))
	}
	start := end - len(a.Name)
	if start <= t.from || !strings.EqualFold(string(p.text[start:end]), a.Name) {
		return nil
	}
	return p.add(start, start, "data-")
}

const htmlSpace = " \t\r\n\f"

// An innerPage is a page in an attribute srcdoc, and the place of its value.
type innerPage struct {
	page     *page
	from, to int
}

// inner returns the pages in the attributes srcdoc of p, whose base is p.base. It returns nil if
// depth, the number of pages around p, is maxNested.
func (p *page) inner(depth int) []innerPage {
	var all []innerPage
	for _, t := range p.tags {
		a := t.attribute("srcdoc")
		if a.From == a.To || depth == maxNested {
			continue
		}
		text := []byte(markup.Value(p.text[a.From:a.To]))
		inner := newPage(text, p.mode, p.base)
		inner.charset = p.charset
		all = append(all, innerPage{inner, a.From, a.To})
	}
	return all
}

// quoted returns the value of an attribute that starts at offset at, with quotation marks
// unless the page has one before at.
func (p *page) quoted(at int, value string) string {
	if at > 0 && (p.text[at-1] == '"' || p.text[at-1] == '\'') {
		return value
	}
	return `"` + value + `"`
}

// declare adds an edit that inserts a meta element with charset, unless the page declares an
// encoding itself.
func (p *page) declare(charset string) {
	for _, mark := range []string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"} {
		if bytes.HasPrefix(p.text, []byte(mark)) {
			return
		}
	}
	at, isOpen := -1, true // isOpen: the head may still begin
	z := markup.Tokenizer{Text: p.text}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		if t.Kind == markup.Text && len(bytes.TrimLeft(p.text[t.From:t.To], htmlSpace)) == 0 {
			continue
		}
		if t.Kind == markup.StartTag && t.Name == "meta" && tellsCharset(t, p.text) {
			return
		}
		switch {
		case !isOpen:
		case t.Kind == markup.StartTag && t.Name == "html":
			at = t.To
		case t.Kind == markup.StartTag && t.Name == "head":
			at, isOpen = t.To, false
		default:
			isOpen = false
			if at < 0 {
				at = t.From
			}
		}
	}
	if at >= 0 {
		_ = p.add(at, at, `<meta charset="`+escapeAttribute(charset)+`">`) // the next add returns the error, too
	}
}

// tellsCharset reports whether the meta element t declares the encoding of the page. text is
// the text of the page.
func tellsCharset(t markup.Token, text []byte) bool {
	if _, ok := t.Value(text, "charset"); ok {
		return true
	}
	equiv, _ := t.Value(text, "http-equiv")
	content, _ := t.Value(text, "content")
	return strings.EqualFold(equiv, "content-type") && strings.Contains(strings.ToLower(content), "charset=")
}
