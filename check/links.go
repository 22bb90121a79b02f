package check

import (
	"errors"
	"io"
	"iter"
	"strings"

	"locus/access"
	"locus/extract"
	"locus/extract/document"
	"locus/scheme"
	"locus/url"
)

// ReadLinks reads the links of a document, as [Links] yields them.
func ReadLinks(r io.Reader, mode document.Mode, base url.URL) ([]Link, error) {
	var all []Link
	for l, err := range Links(r, mode, base) {
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	return all, nil
}

// longestURL is how long a URL is at most that is checked: none that is longer is
// one that a server would take.
const longestURL = 64 << 10

// Links yields the links of a document, whose kind and URL (the zero URL if it
// has none) are given, and then an error if there is one. Of HTML they are what
// its elements link to, and not what its text speaks of. A relative link in a
// document without a URL is left out: there is nothing to tell what it names.
func Links(r io.Reader, mode document.Mode, base url.URL) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		for m, err := range mode.All(r, document.Options{URL: base}) {
			switch {
			case errors.Is(err, extract.ErrTooLong):
				continue // no URL that a server would take
			case err != nil:
				yield(Link{}, err)
				return
			case mode == document.HTML && m.Kind != extract.Reference, isName(m.Place):
				continue
			}
			if l, ok := linkOf(m); ok && len(l.URL) <= longestURL && !yield(l, nil) {
				return
			}
		}
	}
}

// isName reports whether what holds a URL uses it as a name, or as something to
// send to, and not to lead to what is there.
func isName(place string) bool {
	element, attribute, _ := strings.Cut(place, " ")
	switch attribute {
	case "href":
		return element == "base"
	case "action", "formaction", "ping", "itemid", "itemtype", "classid", "profile", "usemap":
		return true
	}
	return false
}

// linkOf returns the link that a match is; ok is false if it leads nowhere.
func linkOf(m extract.Match) (l Link, ok bool) {
	l = Link{Line: m.Line, Column: m.Column}
	u, err := m.URL()
	switch {
	case err != nil:
		l.URL, l.Bad = string(m.Text), badness(err)
		return l, true
	case !u.IsAbs():
		return l, false
	}
	switch u.Scheme() {
	case "javascript", "data", "about", "blob":
		return l, false
	}
	l.URL = normal(u).String()
	return l, true
}

func badness(err error) string {
	if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		return "it is no URL: " + syntax.Detail()
	}
	return "it is no URL: " + err.Error()
}

// normal returns u in the form in which it is compared.
func normal(u url.URL) url.URL {
	facts, _ := scheme.Lookup(u.Scheme())
	return u.Normalize(url.LowerScheme|url.LowerHost|url.DropPort|url.FillPath, facts.Facts())
}

// entryLinks reads the links of a listing, and how many entries it has that are
// errors and that are not.
func entryLinks(l access.Lister) (all []Link, failures, others int, err error) {
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
		if e.URL.IsAbs() && len(e.URL.String()) <= longestURL {
			all = append(all, Link{URL: normal(e.URL).String(), Line: line})
		}
		return nil
	})
	return all, failures, others, err
}
