package check

import (
	"fmt"
	"strings"

	"locus/check/site"
	"locus/extract"
	"locus/internal/weburl"
	"locus/url"
)

// seen collects the properties of an HTML page other than its links and anchors.
type seen struct {
	directives []textDirective // texts to look for in the page
	text       pageText        // the text of the page; only collected if there are directives
	shown      int             // the number of bytes of text that are shown, counted up to applicationText
	hasScript  bool
	isFont     bool          // the page is a font in SVG
	refresh    extract.Match // where the page redirects by itself; its Text is "" if it does not
}

const (
	// applicationText is the number of bytes of text below which a page with a script counts as an application. White
	// space does not count.
	applicationText = 250

	// maxRefresh is the greatest number of seconds after which a refresh counts as a redirect.
	maxRefresh = 10
)

// recordScript records that the document has a script. It is a document.Options.Script.
func (s *seen) recordScript() { s.hasScript = true }

// recordElement records the element of an XML document if it is a script or a font. It is a document.Options.Element.
//
// QUIRK: style sheets such as those of Font Awesome 4 name fonts in SVG with a fragment that the font does not have.
func (s *seen) recordElement(name string) {
	switch name {
	case "script":
		s.hasScript = true
	case "font":
		s.isFont = true
	}
}

// recordText adds text to the text in which the directives are looked for, and counts the bytes that are shown. It
// returns false if more text would not change the result. It is a document.Options.Content.
func (s *seen) recordText(text string) (more bool) {
	if len(s.directives) > 0 {
		s.text.add(text)
	}
	if s.shown < applicationText {
		for field := range strings.FieldsSeq(text) {
			s.shown += len(field)
		}
	}
	return len(s.directives) > 0 || s.shown < applicationText
}

// recordRefresh records the first refresh within maxRefresh seconds: the page redirects to the reference to, which is
// relative to base. It is a document.Options.Refresh.
func (s *seen) recordRefresh(seconds int, to, base string) {
	if seconds <= maxRefresh && s.refresh.Text == "" {
		s.refresh = extract.Match{Text: to, Base: base, Kind: extract.Reference}
	}
}

// A refresh is a redirect by which a page leads to another page by itself.
type refresh struct{ from, to string }

// noteRefresh puts a note before the Reason of r if a page, not a server, has made the last redirect, because the
// author of the link may not know the page to which it leads. by is the last redirect that a page has made by itself.
// noteRefresh has no effect if by is not the last redirect of r.
func (r *Result) noteRefresh(by refresh) {
	if len(r.Hops) == 0 || by.to == "" || r.FinalURL() != by.to {
		return
	}
	page := "the page"
	if by.from != r.URL {
		page += " " + display(by.from)
	}
	r.Reason = page + " leads to " + display(by.to) + " by itself: " + r.Reason
}

// isApplication reports whether scripts probably make the page, because it has a script and hardly any text.
func (s *seen) isApplication() bool { return s.hasScript && s.shown < applicationText }

// movedTo returns the URL to which the page at a URL of a site redirects by itself. ok is false if the page does not
// redirect, redirects to itself, or redirects to a URL that must not be followed.
func (s *seen) movedTo(at url.URL, site *site.Site) (to url.URL, ok bool) {
	if s.refresh.Text == "" {
		return url.URL{}, false
	}
	to, err := s.refresh.URL()
	if err == nil {
		to, err = weburl.Parse(site.Local(to.String()))
	}
	if err != nil {
		return to, false
	}
	bare, err := to.Without(url.Fragment)
	if err != nil || !mayRedirect(nil, at, to) {
		return to, false
	}
	page, err := at.Without(url.Fragment)
	return to, err == nil && normalize(bare).String() != normalize(page).String()
}

// checkTexts returns an error if the page lacks the text of a directive: an *uncheckedError if the page may have the
// text after all, and otherwise a *failure. unread says why a part of the page was not read; "" if all of it was.
func (s *seen) checkTexts(unread string) error {
	page := s.text.String()
	for _, d := range s.directives {
		switch ok, known := d.isIn(page); {
		case ok:
		case !known:
			return &uncheckedError{ClassAnchor, fmt.Sprintf("the page has the text more than %d times", maxOccurrences)}
		case unread != "":
			return &uncheckedError{ClassAnchor, unread}
		default:
			return &failure{ClassAnchor, "the page does not have the text " + d.String()}
		}
	}
	return nil
}
