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
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"locus/extract"
	"locus/extract/document/internal/asciidoc"
	"locus/extract/document/internal/css"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/gopher"
	"locus/extract/document/internal/html"
	"locus/extract/document/internal/json"
	"locus/extract/document/internal/mail"
	"locus/extract/document/internal/man"
	"locus/extract/document/internal/markdown"
	"locus/extract/document/internal/notebook"
	"locus/extract/document/internal/rst"
	"locus/extract/document/internal/tex"
	"locus/extract/document/internal/xml"
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
	// Limit is how many bytes of a document are read; 64 MiB if 0. Plain text
	// has no limit.
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
var ErrTooLarge = emit.ErrTooLarge

// All yields the matches in a document in the order of their places, and then an
// error if there is one. After [extract.ErrTooLong] there may be more matches. The
// caller may keep them. A document in a *bytes.Buffer is not copied, nor read from it.
func (m Mode) All(r io.Reader, o Options) iter.Seq2[extract.Match, error] {
	if m == Text {
		return extract.All(r, o.Find)
	}
	return func(yield func(extract.Match, error) bool) {
		emit.Read(m.format(), r, o.forFormats(), yield)
	}
}

// format returns the format of the mode.
func (m Mode) format() emit.Format {
	switch m {
	case HTML:
		return html.Read
	case Markdown:
		return markdown.Read
	case XML:
		return xml.Read
	case JSON:
		return json.Read
	case RST:
		return rst.Read
	case Man:
		return man.Read
	case Gopher:
		return gopher.Read
	case Mail:
		return mail.Read(formatOf)
	case CSS:
		return css.Read
	case Asciidoc:
		return asciidoc.Read
	case Notebook:
		return notebook.Read
	case TeX:
		return tex.Read
	}
	return (*emit.Emitter).ReadPlain
}

// formatOf returns the format of a part of a message with a media type; nil if it is plain
// text, or unknown.
func formatOf(mediaType string) emit.Format {
	if m := ByType(mediaType); m != Text {
		return m.format()
	}
	return nil
}

// forFormats returns the options as the formats take them.
func (o Options) forFormats() emit.Options {
	s := emit.Options{
		Find: o.Find, Base: o.URL.String(), References: o.References, SkipCode: o.SkipCode, Roles: o.Roles, Limit: o.Limit,
		Anchor: o.Anchor, Script: o.Script, Content: o.Content, Refresh: o.Refresh,
	}
	if o.Known != nil {
		s.Known = func(text []byte, place, base string, line, column int) bool {
			return o.Known(Known{text, place, base, line, column})
		}
	}
	return s
}
