package check

import (
	"fmt"
	"strings"

	"locus/check/site"
	"locus/extract"
	"locus/url"
)

// seen is what a page of HTML has besides its links and anchors.
type seen struct {
	directives []textDirective // texts to look for
	text       pageText        // of the page, if there are directives
	shown      int             // how many bytes of text are shown, up to applicationText
	hasScript  bool
	refresh    extract.Match // where the page leads by itself; without Text: nowhere
}

const (
	// applicationText is how many bytes of text a page with a script has at least, if
	// it is no application. White space does not count.
	applicationText = 250

	// maxRefresh is the most seconds after which a refresh counts as a redirect.
	maxRefresh = 10
)

func (s *seen) script() { s.hasScript = true }

func (s *seen) content(text string) (more bool) {
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

func (s *seen) refreshes(seconds int, to, base string) {
	if seconds <= maxRefresh && s.refresh.Text == "" {
		s.refresh = extract.Match{Text: to, Base: base, Kind: extract.Reference}
	}
}

// isApplication reports whether scripts make the page: it has a script, and hardly any
// text.
func (s *seen) isApplication() bool { return s.hasScript && s.shown < applicationText }

// movedTo returns the page that this one, which is at a URL of a site, leads to; false if
// it leads nowhere, or to itself.
func (s *seen) movedTo(at url.URL, site *site.Site) (url.URL, bool) {
	if s.refresh.Text == "" {
		return url.URL{}, false
	}
	to, err := s.refresh.URL()
	if err == nil {
		to, err = url.Parse(site.Local(to.String()))
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

// missing returns an error if the page does not have a text to look for. unread says why
// it may have it all the same.
func (s *seen) missing(unread string) error {
	page := s.text.String()
	for _, d := range s.directives {
		switch ok, known := d.isIn(page); {
		case ok:
		case !known:
			return &errUnchecked{ClassAnchor, fmt.Sprintf("the page has the text more than %d times", maxOccurrences)}
		case unread != "":
			return &errUnchecked{ClassAnchor, unread}
		default:
			return &failure{ClassAnchor, "the page does not have the text " + d.String()}
		}
	}
	return nil
}
