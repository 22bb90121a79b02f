package check

import (
	"errors"
	"io"
	"iter"
	"strings"

	"locus/access"
	"locus/check/site"
	"locus/extract"
	"locus/extract/document"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// A LinkReader reads the links of documents. The documents may be in UTF-8, in UTF-16 with a byte order mark, or
// compressed with gzip. Columns count bytes of UTF-8. The zero LinkReader leaves out examples, which are URLs in
// code, literal text and comments. Every LinkReader leaves out the beginnings of URLs in programs, and templates such
// as http://h/{x}.
type LinkReader struct {
	// Code also reads the URLs in code, literal text and comments.
	Code bool `json:"code,omitempty"`

	// DataAttributes also reads the attributes data-src, data-href and data-srcset of HTML, which are for scripts.
	DataAttributes bool `json:"data_attributes,omitempty"`

	// Sources says where the links of a file begin that belongs to no site.
	Sources site.Sources `json:"-"`
}

// ReadLinks returns the links of a document, as [LinkReader.Links] of the zero LinkReader yields them. If there is an
// error, it also returns the links before it.
func ReadLinks(r io.Reader, mode document.Mode, base url.URL) ([]Link, error) {
	var all []Link
	for l, err := range (LinkReader{}).Links(r, mode, base) {
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	return all, nil
}

const (
	// maxURL is the length of the longest URL that is checked. Servers do not accept longer ones.
	maxURL = 64 << 10

	// maxShown is how many bytes of a longer URL are shown.
	maxShown = 200

	// tooLong is the Link.Bad of a longer URL. Such a link is unchecked, not dead.
	tooLong = "it has more than 64 KiB"

	// longBase is the Link.Bad of a base that is too long (see document.ErrLongBase). Such a link is unchecked, too.
	longBase = "it is too long for the base of the links that are relative to it"

	// noAttachment is the Link.Bad of a link in a cell of a notebook to an attachment that the cell does not have.
	noAttachment = "the cell has no such attachment"
)

// Links yields the links of a document, and then an error if there is one. base is the URL of the document, and may
// be zero. In HTML only the links of elements count, not URLs in the text. A relative link in a document without a
// URL is ignored. A URL of more than 64 KiB is cut off, and its link is Bad. If the base of relative links is too long
// (see document.ErrLongBase), Links yields the base as a Bad link instead of them.
func (lr LinkReader) Links(r io.Reader, mode document.Mode, base url.URL) iter.Seq2[Link, error] {
	return lr.links(decoded(r), mode, document.Options{URL: base}, linkOf)
}

// links yields the links of a document in UTF-8, and then an error if there is one. o has the options about the
// document; links sets the options that say which URLs are found. toLink returns the link of a match.
func (lr LinkReader) links(r io.Reader, mode document.Mode, o document.Options, toLink linker) iter.Seq2[Link, error] {
	o.References, o.SkipCode, o.SkipLabels, o.Find.Whole = mode == document.HTML, !lr.Code, true, true
	return func(yield func(Link, error) bool) {
		for m, err := range mode.All(r, o) {
			switch {
			case errors.Is(err, extract.ErrTooLong):
				if l, ok := longLink(m, err); ok && !yield(l, nil) {
					return
				}
				continue
			case err != nil:
				yield(Link{}, err)
				return
			case m.Place == "a href": // most links
			case m.Place == "attachment":
				if !yield(shorten(Link{URL: m.Text, Line: m.Line, Column: m.Column, Bad: noAttachment}), nil) {
					return
				}
				continue
			case isName(m.Place), m.Kind != extract.Reference && (strings.ContainsAny(m.Text, "{}") || mode == document.XML && isFeedText(m.Place)),
				mode == document.XML && isIdentifier(m),
				!lr.DataAttributes && strings.Contains(m.Place, " data-"):
				continue
			}
			if l, ok := toLink(m); ok && !yield(l, nil) {
				return
			}
		}
	}
}

// longLink returns the link of m, a match with an error that wraps extract.ErrTooLong, cut off and Bad. ok is false if
// the scheme of the URL is never checked.
func longLink(m extract.Match, err error) (l Link, ok bool) {
	l = Link{URL: strings.TrimPrefix(strings.TrimPrefix(m.Text, "<"), "URL:"), Line: m.Line, Column: m.Column, Bad: tooLong}
	if errors.Is(err, document.ErrLongBase) {
		l.Bad = longBase
	}
	return shorten(l), !facts.IsInert(strings.ToLower(schemeOf(l.URL)))
}

// isName reports whether the URL at place, such as "base href", is not a link to check, because it is only a name,
// receives data, or is a hint to connect to a server.
func isName(place string) bool {
	element, attribute, _ := strings.Cut(place, " ")
	switch attribute {
	case "href":
		return element == "base"
	case "action": // in books the name of an action, not a URL
		return element == "epub:trigger"
	case "hint", "post", "ping", "itemid", "itemtype", "classid", "profile", "usemap":
		return true
	}
	return false
}

// isFeedText reports whether an element of a feed has the text of a page, or a summary of it. URLs in such a text are
// not links, because generators also copy code of the page into it.
func isFeedText(element string) bool {
	switch element[strings.LastIndexByte(element, ':')+1:] {
	case "title", "subtitle", "description", "summary", "content", "encoded":
		return true
	}
	return false
}

// isIdentifier reports whether m is in an element or attribute of XML that has the identifier of a work or of an entry,
// such as urn:isbn:9780131103627. The identifier of an entry may look like the URL of a page, but need not lead to one
// (RFC 4287 §4.2.6).
func isIdentifier(m extract.Match) bool {
	switch m.Place {
	case "id", "atom:id":
		return true
	case "dc:identifier", "dc:source", "meta content", "ncx:meta content", "guid": // a guid that is a permalink is a reference
		return m.Kind != extract.Reference
	}
	return false
}

// linkOf returns the link of a match, with its URL normalized. A match that is not a valid URL becomes a Bad link. ok
// is false if the match has no URL to check.
func linkOf(m extract.Match) (l Link, ok bool) {
	l = Link{Line: m.Line, Column: m.Column}
	u, err := m.URL()
	switch {
	case err != nil:
		l.URL, l.Bad = m.Text, badURL(err)
		return shorten(l), true
	case !u.IsAbs():
		return l, false
	}
	if err := checkInline(m, u); err != nil {
		l.URL, l.Bad = m.Text, badURL(err)
		return shorten(l), true
	}
	if facts.IsInert(u.Scheme()) {
		return l, false
	}
	l.URL = normalize(u).String()
	return shorten(l), true
}

// checkInline returns an error if m is a link whose URL contains the resource itself, such as a data URL, and is
// malformed. It does not judge URLs in text, because they may be examples, nor URLs that a template completes.
func checkInline(m extract.Match, u url.URL) error {
	if m.Kind != extract.Reference || !facts.Of(u.Scheme()).Has(facts.Inline) || strings.ContainsAny(m.Text, "{}<>$") {
		return nil
	}
	_, err := scheme.Parse(u)
	return err
}

// shorten returns l unchanged if its URL is short enough. Otherwise it returns l with the start of the URL, and with a
// Bad that says so. The shortened URL never shows a password or a part of one.
func shorten(l Link) Link {
	switch {
	case l.Bad == tooLong, l.Bad == longBase:
	case len(l.URL) > maxURL:
		l.Bad = tooLong
	default:
		return l
	}
	text := strings.ToValidUTF8(l.URL[:min(len(l.URL), maxShown)], "")
	if scheme, rest, ok := strings.Cut(text, "//"); ok && !strings.ContainsAny(rest, "/?#") {
		text = scheme + "//" // the authority may continue after the cut
	}
	l.URL = url.Redact(text) + "…"
	return l
}

// badURL returns the Link.Bad for an error of parsing a URL.
func badURL(err error) string {
	if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		return "it is not a URL: " + syntax.Detail()
	}
	return "it is not a URL: " + err.Error()
}

// normalize returns u in the form in which the package compares URLs.
func normalize(u url.URL) url.URL {
	return scheme.Normalize(u, url.LowerScheme|url.LowerHost|url.DropPort|url.FillPath)
}

// entryLinks calls add with the link of each entry of a listing, until the end or an error of l or add. failures counts
// the entries that are errors, and others the entries that are neither errors nor text.
func entryLinks(l access.Lister, add func(Link) error) (failures, others int, err error) {
	line := 0
	err = access.Entries(l, func(e access.Entry) error {
		line++
		switch {
		case e.Kind == access.Failure:
			failures++
			return nil
		case e.Kind == access.Info:
			return nil
		}
		others++
		if e.URL.IsAbs() {
			return add(shorten(Link{URL: normalize(e.URL).String(), Line: line}))
		}
		return nil
	})
	return failures, others, err
}
