package transfer

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"locus/extract"
	"locus/extract/document"
	"locus/internal/autoindex"
	"locus/url"
)

// maxPage is how long a page may be whose links are read, in octets: a listing
// of some 200 000 files.
const maxPage = 32 << 20

// hasLinks reports whether what is of a media type is read for its links.
func hasLinks(mime string) bool {
	switch document.ByType(mime) {
	case document.HTML, document.CSS:
		return true
	}
	return false
}

func isHTML(mime string) bool { return document.ByType(mime) == document.HTML }

// readLinks calls add with what a page at u is made of and leads to, resolved, in
// the order of the page. It returns the first error of add.
func readLinks(r io.Reader, u url.URL, mime string, add func(url.URL) error) error {
	for m, err := range document.ByType(mime).All(r, document.Options{URL: u, Limit: maxPage}) {
		switch {
		case errors.Is(err, extract.ErrTooLong):
			continue // no URL that a server would take
		case err != nil:
			return err
		case m.Kind != extract.Reference, !leads(m.Place):
			continue
		}
		to, err := m.URL()
		if err != nil {
			continue
		}
		if err := add(page(to)); err != nil {
			return err
		}
	}
	return nil
}

// leads reports whether what holds a URL leads to what is there. Others send
// something, say where a text is from, or name what need not be anywhere.
func leads(place string) bool {
	element, attribute, _ := strings.Cut(place, " ")
	switch attribute {
	case "href":
		return element != "base"
	case "action", "formaction", "ping", "cite", "classid", "codebase", "itemid", "itemtype", "profile", "usemap":
		return false
	}
	return true
}

// isListing reports whether a page of HTML, whose links are still to be read from
// r, was made by a server from a directory.
func isListing(r *bufio.Reader) bool {
	head, _ := r.Peek(autoindex.HeadSize) // an error comes again when it is read
	return autoindex.Is(head)
}
