// Package rewrite finds the references of an HTML page, a style sheet or a page of Gemini, and replaces them.
// It tells the use of each reference, such as a link or an image. Copies of sites use it,
// because their links must lead to local files.
//
// It changes only the bytes of references, and of attributes that would stop a local copy
// from loading. So a page keeps its encoding.
//
// Notable divergences:
//   - Scripts are not run, and their text is not searched.
//   - References in pages in UTF-16 are not found; document.UTF8 decodes such pages.
//   - SVG is read as HTML. References in its processing instructions are not found.
//   - The value of an attribute srcdoc is replaced as a whole if a reference in it changes.
package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"sort"
	"strings"

	"locus/extract"
	"locus/extract/document"
	"locus/internal/weburl"
	"locus/url"
)

// A Reference is a URL in a page, and its use.
type Reference struct {
	extract.Match
	Use Use
	Rel string // the attribute rel of its element, in lower case; may be ""
}

// A Use is the purpose of a reference.
type Use uint8

const (
	Link   Use = iota // a reader may follow it
	Part              // the page loads it: a style sheet, script, image, font, frame …
	Submit            // data is sent to it
	Name              // it only names something, and is not loaded
	Hint              // the browser connects to its server early
	Base              // other references are relative to it
)

// maxNested is how deep attributes srcdoc, and elements noscript, may be nested.
const maxNested = 4

// References yields the references of a page that came from base. mode is document.HTML, document.CSS or
// document.Gemtext, and charset is the encoding that the server gave, or "". References in an attribute srcdoc come
// last, and their offsets are relative to its decoded value. It yields the errors of [document.Mode.All].
func References(text []byte, mode document.Mode, base url.URL, charset string) iter.Seq2[Reference, error] {
	return func(yield func(Reference, error) bool) {
		p := newPage(text, mode, base.String())
		p.charset = charset
		p.each(0, yield)
	}
}

// Options say how a page is rewritten.
type Options struct {
	// Limit is how many bytes the result may have; 0 means 64 MiB.
	Limit int

	// Charset is the encoding that the server gave for an HTML page; "" if unknown. If the
	// page does not name its encoding, a meta element with Charset is inserted, because a
	// file has no header.
	Charset string
}

// ErrTooLarge is the error of a result that is longer than Options.Limit.
var ErrTooLarge = errors.New("the rewritten page is too long")

// Rewrite returns the page with other references. replace returns the new URL of each
// reference; if ok is false, the reference stays unchanged. The URL "" renames the
// attribute, so that browsers ignore it: href becomes data-href. A URL in a style sheet
// cannot be "".
//
// If the URL of a Part becomes relative, the attributes integrity and crossorigin of its
// element are renamed too, because the content may have changed, and files lack the headers
// for CORS.
func Rewrite(text []byte, mode document.Mode, base url.URL, o Options, replace func(Reference) (to string, ok bool)) ([]byte, error) {
	if o.Limit <= 0 {
		o.Limit = 64 << 20
	}
	p := newPage(text, mode, base.String())
	p.limit, p.charset = o.Limit, o.Charset
	if mode == document.HTML && o.Charset != "" {
		p.declare(o.Charset)
	}
	return p.rewrite(0, replace)
}

// An edit replaces a range of a page.
type edit struct {
	from, to int
	text     string
}

// A page is a text in which references are found and replaced.
type page struct {
	text    []byte
	mode    document.Mode
	base    string // of the last reference so far
	charset string // that the server gave, or ""
	tags    []tag
	edits   []edit
	limit   int
	size    int // of the result
}

// newPage returns the page with this text, and finds its tags if mode is HTML. base is the URL to which its references
// are relative.
func newPage(text []byte, mode document.Mode, base string) *page {
	p := &page{text: text, mode: mode, base: base, size: len(text)}
	if mode == document.HTML {
		p.scan(0, len(text), 0)
	}
	return p
}

// each yields the references of the page, and then of the pages in its srcdoc attributes. depth is the number of pages
// around p. It returns false if yield has returned false.
func (p *page) each(depth int, yield func(Reference, error) bool) bool {
	for r, err := range p.ownReferences() {
		if !yield(r, err) {
			return false
		}
	}
	for _, inner := range p.inner(depth) {
		if !inner.page.each(depth+1, yield) {
			return false
		}
	}
	return true
}

// ownReferences yields the references of the page and the errors of the search, without the references in srcdoc
// attributes. Before each reference it sets p.base to the base of that reference, which a base element may have
// changed.
func (p *page) ownReferences() iter.Seq2[Reference, error] {
	return func(yield func(Reference, error) bool) {
		options := document.Options{References: true, Charset: p.charset, Limit: int64(len(p.text)) + 1}
		if base, err := weburl.Parse(p.base); err == nil {
			options.URL = base
		}
		for m, err := range p.mode.All(bytes.NewReader(p.text), options) {
			if err == nil && m.Kind != extract.Reference {
				continue
			}
			t := p.tagAt(int(m.Offset))
			if t.isInner(int(m.Offset)) {
				continue
			}
			if m.Base != "" {
				p.base = m.Base
			}
			if !yield(Reference{m, useOf(m.Place, t.rel), t.rel}, err) {
				return
			}
		}
	}
}

// rewrite returns the text of the page with the replacements, also in its srcdoc attributes. replace returns the new
// URL of a reference, or false if the reference stays. depth is the number of pages around p.
func (p *page) rewrite(depth int, replace func(Reference) (string, bool)) ([]byte, error) {
	for r, err := range p.ownReferences() {
		if errors.Is(err, extract.ErrTooLong) {
			continue // All yields the later matches, too
		}
		if err != nil {
			return nil, err
		}
		to, ok := replace(r)
		if !ok || to == r.Text {
			continue
		}
		if err := p.replaceReference(r, to); err != nil {
			return nil, err
		}
	}
	for _, inner := range p.inner(depth) {
		inner.page.limit = p.limit
		out, err := inner.page.rewrite(depth+1, replace)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(out, inner.page.text) {
			continue
		}
		if err := p.add(inner.from, inner.to, p.quoted(inner.from, escapeAttribute(string(out)))); err != nil {
			return nil, err
		}
	}
	return p.result(), nil
}

// replaceReference adds the edits that replace the URL of a reference by to. If to is "", it disables the attribute, or
// makes the URL empty in a style sheet and in gemtext. If a Part becomes relative, it also disables the attributes
// integrity and crossorigin, as [Rewrite] explains.
func (p *page) replaceReference(r Reference, to string) error {
	from := int(r.Offset)
	t := p.tagAt(from)
	if p.mode == document.Gemtext {
		return p.add(from, from+r.Length, escapeURL(to))
	}
	if isCSS(r.Place) {
		return p.add(from, from+r.Length, escapeCSS(to))
	}
	if to == "" {
		return p.disable(t, t.attributeAt(from))
	}
	if r.Use == Part && isRelative(to) {
		for _, name := range []string{"integrity", "crossorigin"} {
			if err := p.disable(t, t.attribute(name)); err != nil {
				return err
			}
		}
	}
	if r.Place == "meta content" {
		return p.add(from, from+r.Length, escapeAttribute(escapeRefresh(to)))
	}
	return p.add(from, from+r.Length, escapeAttribute(escapeURL(to)))
}

// isRelative reports whether a reference lacks a scheme and a host.
func isRelative(to string) bool {
	u, err := url.Parse(to)
	return err == nil && !u.IsAbs() && !strings.HasPrefix(to, "//")
}

// add adds an edit that replaces p.text[from:to] by text. The error wraps ErrTooLarge if the result becomes too long.
func (p *page) add(from, to int, text string) error {
	p.size += len(text) - (to - from)
	if p.size > p.limit {
		return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, p.limit)
	}
	p.edits = append(p.edits, edit{from, to, text})
	return nil
}

// result returns the text of the page with the edits applied. If edits overlap, the first one counts. The result is
// p.text if the page has no edits.
func (p *page) result() []byte {
	if len(p.edits) == 0 {
		return p.text
	}
	sort.SliceStable(p.edits, func(i, j int) bool { return p.edits[i].from < p.edits[j].from })
	out := make([]byte, 0, max(p.size, 0))
	at := 0
	for i, e := range p.edits {
		if e.from < at || i > 0 && e == p.edits[i-1] {
			continue
		}
		out = append(append(out, p.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, p.text[at:]...)
}
