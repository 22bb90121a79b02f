// Package document finds URLs in structured text: the exact text of each, its
// place, and the base that it is relative to.
//
// Where the structure says that something is a URL, such as an attribute href or
// the target of a link in Markdown, the match is of kind [extract.Reference], and
// may be relative. In the rest of the text, package extract finds the URLs.
//
//	mode := document.ByName("index.html")
//	for m, err := range mode.All(file, document.Options{}) { … }
//
// A document is read whole, up to a limit, and takes a few times its length of
// memory. Plain text is read in constant memory, as by package extract. Broken
// structure is no error: what can be read is read.
//
// Notable divergences:
//   - HTML: the text of an element "a" with href is not searched. It repeats the
//     URL in href, or contradicts it.
//   - XML: the names of namespaces are left out. They look like URLs, and nothing
//     need be there.
//   - XML, HTML, CSS: text is read as UTF-8, whatever charset it declares. So in
//     other charsets URLs in ASCII are found, and in UTF-16 none: see UTF8.
//   - Gopher menus: the match of an item is its whole line.
package document

import (
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"io"
	"iter"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"locus/extract"
	"locus/url"
)

// A Mode is a kind of structure. The zero Mode is plain text.
type Mode uint8

// The modes.
const (
	Text Mode = iota
	HTML
	Markdown
	XML
	JSON
	RST    // reStructuredText
	Man    // manual pages: man(7) and mdoc(7)
	Gopher // menus (RFC 1436)
	Mail   // mail and news articles (RFC 5322, RFC 5536)
	CSS
	Asciidoc
	Notebook // notebooks of Jupyter (nbformat 4)
	TeX

	digestPart Mode = 255 // a part of a digest, which is a message by default
)

var modes = [...]struct {
	name  string
	types string // media types
	ends  string // ends of file names
}{
	Text:     {"text", "text/plain", ""},
	HTML:     {"html", "text/html application/xhtml+xml", ".html .htm .xhtml .shtml"},
	Markdown: {"markdown", "text/markdown text/x-markdown text/mdx", ".md .markdown .mdown .mkd .mdx"},
	XML:      {"xml", "application/xml text/xml application/atom+xml application/rss+xml image/svg+xml", ".xml .atom .rss .rdf .svg .xsd .xsl .xslt .wsdl .opml"},
	JSON:     {"json", "application/json text/json application/ld+json application/x-ndjson application/jsonl", ".json .jsonl .ndjson .jsonld .webmanifest .geojson"},
	RST:      {"rst", "text/x-rst text/prs.fallenstein.rst", ".rst .rest"},
	Man:      {"man", "text/troff application/x-troff-man", ".man .mdoc .1 .2 .3 .4 .5 .6 .7 .8 .9"},
	Gopher:   {"gopher", "application/gopher-menu text/gopher-menu application/x-gopher-menu", ".gophermap"},
	Mail:     {"mail", "message/rfc822 message/news message/global", ".eml .mbox .mht .mhtml"},
	CSS:      {"css", "text/css", ".css"},
	Asciidoc: {"asciidoc", "text/asciidoc text/x-asciidoc", ".adoc .asciidoc"},
	Notebook: {"ipynb", "application/x-ipynb+json", ".ipynb"},
	TeX:      {"tex", "text/x-tex application/x-tex application/x-latex", ".tex .ltx .sty .bib"},
}

// String returns the name of the mode, such as "html".
func (m Mode) String() string {
	if int(m) < len(modes) {
		return modes[m].name
	}
	return "unknown"
}

// ByString returns the mode of that name, such as "html".
func ByString(name string) (Mode, bool) {
	for m := range modes {
		if modes[m].name == name {
			return Mode(m), true
		}
	}
	return Text, false
}

// ByType returns the mode for a media type, which may have parameters; Text if no
// other mode fits.
func ByType(mediaType string) Mode {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	mediaType = strings.TrimSpace(mediaType)
	for m := range modes {
		if slices.Contains(strings.Fields(modes[m].types), mediaType) {
			return Mode(m)
		}
	}
	switch {
	case strings.HasSuffix(mediaType, "+xml"):
		return XML
	case strings.HasSuffix(mediaType, "+json"):
		return JSON
	}
	return Text
}

// ByName returns the mode for the name of a file, by its extension; Text if no
// other mode fits.
func ByName(file string) Mode {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, "\\", "/")))
	if base == "gophermap" {
		return Gopher
	}
	for m := range modes {
		if slices.Contains(strings.Fields(modes[m].ends), path.Ext(base)) {
			return Mode(m)
		}
	}
	return Text
}

// Options say how a document is read.
type Options struct {
	// Find says what to find in text without structure.
	Find extract.Options
	// URL is where the document came from; the zero URL if unknown. It is the
	// Base of the matches, unless the document sets another.
	URL url.URL
	// References means that only references are found, and no URLs in text.
	References bool
	// SkipCode means that no URLs are found in code, literal text and comments, as the
	// structure marks them. A link in an element code or pre of HTML is found.
	SkipCode bool
	// Roles means that the targets of roles of Sphinx are found in reStructuredText, and the
	// files that it includes. Match.Place is "role", a space, and ref, numref, doc, download
	// or include. The text of ref and numref is a label, and no URL.
	Roles bool
	// Limit is how many bytes of a document are read; 0: 64 MiB, negative: no limit.
	// Plain text has no limit.
	Limit int64

	// These functions, if not nil, are called while the document is read.

	// Anchor is called with the name of each place that a fragment can name: in HTML
	// the values of id, and of name in an element a; in Markdown, AsciiDoc and
	// reStructuredText explicit names, and for each heading all the names that GitHub,
	// Hugo, Sphinx, MkDocs or Asciidoctor give it. In reStructuredText also the ids of what
	// directives of Sphinx describe, such as py:function.
	Anchor func(name string)
	// Script is called for each script of HTML.
	Script func()
	// Content is called with the text of HTML that a browser shows, piece by piece. A
	// space stands for each tag that begins or ends a block. If it returns false, it is
	// not called again.
	Content func(text string) (more bool)
	// Refresh is called for each meta element of HTML that leads to another page after
	// some seconds, with the text of its URL and the base of that.
	Refresh func(seconds int, to, base string)
	// Known is called for each reference in an attribute href or src of HTML that has no
	// character reference, but not for those in a part, such as srcdoc. It is called after the
	// matches before it. If it returns true, there is no match for the reference: so a caller
	// who knows the text needs no copy of it.
	Known func(r Known) bool
}

// Known is a reference of which the caller may know what to do with it. For its fields see
// extract.Match.
type Known struct {
	Text         []byte // valid while it is looked at
	Place, Base  string
	Line, Column int
}

// ErrTooLarge comes after the matches in a document that is longer than
// Options.Limit.
var ErrTooLarge = errors.New("a document longer than the limit")

// All yields the matches in a document in the order of their places, and then an
// error if there is one. After [extract.ErrTooLong] there may be more matches. The
// caller may keep them. A document in a *bytes.Buffer is not copied, nor read from it.
func (m Mode) All(r io.Reader, o Options) iter.Seq2[extract.Match, error] {
	if m == Text {
		return extract.All(r, o.Find)
	}
	return func(yield func(extract.Match, error) bool) {
		limit := cmp.Or(o.Limit, 64<<20)
		if limit < 0 {
			limit = math.MaxInt64
		}
		limit = min(limit, math.MaxInt64-1)
		b := buffers.Get().(*buffer)
		text, err := b.read(r, limit)
		d := &document{text: text, options: o, base: o.URL.String(), run: &run{yield: yield, texts: &b.texts}, matches: b.matches[:0], errs: b.errs[:0]}
		defer func() { b.keep(d) }()
		d.read(m)
		d.flush()
		if err != nil && !d.run.isStopped {
			yield(extract.Match{}, err)
		}
	}
}

// A buffer holds a document and its matches while it is read.
type buffer struct {
	text    []byte
	matches []extract.Match
	errs    []error
	texts   recentTexts
}

// buffers are reused. Larger texts than maxKeptBuffer are not kept.
var buffers = sync.Pool{New: func() any {
	return &buffer{text: make([]byte, 0, 64<<10), texts: recentTexts{seed: maphash.MakeSeed()}}
}}

const maxKeptBuffer = 4 << 20

// read returns the text of a document of up to limit bytes. The error may be ErrTooLarge.
func (b *buffer) read(r io.Reader, limit int64) ([]byte, error) {
	if whole, ok := r.(*bytes.Buffer); ok {
		if text := whole.Bytes(); int64(len(text)) > limit {
			return text[:limit], ErrTooLarge
		}
		return whole.Bytes(), nil
	}
	text, err := readAll(r, b.text[:0], limit)
	if cap(text) <= maxKeptBuffer {
		b.text = text
	}
	return text, err
}

// keep keeps the memory of the matches for the next document.
func (b *buffer) keep(d *document) {
	if cap(d.matches) <= 2*flushAt {
		clear(d.matches[:cap(d.matches)]) // their texts are not kept
		clear(d.errs[:cap(d.errs)])
		b.matches, b.errs = d.matches, d.errs
	}
	buffers.Put(b)
}

// readAll appends all that r has to text. If text is then longer than limit, the result is its
// first limit bytes and ErrTooLarge.
func readAll(r io.Reader, text []byte, limit int64) ([]byte, error) {
	for {
		if len(text) == cap(text) {
			text = append(make([]byte, 0, min(int64(cap(text))*3/2, limit+1)), text...)
		}
		n, err := r.Read(text[len(text):min(int64(cap(text)), limit+1)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > limit:
			return text[:limit], ErrTooLarge
		case errors.Is(err, io.EOF):
			return text, nil
		case err != nil:
			return text, err
		}
	}
}

// A document is a text that is being read, or a part of one.
type document struct {
	text    []byte
	options Options
	base    string
	depth   int // how many parts this one is nested in
	run     *run
	parent  func(extract.Match, error) // takes the matches of a part
	skipped []interval                 // in order; no URLs are found there as text

	// inOrder means that matches are added in the order of their places.
	inOrder bool
	matches []extract.Match
	errs    []error // one for each match

	finished lineCounter // where finish stopped
	end      int64       // of the last reference of finish
	known    lineCounter // of Options.Known
}

// A lineCounter counts the lines of a text.
type lineCounter struct {
	lines int // the line breaks before at
	from  int // the place of the line that at is in
	at    int // how far was counted
}

// count returns the line and the column of a place. It is quick if the place is after the last
// one, and not far.
func (c *lineCounter) count(text []byte, at int) (line, column int) {
	if at < c.at {
		*c = lineCounter{}
	}
	if n := bytes.Count(text[c.at:at], []byte{'\n'}); n > 0 {
		c.lines += n
		c.from = c.at + bytes.LastIndexByte(text[c.at:at], '\n') + 1
	}
	c.at = at
	return c.lines + 1, at - c.from + 1
}

// A run is what a document and its parts share while they are read.
type run struct {
	yield     func(extract.Match, error) bool
	isStopped bool // yield returned false
	places    map[[2]string]string
	last      struct{ element, attribute, place string } // of places
	scanner   *extract.Scanner                           // nil until it is needed
	names     headingNames
	texts     *recentTexts
}

// place returns the Match.Place for an attribute of an element.
func (r *run) place(element, attribute string) string {
	if r.last.element == element && r.last.attribute == attribute && r.last.place != "" {
		return r.last.place
	}
	key := [2]string{element, attribute}
	place, ok := r.places[key]
	if !ok {
		place = element + " " + attribute
		if r.places == nil {
			r.places = map[[2]string]string{}
		}
		if len(r.places) < maxPlaces {
			r.places[key] = place
		}
	}
	r.last.element, r.last.attribute, r.last.place = element, attribute, place
	return place
}

// maxPlaces is how many places are remembered.
const maxPlaces = 256

// An interval is a range of a text.
type interval struct{ from, to int }

func (d *document) read(m Mode) {
	switch m {
	case HTML:
		d.html()
	case Markdown:
		d.markdown()
	case XML:
		d.xml()
	case JSON:
		d.json()
	case RST:
		d.rst()
	case Man:
		d.man()
	case Gopher:
		d.gopher()
	case Mail:
		d.mail("text/plain")
	case digestPart:
		d.mail("message/rfc822")
	case CSS:
		d.css()
	case Asciidoc:
		d.asciidoc()
	case Notebook:
		d.notebook()
	case TeX:
		d.tex()
	default:
		d.inOrder = true
		d.plain()
	}
}

// addReference adds a reference with a text, which stands from one place to
// another. An empty text adds nothing. name becomes Match.Place.
func (d *document) addReference(from, to int, text, name string) {
	if text == "" {
		return
	}
	d.add(extract.Match{Offset: int64(from), Length: to - from, Text: text, Kind: extract.Reference, Place: name}, nil)
}

// Matches are handed on when there are flushAt of them. More are kept if they have one
// place, up to maxKept.
const (
	flushAt = 64
	maxKept = 4096
)

func (d *document) add(m extract.Match, err error) {
	if m.Base == "" {
		m.Base = d.base
	}
	d.matches, d.errs = append(d.matches, m), append(d.errs, err)
	n := len(d.matches)
	switch {
	case !d.inOrder || n < flushAt:
	case d.matches[n-2].Offset < m.Offset:
		d.flushBefore(m.Offset)
	case n >= maxKept:
		d.flush()
	}
}

// flushBefore hands on the matches before a place, which are complete.
func (d *document) flushBefore(at int64) {
	n := len(d.matches)
	for n > 0 && d.matches[n-1].Offset >= at {
		n--
	}
	matches, errs := d.matches, d.errs
	d.matches, d.errs = matches[:n:n], errs[:n:n]
	d.flush()
	d.matches, d.errs = append(matches[:0], matches[n:]...), append(errs[:0], errs[n:]...)
}

// flush hands the matches on: those of a part to the document that it is in, those of
// the document to the caller.
func (d *document) flush() {
	if d.parent == nil || !d.inOrder {
		d.finish()
	}
	for i, found := range d.matches {
		switch {
		case d.parent != nil:
			d.parent(found, d.errs[i])
		case !d.run.isStopped:
			d.run.isStopped = !d.run.yield(found, d.errs[i])
		}
	}
	d.matches, d.errs = d.matches[:0], d.errs[:0]
}

func (d *document) plain() { d.plainIn(0, len(d.text)) }

// plainIn finds URLs in a range of the text.
func (d *document) plainIn(from, to int) {
	text := d.text[from:to]
	if !d.mayHaveURLs(text) {
		return
	}
	if d.run.scanner == nil {
		d.run.scanner = extract.NewScanner(nil, d.options.Find)
	}
	d.run.scanner.Reset(bytes.NewReader(text))
	for !d.run.isStopped {
		m, err := d.run.scanner.Next()
		if m == nil {
			return // the text is in memory, so its end is the only error
		}
		if d.isSkipped(from + int(m.Offset)) {
			continue
		}
		found := m.Match()
		found.Offset += int64(from)
		if d.base != "" {
			found.Base = d.base // instead of Options.Find.Base
		}
		d.add(found, err)
	}
}

// mayHaveURLs reports whether URLs may be found in a text without structure.
func (d *document) mayHaveURLs(text []byte) bool {
	find := d.options.Find
	if d.options.References || len(text) == 0 {
		return false
	}
	return find.Bare || find.Mail || !find.Base.IsZero() || bytes.IndexByte(text, ':') >= 0
}

// isSkipped reports whether no URL is found as text at a place.
func (d *document) isSkipped(at int) bool {
	n := sort.Search(len(d.skipped), func(n int) bool { return d.skipped[n].to > at })
	return n < len(d.skipped) && d.skipped[n].from <= at
}

// skip adds a range to skipped.
func (d *document) skip(from, to int) {
	n := len(d.skipped)
	switch {
	case n > 0 && from < d.skipped[n-1].from:
		at := sort.Search(n, func(n int) bool { return d.skipped[n].from > from })
		d.skipped = slices.Insert(d.skipped, at, interval{from, to})
	case n > 0 && from <= d.skipped[n-1].to:
		d.skipped[n-1].to = max(d.skipped[n-1].to, to)
	default:
		d.skipped = append(d.skipped, interval{from, to})
	}
}

// maxDepth is how deep parts may be nested.
const maxDepth = 16

// readPart reads a part of the document in a mode. name becomes the Match.Place
// of matches that have none.
func (d *document) readPart(m Mode, p part, name string) {
	if m == Text && !d.mayHaveURLs(p.text) {
		return
	}
	d.nested(p, name, func(sub *document) { sub.read(m) })
}

// nested calls read with a document that is a part of d.
func (d *document) nested(p part, name string, read func(sub *document)) {
	if len(p.text) == 0 || d.depth == maxDepth || d.run.isStopped {
		return
	}
	sub := &document{text: p.text, options: d.options, base: d.base, depth: d.depth + 1, run: d.run}
	sub.parent = func(found extract.Match, err error) {
		from, to := p.place(int(found.Offset), int(found.Offset)+found.Length)
		found.Offset, found.Length = int64(from), to-from
		if found.Place == "" {
			found.Place = name
		}
		d.add(found, err)
	}
	read(sub)
	sub.flush()
}

// finish sorts the matches by place, removes those inside references, and sets
// their lines and columns. Later calls continue after the last match.
func (d *document) finish() {
	d.sort()
	n := 0
	for i := range d.matches {
		m := &d.matches[i]
		if m.Kind != extract.Reference && m.Offset < d.end {
			continue
		}
		if m.Kind == extract.Reference {
			d.end = max(d.end, m.Offset+int64(m.Length))
		}
		m.Line, m.Column = d.finished.count(d.text, int(m.Offset))
		if n != i {
			d.matches[n], d.errs[n] = *m, d.errs[i]
		}
		n++
	}
	d.matches, d.errs = d.matches[:n], d.errs[:n]
}

// sort sorts the matches by place, and those in one place by what finish keeps.
func (d *document) sort() {
	compare := func(a, b *extract.Match) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Kind, a.Kind), cmp.Compare(b.Length, a.Length))
	}
	isSorted := true
	for i := 1; i < len(d.matches) && isSorted; i++ {
		isSorted = compare(&d.matches[i-1], &d.matches[i]) <= 0
	}
	if isSorted {
		return
	}
	order := make([]int, len(d.matches))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return compare(&d.matches[order[i]], &d.matches[order[j]]) < 0 })
	matches, errs := make([]extract.Match, len(order)), make([]error, len(order))
	for i, from := range order {
		matches[i], errs[i] = d.matches[from], d.errs[from]
	}
	d.matches, d.errs = matches, errs
}
