// Package html reads HTML.
package html

import (
	"bytes"
	"html"
	"math"
	"strconv"
	"strings"

	"locus/extract/document/internal/css"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/json"
	"locus/internal/lazy"
	"locus/internal/markup"
)

// nameSets holds sets of names of elements and attributes.
type nameSets struct {
	urls    *markup.Names // attributes that hold a URL in some element
	lists   *markup.Names // attributes that hold several URLs, separated by white space; archive of an applet may have commas instead
	sources *markup.Names // attributes that hold image candidates
	read    *markup.Names // all attributes that are read for URLs
	wanted  *markup.Names // all attributes that the tokenizer must report
	inline  *markup.Names // elements that do not separate the words around them
}

// names holds the sets. They are made once.
var names = lazy.Value[*nameSets]{Make: func() *nameSets {
	const urls = "href src poster data action formaction cite background longdesc manifest profile classid codebase usemap lowsrc" +
		" dynsrc xlink:href icon itemid itemtype data-src data-href ping archive srcset imagesrcset data-srcset"
	return &nameSets{
		urls:    markup.NewNames(urls),
		lists:   markup.NewNames("ping archive itemtype profile"),
		sources: markup.NewNames("srcset imagesrcset data-srcset"),
		read:    markup.NewNames(urls + " style srcdoc content"),
		wanted:  markup.NewNames(urls + " style srcdoc content id name rel property http-equiv itemprop type method formmethod"),
		inline: markup.NewNames("a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb ruby s samp" +
			" small span strike strong sub sup time tt u var wbr"),
	}
}}

// Read reads HTML: the attributes, the styles and the text. It is an emit.Format.
func Read(d *emit.Emitter) {
	d.InOrder = true
	d.Declare(charsetOf(d.Text))
	h := reader{Emitter: d}
	z := markup.Tokenizer{Text: d.Text}
	skipText := func() {
		if h.ignoresText() {
			z.Wanted = names.Get().wanted
		}
	}
	skipText()
	for t := (markup.Token{}); !d.IsStopped() && z.Read(&t); {
		switch t.Kind {
		case markup.Text:
			h.betweenTags(t)
			skipText()
		case markup.StartTag:
			h.start(&t)
		case markup.EndTag:
			h.end(t.Name)
		}
	}
}

// innerHTML is Read for HTML that a browser does not show as a part of the page, such as the value of srcdoc. It does
// not call Options.Script, Content and Refresh.
func innerHTML(d *emit.Emitter) {
	d.Options.Script, d.Options.Content, d.Options.Refresh = nil, nil, nil
	Read(d)
}

// A reader keeps track of the open elements of a document.
type reader struct {
	*emit.Emitter
	hasBase bool
	inLink  bool // in an element a with a URL
	isPost  bool // the last form is not sent with GET
	code    int  // the number of open elements that hold code
	hidden  int  // the number of open elements whose text is not shown

	readScript emit.Format // reads the content of the open script; nil if it is a program
}

// ignoresText reports whether the text between tags is neither searched for URLs nor given to Options.Content.
func (h *reader) ignoresText() bool { return h.Options.References && h.Options.Content == nil }

// start reads a start tag and its attributes.
func (h *reader) start(t *markup.Token) {
	h.showBlock(t.Name)
	if t.Name == "form" {
		h.isPost = isPost(attributeValue(h.Emitter, t, "method"))
	}
	for i := range t.Attributes {
		h.readAttribute(t, t.Attributes[i])
	}
	switch {
	case t.Name == "script":
		h.readScript = scripts.Get()[strings.ToLower(strings.TrimSpace(attributeValue(h.Emitter, t, "type")))]
		if h.readScript == nil && h.Options.Script != nil {
			h.Options.Script()
		}
	case t.SelfClosing && !isVoid(t.Name): // in foreign elements, such as the elements of SVG
	case t.Name == "a":
		h.inLink = hasValue(t, "href") || hasValue(t, "xlink:href")
	case t.Name == "base" && !h.hasBase:
		if href, ok := t.Value(h.Text, "href"); ok {
			h.hasBase = true
			h.SetBase(href)
		}
	case IsCodeElement(t.Name):
		h.code++
	case t.Name == "head" || t.Name == "template":
		h.hidden++
	case t.Name == "body":
		h.hidden = 0
	}
}

// end reads an end tag, which closes the innermost open element of the same kind.
func (h *reader) end(name string) {
	h.showBlock(name)
	switch {
	case name == "a":
		h.inLink = false
	case IsCodeElement(name):
		h.code = max(h.code-1, 0)
	case name == "head" || name == "template":
		h.hidden = max(h.hidden-1, 0)
	}
}

// IsCodeElement reports whether the text of an element is code, keyboard input or sample output.
func IsCodeElement(name string) bool {
	return name == "code" || name == "pre" || name == "samp" || name == "kbd"
}

// isVoid reports whether the named element never has an end tag. It knows only the elements that start treats
// specially.
func isVoid(name string) bool { return name == "base" }

// showBlock gives a space to Options.Content, unless it is nil, if the named element begins or ends a block.
func (h *reader) showBlock(name string) {
	if h.Options.Content != nil && !names.Get().inline.Has(name) && !h.Options.Content(" ") {
		h.Options.Content = nil
	}
}

// betweenTags gives the text between two tags to Options.Content, and searches it for URLs. Text of an element such as
// style or noscript is read in the format of the element.
func (h *reader) betweenTags(t markup.Token) {
	if h.Options.Content != nil && (t.Name == "" || t.Name == "textarea") && h.hidden == 0 {
		for from, to := range emit.Spaced(h.Text, t.From, t.To) {
			if !h.Options.Content(html.UnescapeString(string(h.Text[from:to]))) {
				h.Options.Content = nil
				break
			}
		}
	}
	switch t.Name {
	case "style":
		h.Nested(emit.Slice(h.Text, t.From, t.To), "", css.Read)
		return
	case "noscript", "noframes", "noembed":
		h.Nested(emit.Slice(h.Text, t.From, t.To), "", innerHTML)
		return
	case "script":
		if h.readScript != nil {
			h.Nested(emit.Slice(h.Text, t.From, t.To), "", h.readScript)
		}
		return
	}
	if h.Options.References || h.inLink || h.Options.SkipCode && (h.code > 0 || t.Name == "xmp") {
		return
	}
	switch t.Name {
	case "xmp", "iframe", "plaintext":
		h.ReadText(emit.Slice(h.Text, t.From, t.To), "")
	default:
		for from, to := range emit.Spaced(h.Text, t.From, t.To) {
			h.ReadText(emit.Decoded(h.Text, from, to, markup.ResolveInText), "")
		}
	}
}

// scripts are the formats of scripts that are data and hold URLs or HTML, by their types.
var scripts = lazy.Value[map[string]emit.Format]{Make: func() map[string]emit.Format {
	return map[string]emit.Format{
		"application/json":    readData,
		"application/ld+json": json.ReadLinkedData,
		"importmap":           json.ReadImportMap,
		"speculationrules":    json.ReadSpeculation,
	}
}}

// readData reads data from which a script makes a part of the page. It gives the names of the elements to
// Options.Anchor if a string of the data is HTML. It is an emit.Format.
//
// QUIRK: GitHub sends a page with a document in this form.
func readData(d *emit.Emitter) {
	if d.Options.Anchor == nil {
		return
	}
	json.EachValue(d.Text, func(raw []byte) {
		if !bytes.Contains(raw, []byte("id")) && !bytes.Contains(raw, []byte("name")) { // the "=" may be escaped
			return
		}
		z := markup.Tokenizer{Text: emit.ReplaceEscapes(raw, 0, '\\', json.UnescapeJSON).Text, Wanted: names.Get().wanted}
		for t := (markup.Token{}); z.Read(&t); {
			for _, a := range t.Attributes {
				if t.Kind == markup.StartTag && isAnchor(t.Name, a.Name) {
					d.Options.Anchor(markup.Value(z.Text[a.From:a.To]))
				}
			}
		}
	})
}

// isAnchor reports whether the named attribute of the named element holds a name that a fragment can have.
func isAnchor(element, attribute string) bool {
	return attribute == "id" || attribute == "name" && element == "a"
}

// isPost reports whether a form with this method attribute is not sent with GET, so that its address need not be a
// page. It is true for post and dialog.
func isPost(method string) bool {
	method = strings.TrimSpace(method)
	return strings.EqualFold(method, "post") || strings.EqualFold(method, "dialog")
}

// hasValue reports whether a tag has the named attribute with a value that is not empty.
func hasValue(t *markup.Token, name string) bool {
	for _, a := range t.Attributes {
		if a.Name == name {
			return a.From < a.To
		}
	}
	return false
}

// attributeValue returns the decoded value of the named attribute of the tag t, or "" if t does not have the attribute.
func attributeValue(d *emit.Emitter, t *markup.Token, name string) string {
	value, _ := t.Value(d.Text, name)
	return value
}

// readAttribute reads the attribute a of the tag t. It gives an id or a name to Options.Anchor, adds the URLs in the
// value, or reads the value as CSS or HTML.
func (h *reader) readAttribute(t *markup.Token, a markup.Attribute) {
	d := h.Emitter
	if a.Name == "class" { // return early, because most attributes are of this name
		return
	}
	if d.Options.Anchor != nil && isAnchor(t.Name, a.Name) {
		d.Options.Anchor(markup.Value(d.Text[a.From:a.To]))
	}
	switch {
	case a.From == a.To || a.Name == "id":
		return
	case isLink(a.Name) && bytes.IndexByte(d.Text[a.From:a.To], '&') < 0:
		plainLink(d, a, h.placeOf(t, a.Name))
		return
	case !names.Get().read.Has(a.Name):
		return
	}
	where := h.placeOf(t, a.Name)
	if a.Name == "style" {
		if p := emit.Decoded(d.Text, a.From, a.To, markup.ResolveInAttribute); css.MayHaveURL(p.Text) {
			d.Nested(p, "", css.Read)
		}
		return
	}
	p := emit.Decoded(d.Text, a.From, a.To, markup.ResolveInAttribute)
	value := string(p.Text)
	each := func(at int, text string) {
		from, to := p.Place(at, at+len(text))
		d.AddReference(from, to, strings.ReplaceAll(text, "\x00", "\ufffd"), where)
	}
	switch {
	case a.Name == "srcdoc":
		d.Nested(p, where, innerHTML)
	case a.Name == "content" && t.Name == "meta":
		if hasWord(attributeValue(d, t, "property"), "og:url") {
			where = "meta canonical"
		}
		readMeta(d, t, value, each)
	case !names.Get().urls.Has(a.Name), a.Name == "data" && t.Name != "object", a.Name == "icon" && t.Name != "command":
	case names.Get().sources.Has(a.Name):
		candidates(value, each)
	case a.Name == "archive" && t.Name == "applet":
		Fields(value, markup.Space+",", each)
	case names.Get().lists.Has(a.Name):
		Fields(value, markup.Space, each)
	default:
		eachTrimmed(value, each)
	}
}

// isLink reports whether an attribute holds exactly one URL, whatever the element and its other attributes are.
func isLink(attribute string) bool { return attribute == "href" || attribute == "src" }

// placeOf returns the Match.Place for an attribute of a tag: the names of the element and the attribute, such as "a
// href". For links and forms with special effects it is "link canonical", a place of placeOfRelation, "form post" or,
// for a formaction, the element and "post".
func (h *reader) placeOf(t *markup.Token, attribute string) string {
	switch attribute {
	case "action":
		if h.isPost && t.Name == "form" {
			return "form post"
		}
	case "formaction":
		method, ok := t.Value(h.Text, "formmethod")
		if ok && isPost(method) || !ok && h.isPost {
			return h.AttributePlace(t.Name, "post")
		}
	}
	if attribute == "href" && t.Name == "link" {
		rel := attributeValue(h.Emitter, t, "rel")
		if hasWord(rel, "canonical") {
			return "link canonical"
		}
		if place := placeOfRelation(rel); place != "" {
			return place
		}
	}
	return h.AttributePlace(t.Name, attribute)
}

// plainLink adds the URL in the attribute a, whose value has no character references, with where as Match.Place.
// Because the URL is a range of the document, AddLink may avoid a copy.
func plainLink(d *emit.Emitter, a markup.Attribute, where string) {
	from, to := a.From, a.To
	for from < to && markup.IsSpace(d.Text[from]) {
		from++
	}
	for to > from && markup.IsSpace(d.Text[to-1]) {
		to--
	}
	text := d.Text[from:to]
	if bytes.IndexByte(text, 0) >= 0 {
		text = bytes.ReplaceAll(text, []byte{0}, []byte("\ufffd"))
	}
	d.AddLink(from, to, text, where)
}

// eachTrimmed calls each once, with the text without the white space around it and with its offset in text.
func eachTrimmed(text string, each func(int, string)) {
	rest := strings.TrimLeft(text, markup.Space)
	each(len(text)-len(rest), strings.TrimRight(rest, markup.Space))
}

// readMeta calls each with the URL in content, the attribute of the meta element t, and with its offset in content. It
// does so for a refresh, which it also gives to Options.Refresh, and for a property whose value is a URL, such as
// og:image.
func readMeta(d *emit.Emitter, t *markup.Token, content string, each func(at int, u string)) {
	if strings.EqualFold(attributeValue(d, t, "http-equiv"), "refresh") {
		at, seconds, to := Refresh(content)
		each(at, to)
		if d.Options.Refresh != nil && to != "" {
			d.Options.Refresh(seconds, to, d.Base)
		}
		return
	}
	names := strings.ToLower(attributeValue(d, t, "property") + " " + attributeValue(d, t, "name") + " " + attributeValue(d, t, "itemprop"))
	for name := range strings.FieldsSeq(names) {
		for _, end := range []string{"url", "secure_url", "image", "video", "audio", "image:src", "player", "site_name_url"} {
			if strings.HasSuffix(name, ":"+end) || name == end {
				eachTrimmed(content, each)
				return
			}
		}
	}
}

// placeOfRelation returns the Match.Place for the href of a link element whose rel has only words for links that lead
// neither to a page nor to a file; "" for any other link. A "link hint" names a server that the page will need, a
// "link post" receives data, and a "link profile" is the name of a vocabulary.
func placeOfRelation(rel string) (place string) {
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		of, ok := relations.Get()[word]
		if !ok && strings.HasPrefix(word, "schema.") { // RFC 2731 §5
			of, ok = "link profile", true
		}
		if !ok {
			return ""
		}
		if place == "" {
			place = of
		}
	}
	return place
}

// relations are the words of rel that placeOfRelation knows, with their places.
//
// QUIRK: WordPress names its endpoint for pingbacks in every page, and the endpoint answers GET with 405.
var relations = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"preconnect":   "link hint",
		"dns-prefetch": "link hint",
		"pingback":     "link post",
		"webmention":   "link post",
		"micropub":     "link post",
	}
}}

// hasWord reports whether a list of words contains a word, which is in lower case. The case of the list does not
// matter.
func hasWord(list, word string) bool {
	for each := range strings.FieldsSeq(strings.ToLower(list)) {
		if each == word {
			return true
		}
	}
	return false
}

// refreshSeconds returns the number at the start of content, the seconds after which a page is refreshed (HTML
// §4.2.5.3). It returns 0 if content does not start with a digit, and math.MaxInt if the number is too large.
func refreshSeconds(content string) int {
	text := strings.TrimLeft(content, markup.Space)
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	seconds, err := strconv.Atoi(text[:digits])
	if digits > 0 && err != nil {
		return math.MaxInt
	}
	return seconds
}

// Refresh parses the content of a refresh, such as "5; url=/next" (HTML §4.2.5.3, shared declarative refresh steps). It
// returns the URL, which may be in quotation marks, as to, its offset in content as at, and the seconds after which it
// is opened. to is "" if content has no URL. It is also "" if content does not begin with a number, or if no space, ";"
// or "," follows the number, because browsers ignore such a refresh.
func Refresh(content string) (at, seconds int, to string) {
	seconds = refreshSeconds(content)
	start := strings.TrimLeft(content, markup.Space)
	rest := strings.TrimLeft(start, "0123456789.")
	hasNumber := len(rest) < len(start)
	if !hasNumber || rest != "" && !strings.Contains(markup.Space+";,", rest[:1]) {
		return len(content) - len(rest), seconds, ""
	}
	rest = strings.TrimLeft(rest, markup.Space)
	if strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ",") {
		rest = strings.TrimLeft(rest[1:], markup.Space)
	}
	if len(rest) >= len("url") && strings.EqualFold(rest[:len("url")], "url") {
		if value, ok := strings.CutPrefix(strings.TrimLeft(rest[len("url"):], markup.Space), "="); ok {
			rest = strings.TrimLeft(value, markup.Space)
		}
	}
	at = len(content) - len(rest)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		to, _, _ = strings.Cut(rest[1:], rest[:1])
		return at + 1, seconds, to
	}
	return at, seconds, strings.TrimRight(rest, markup.Space)
}

// Fields calls each with every field of text and the field's offset in text. The fields are separated by runs of the
// characters that the text between contains.
func Fields(text, between string, each func(int, string)) {
	at := 0
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		at += strings.Index(text[at:], field)
		each(at, field)
		at += len(field)
	}
}

// candidates calls each with the URL of every image candidate in text, the value of a srcset, and with the URL's offset
// in text.
func candidates(text string, each func(int, string)) {
	for at := 0; at < len(text); {
		if markup.IsSpace(text[at]) || text[at] == ',' {
			at++
			continue
		}
		end := at
		for end < len(text) && !markup.IsSpace(text[end]) {
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
