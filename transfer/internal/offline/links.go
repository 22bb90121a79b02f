package offline

import (
	"errors"
	"io"
	"strings"

	"locus/extract"
	"locus/extract/document"
	"locus/internal/rewrite"
	"locus/transfer/internal/tree"
	"locus/url"
)

// Links calls add for each link of the page that it reads from r, in the order of the page. u is
// the URL of the page; the links are resolved against it and normalized. Links skips a link that is
// too long or is not a URL. It stops at the first error, from add or from reading, or if the page
// is longer than MaxPage.
func Links(r io.Reader, u url.URL, mediaType string, add func(url.URL) error) error {
	o := document.Options{URL: u, Charset: document.CharsetOf(mediaType), Limit: MaxPage, References: true}
	for m, err := range document.ByType(mediaType).All(document.UTF8(r, document.CharsetOf(mediaType)), o) {
		switch {
		case errors.Is(err, extract.ErrTooLong):
			continue // too long for any server
		case errors.Is(err, document.ErrTooLarge):
			return errLargePage()
		case err != nil:
			return err
		case !isLink(m.Place):
			continue
		}
		to, err := m.URL()
		if err != nil {
			continue
		}
		if err := add(tree.Normalize(to)); err != nil {
			return err
		}
	}
	return nil
}

// isLink reports whether the URL in an attribute of an element, such as "a href", is to be fetched.
// Other URLs receive data, name a source or a server, or are only names.
func isLink(attributeOf string) bool {
	element, attribute, _ := strings.Cut(attributeOf, " ")
	switch attribute {
	case "href":
		return element != "base"
	case "hint", "action", "formaction", "post", "ping", "cite", "classid", "codebase", "itemid", "itemtype", "profile", "usemap":
		return false
	}
	return true
}

// References calls add for each link of the page that it reads from r, and for each URL that the
// page loads, such as an image; isPart tells them apart. It resolves and normalizes the URLs, skips
// a URL that is too long or invalid, and stops at the first error. It reads the whole page before
// it calls add.
func References(r io.Reader, u url.URL, mediaType string, add func(to url.URL, isPart bool) error) error {
	text, err := ReadText(r, mediaType)
	if err != nil {
		return err
	}
	for ref, err := range rewrite.References(text, modeOf(mediaType), u, document.CharsetOf(mediaType)) {
		switch {
		case errors.Is(err, extract.ErrTooLong):
			continue // too long for any server
		case err != nil:
			return err
		case ref.Use != rewrite.Link && ref.Use != rewrite.Part:
			continue
		}
		to, err := ref.URL()
		if err != nil {
			continue
		}
		if err := add(tree.Normalize(to), ref.Use == rewrite.Part); err != nil {
			return err
		}
	}
	return nil
}
