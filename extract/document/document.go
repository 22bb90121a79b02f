// Package document finds URLs in structured text: the exact text of each, its place, and the base that it is relative
// to.
//
// Where the structure marks text as a URL, such as an attribute href or the target of a link in Markdown, the match
// is of kind [extract.Reference], and may be relative. In the rest of the text, package extract finds the URLs.
//
//	mode := document.ByName("index.html")
//	for m, err := range mode.All(file, document.Options{}) { … }
//
// A document is read whole, up to a limit, and takes a few times its length of memory. Plain text is read in constant
// memory, as by package extract. Broken structure is not an error: document reads as much as it can.
//
// Notable divergences:
//   - HTML: the text of an element "a" with href is not searched, because it repeats the URL in href, or contradicts
//     it.
//   - XML: the names of namespaces are left out. They look like URLs, but need not lead to a resource.
//   - XML, HTML, CSS: text is read as UTF-8, whatever charset it declares. In other charsets that extend ASCII, all
//     references are found, and Match.Charset names the charset if the server, HTML or XML does. Text in UTF-16 must be
//     converted first: see UTF8.
//   - Gopher menus: the match of an item is its whole line.
package document

import (
	"bytes"
	"io"
	"iter"
	"mime"
	"path"
	"slices"
	"strings"

	"locus/extract"
	"locus/extract/document/dialect"
	"locus/extract/document/internal/asciidoc"
	"locus/extract/document/internal/calendar"
	"locus/extract/document/internal/css"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/gemtext"
	"locus/extract/document/internal/gopher"
	"locus/extract/document/internal/html"
	"locus/extract/document/internal/json"
	"locus/extract/document/internal/mail"
	"locus/extract/document/internal/man"
	"locus/extract/document/internal/markdown"
	"locus/extract/document/internal/notebook"
	"locus/extract/document/internal/org"
	"locus/extract/document/internal/rst"
	"locus/extract/document/internal/tex"
	"locus/extract/document/internal/xml"
	"locus/url"
)

// How the pieces work together:
//
// [Mode.All] chooses the emit.Format of the mode, a function of one of the packages in internal, and calls it with an
// emit.Emitter that has the text. The function parses the structure. It adds the references to the Emitter, and asks
// the Emitter to search the rest of the text, for which the Emitter uses an extract.Scanner. The Emitter sorts the
// matches, drops plain matches inside references, counts lines, and yields.
//
// A format reads a part in another format through Emitter.Nested, which converts offsets in the part to offsets in
// the document: HTML reads styles as CSS, Markdown reads tags as HTML. Package mail gets formatOf for the parts of a
// message, because only this package knows all formats.

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
	Calendar // iCalendar (RFC 5545) and vCard (RFC 6350)
	Org      // Org mode
	Manifest // manifests of web applications
	Gemtext  // pages of Gemini
)

var modes = [...]struct {
	name  string
	types string // media types
	ends  string // extensions of file names
}{
	Text:     {"text", "text/plain", ""},
	HTML:     {"html", "text/html application/xhtml+xml", ".html .htm .xhtml .shtml"},
	Markdown: {"markdown", "text/markdown text/x-markdown text/mdx", ".md .markdown .mdown .mdwn .mkd .mkdn .mkdown .mdx .qmd .rmd .rmarkdown"},
	XML:      {"xml", "application/xml text/xml application/atom+xml application/rss+xml image/svg+xml", ".xml .atom .rss .rdf .svg .xsd .xsl .xslt .wsdl .opml"},
	JSON:     {"json", "application/json text/json application/ld+json application/x-ndjson application/jsonl", ".json .jsonl .ndjson .jsonld .geojson"},
	RST:      {"rst", "text/x-rst text/prs.fallenstein.rst", ".rst .rest"},
	Man:      {"man", "text/troff application/x-troff-man", ".man .mdoc .1 .2 .3 .4 .5 .6 .7 .8 .9"},
	Gopher:   {"gopher", "application/gopher-menu text/gopher-menu application/x-gopher-menu", ".gophermap"},
	Mail:     {"mail", "message/rfc822 message/news message/global", ".eml .mbox .mht .mhtml"},
	CSS:      {"css", "text/css", ".css"},
	Asciidoc: {"asciidoc", "text/asciidoc text/x-asciidoc", ".adoc .asciidoc"},
	Notebook: {"ipynb", "application/x-ipynb+json", ".ipynb"},
	TeX:      {"tex", "text/x-tex application/x-tex application/x-latex", ".tex .ltx .sty .bib"},
	Calendar: {"calendar", "text/calendar text/vcard", ".ics .ifb .vcf .vcard"},
	Org:      {"org", "text/org text/x-org", ".org"},
	Manifest: {"manifest", "application/manifest+json", ".webmanifest"},
	Gemtext:  {"gemtext", "text/gemini", ".gmi .gemini"},
}

// String returns the name of the mode, such as "html", or "unknown" for a value that is not a Mode.
func (m Mode) String() string {
	if int(m) < len(modes) {
		return modes[m].name
	}
	return "unknown"
}

// ByString returns the mode with the given name, such as "html". It returns Text and false if no mode has the name.
func ByString(name string) (m Mode, ok bool) {
	for m := range modes {
		if modes[m].name == name {
			return Mode(m), true
		}
	}
	return Text, false
}

// ByType returns the mode for a media type, which may have parameters. It returns Text if no other mode fits.
func ByType(mediaType string) Mode {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	mediaType = strings.TrimSpace(mediaType)
	for m := range modes {
		if hasWord(modes[m].types, mediaType) {
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

// CharsetOf returns the charset parameter of a media type, for [Options.Charset] and [UTF8]. It returns "" if the media
// type is invalid or has no charset.
func CharsetOf(mediaType string) string {
	_, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	return parameters["charset"]
}

// fileNames are the names of files whose modes do not follow from an extension.
var fileNames = []struct {
	name string
	mode Mode
}{
	{"gophermap", Gopher},
	{"llms.txt", Markdown},
	{"llms-full.txt", Markdown},
	{"manifest.json", Manifest},
}

// ByName returns the mode for a file name, by its extension. A file named gophermap is Gopher, llms.txt is
// Markdown, and manifest.json is a Manifest. ByName returns Text if no other mode fits.
func ByName(file string) Mode {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, "\\", "/")))
	for _, f := range fileNames {
		if f.name == base {
			return f.mode
		}
	}
	ext := path.Ext(base)
	for m := range modes {
		if hasWord(modes[m].ends, ext) {
			return Mode(m)
		}
	}
	if isManualSection(ext) {
		return Man
	}
	return Text
}

// hasWord reports whether word is one of the words in a list. It does not allocate, because a folder may have many
// files.
func hasWord(list, word string) bool {
	for other := range strings.FieldsSeq(list) {
		if other == word {
			return true
		}
	}
	return false
}

// sections are the letters that may follow the number in the extension of a manual page, such as .3pm.
var sections = []string{"p", "pm", "perl", "posix", "ssl", "x", "const", "type", "head", "tcl", "ncurses"}

// isManualSection reports whether an extension, with its dot, is a digit and one of sections, as in ".3pm".
func isManualSection(ext string) bool {
	return len(ext) > 2 && ext[1] >= '1' && ext[1] <= '9' && slices.Contains(sections, ext[2:])
}

// starts are the bytes at the start of a text that tell its mode.
var starts = []struct {
	start string
	mode  Mode
}{
	{"<?xml", XML},
	{"BEGIN:VCALENDAR", Calendar},
	{"BEGIN:VCARD", Calendar},
}

// ByContent returns the mode of a text that begins with start, for a text whose name has no known extension. It
// recognises XML and Calendar, and returns Text for every other text. 24 bytes are enough.
func ByContent(start []byte) Mode {
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	for _, s := range starts {
		if bytes.HasPrefix(start, []byte(s.start)) {
			return s.mode
		}
	}
	return Text
}

// ByTypeAndName returns the mode for a document that a server sent, by its media type, which may have parameters. If
// the type is "", text/plain or application/octet-stream, and the file name is the name of Markdown, AsciiDoc,
// reStructuredText, Org mode or a notebook, it returns the mode of the name, because servers send the sources of pages
// with such types.
func ByTypeAndName(mediaType, file string) Mode {
	bare, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch strings.TrimSpace(bare) {
	case "", "text/plain", "application/octet-stream":
		switch m := ByName(file); m {
		case Markdown, Asciidoc, RST, Notebook, Org:
			return m
		}
	}
	return ByType(mediaType)
}

// Options say how a document is read. The zero Options find the URLs of known schemes.
type Options struct {
	// Find says which URLs to find in text without structure.
	Find extract.Options
	// URL is where the document came from, or the zero URL if that is unknown. It is the Base of the matches, unless
	// the document sets another base.
	URL url.URL
	// Charset is the name of the encoding that the server gave for the document, or "". It takes precedence over the
	// encoding that the document names; a byte order mark of UTF-8 takes precedence over both. See Match.Charset.
	Charset string
	// References means that only references are found, and URLs in text are not.
	References bool
	// SkipCode means that URLs are not found in code, literal text and comments, as the structure marks them. A link
	// in an element code or pre of HTML is still found. In Markdown math is left out, too, and comments such as
	// <!-- markdown-link-check-disable --> are obeyed.
	SkipCode bool
	// SkipLabels means that URLs in Markdown are not found in the text and the title of a link, nor in the description of
	// an image, because a browser does not make links of them.
	SkipLabels bool
	// Roles means that the targets of Sphinx's roles, and the files that a document includes, are found in
	// reStructuredText. Match.Place is "role", a space, and ref, numref, doc, download or include. The text of ref
	// and numref is a label, not a URL. In Markdown and notebooks of MyST, which Dialect.Directives marks, the targets of
	// roles, and the documents that tables of contents name, are found.
	Roles bool
	// Dialect says how the generator of the document's site reads it. The zero Dialect reads it as GitHub and
	// CommonMark do.
	Dialect dialect.Dialect
	// Limit is the number of bytes of a document that are read. 0 means 64 MiB, and a negative value means no limit.
	// Plain text is not limited.
	Limit int64

	// These functions, if not nil, are called while the document is read.

	// Anchor is called with each name that a fragment can refer to. In HTML these are the values of id, and of name in
	// an element a. In Markdown, AsciiDoc, reStructuredText and Org mode they are the explicit names and, for each
	// heading, the ids that it gets by Dialect.Naming, or by the rules of Asciidoctor, docutils and GitHub. In
	// reStructuredText they include the ids of the objects that Sphinx directives such as py:function describe. A
	// notebook has the names of its Markdown cells. In XML they are the values of id and xml:id.
	Anchor func(name string)
	// Incomplete is called if the page may have names that are not in the document: because a program inserts text into
	// the document, or because the id of a heading cannot be derived without the tables of the generator.
	Incomplete func()
	// Script is called for each script of HTML that is a program, and not for data such as JSON-LD.
	Script func()
	// Element is called with the name of each element of XML, without its prefix.
	Element func(name string)
	// Content is called with the text of HTML that a browser shows, piece by piece. A space stands for each tag that
	// begins or ends a block. Once Content returns false, it is not called again.
	Content func(text string) (more bool)
	// Refresh is called for each meta element of HTML that leads to another page after some seconds. to is the text
	// of its URL, and base is the base of to.
	Refresh func(seconds int, to, base string)
	// Known is called for each reference in an attribute href or src of HTML, after the matches before it. It is not
	// called for references with a character reference or in a part such as srcdoc. If it returns true, the reference
	// is not yielded as a match, so a caller who already knows the text needs no copy of it.
	Known func(r Known) bool
}

// ParseRefresh parses the value of the HTTP header field Refresh, which opens another page after some seconds, as a
// meta element does. to is the text of the URL, or "" if the page itself is loaded again.
func ParseRefresh(value string) (seconds int, to string) {
	_, seconds, to = html.Refresh(value)
	return seconds, to
}

// A Known is a reference that Options.Known is asked about. For its fields see extract.Match.
type Known struct {
	Text         []byte // valid only during the call
	Place, Base  string
	Line, Column int
}

// ErrTooLarge is yielded after the matches in a document that is longer than Options.Limit.
var ErrTooLarge = emit.ErrTooLarge

// ErrLongBase is yielded with the start of a base that has more than 8 KiB, or that has so many relative references
// that their URLs would be much longer than the document. The references that are relative to it are left out. It wraps
// [extract.ErrTooLong].
var ErrLongBase = emit.ErrLongBase

// All yields the matches in a document in the order of their places, and then an error if there is one. More matches
// may follow [extract.ErrTooLong]. The caller may keep the matches. If r is a *bytes.Buffer, its bytes are neither
// copied nor consumed.
func (m Mode) All(r io.Reader, o Options) iter.Seq2[extract.Match, error] {
	if m == Text {
		return extract.All(r, o.Find)
	}
	return func(yield func(extract.Match, error) bool) {
		forFormats := o.forFormats()
		forFormats.Inserts = m.inserts() + "|" + o.Dialect.Inserts
		emit.Read(m.format(), r, forFormats, yield)
	}
}

// inserts returns the marks at which a program inserts text into a document in the mode, with "|" between them; "" for
// a mode without marks.
func (m Mode) inserts() string {
	switch m {
	case Asciidoc:
		return "include::"
	case Org:
		return "#+INCLUDE:|#+include:"
	case RST:
		return ".. include::|.. auto|.. doxygen"
	}
	return ""
}

// format returns the function that reads a document in the mode. For Text and for unknown modes this is
// emit.Emitter.ReadPlain.
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
	case Calendar:
		return calendar.Read
	case Org:
		return org.Read
	case Manifest:
		return json.ReadManifest
	case Gemtext:
		return gemtext.Read
	}
	return (*emit.Emitter).ReadPlain
}

// formatOf returns the format for a part of a message whose media type is mediaType. It returns nil for plain text and
// for unknown types.
func formatOf(mediaType string) emit.Format {
	if m := ByType(mediaType); m != Text {
		return m.format()
	}
	return nil
}

// forFormats converts the options to the options of package emit.
func (o Options) forFormats() emit.Options {
	s := emit.Options{
		Find: o.Find, Base: o.URL.String(), Charset: o.Charset, References: o.References, SkipCode: o.SkipCode, SkipLabels: o.SkipLabels,
		Roles: o.Roles, Dialect: o.Dialect, Limit: o.Limit,
		Anchor: o.Anchor, Incomplete: o.Incomplete, Script: o.Script, Element: o.Element, Content: o.Content, Refresh: o.Refresh,
	}
	if o.Known != nil {
		s.Known = func(text []byte, place, base string, line, column int) bool {
			return o.Known(Known{text, place, base, line, column})
		}
	}
	return s
}
