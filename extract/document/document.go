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
//   - HTML, Markdown: in a value with character references, every URL of a list
//     such as srcset has the place of the whole value.
//   - XML: the names of namespaces are left out. They look like URLs, and nothing
//     need be there.
//   - XML, HTML, CSS: text is read as UTF-8, whatever charset it declares. So in
//     other charsets URLs in ASCII are found, and in UTF-16 none.
//   - Gopher menus: the match of an item is its whole line.
package document

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"math"
	"path"
	"slices"
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

	digestPart Mode = 255 // a part of a digest, which is a message by default
)

var modes = [...]struct {
	name  string
	types string // media types
	ends  string // ends of file names
}{
	Text:     {"text", "text/plain", ""},
	HTML:     {"html", "text/html application/xhtml+xml", ".html .htm .xhtml .shtml"},
	Markdown: {"markdown", "text/markdown text/x-markdown", ".md .markdown .mdown .mkd"},
	XML:      {"xml", "application/xml text/xml application/atom+xml application/rss+xml image/svg+xml", ".xml .atom .rss .rdf .svg .xsd .xsl .xslt .wsdl .opml"},
	JSON:     {"json", "application/json text/json application/ld+json application/x-ndjson application/jsonl", ".json .jsonl .ndjson .jsonld .webmanifest .geojson .ipynb"},
	RST:      {"rst", "text/x-rst text/prs.fallenstein.rst", ".rst .rest"},
	Man:      {"man", "text/troff application/x-troff-man", ".man .mdoc .1 .2 .3 .4 .5 .6 .7 .8 .9"},
	Gopher:   {"gopher", "application/gopher-menu text/gopher-menu application/x-gopher-menu", ".gophermap"},
	Mail:     {"mail", "message/rfc822 message/news message/global", ".eml .mbox .mht .mhtml"},
	CSS:      {"css", "text/css", ".css"},
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
	// Anchor, if not nil, is called with the name of each place that a fragment can
	// name: in HTML the values of id, and of name in an element a.
	Anchor func(name string)
	// Limit is how many bytes of a document are read; 64 MiB if 0. Plain text
	// has no limit.
	Limit int64
}

// ErrTooLarge comes after the matches in a document that is longer than
// Options.Limit.
var ErrTooLarge = errors.New("a document longer than the limit")

// All yields the matches in a document in the order of their places, and then an
// error if there is one. After [extract.ErrTooLong] there may be more matches. The
// caller may keep them.
func (m Mode) All(r io.Reader, o Options) iter.Seq2[extract.Match, error] {
	if m == Text {
		return extract.All(r, o.Find)
	}
	return func(yield func(extract.Match, error) bool) {
		limit := o.Limit
		if limit <= 0 {
			limit = 64 << 20
		}
		limit = min(limit, math.MaxInt64-1)
		buffer := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(buffer)
		buffer.Reset()
		_, err := buffer.ReadFrom(io.LimitReader(r, limit+1))
		text := buffer.Bytes()
		if int64(len(text)) > limit {
			text, err = text[:limit], ErrTooLarge
		}
		d := &document{text: text, options: o, base: o.URL.String()}
		d.read(m)
		d.finish()
		for i, found := range d.matches {
			if !yield(found, d.errs[i]) {
				return
			}
		}
		if err != nil {
			yield(extract.Match{}, err)
		}
	}
}

// buffers hold documents while they are read.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A document is a text that is being read, or a part of one.
type document struct {
	text    []byte
	options Options
	base    string
	depth   int              // how many parts this one is nested in
	scanner *extract.Scanner // shared by all parts; nil until it is needed
	matches []extract.Match
	errs    []error // one for each match
}

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
	default:
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

func (d *document) add(m extract.Match, err error) {
	if m.Base == "" {
		m.Base = d.base
	}
	d.matches, d.errs = append(d.matches, m), append(d.errs, err)
}

func (d *document) plain() {
	find := d.options.Find
	if d.options.References {
		return
	}
	if !find.Bare && !find.Mail && find.Base.IsZero() && bytes.IndexByte(d.text, ':') < 0 {
		return
	}
	if d.scanner == nil {
		d.scanner = extract.NewScanner(nil, find)
	}
	d.scanner.Reset(bytes.NewReader(d.text))
	for {
		m, err := d.scanner.Next()
		if m == nil {
			return // the text is in memory, so its end is the only error
		}
		found := m.Match()
		if d.base != "" {
			found.Base = d.base // instead of Options.Find.Base
		}
		d.add(found, err)
	}
}

// maxDepth is how deep parts may be nested.
const maxDepth = 16

// readPart reads a part of the document in a mode. name becomes the Match.Place
// of matches that have none.
func (d *document) readPart(m Mode, p part, name string) {
	if len(p.text) == 0 || d.depth == maxDepth {
		return
	}
	sub := &document{text: p.text, options: d.options, base: d.base, depth: d.depth + 1, scanner: d.scanner}
	sub.read(m)
	d.scanner = sub.scanner
	for i, found := range sub.matches {
		from, to := p.place(int(found.Offset), int(found.Offset)+found.Length)
		found.Offset, found.Length = int64(from), to-from
		if found.Place == "" {
			found.Place = name
		}
		d.add(found, sub.errs[i])
	}
}

// finish sorts the matches by place, removes those inside references, and sets
// their lines and columns.
func (d *document) finish() {
	order := make([]int, len(d.matches))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := d.matches[i], d.matches[j]
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Kind, a.Kind), cmp.Compare(b.Length, a.Length))
	})
	var matches []extract.Match
	var errs []error
	line, from, counted := 1, 0, 0
	end := int64(0) // of the last reference
	for _, i := range order {
		m := d.matches[i]
		if m.Kind != extract.Reference && m.Offset < end {
			continue
		}
		if m.Kind == extract.Reference {
			end = max(end, m.Offset+int64(m.Length))
		}
		at := int(m.Offset)
		if n := bytes.Count(d.text[counted:at], []byte{'\n'}); n > 0 {
			line += n
			from = counted + bytes.LastIndexByte(d.text[counted:at], '\n') + 1
		}
		counted = at
		m.Line, m.Column = line, at-from+1
		matches, errs = append(matches, m), append(errs, d.errs[i])
	}
	d.matches, d.errs = matches, errs
}
