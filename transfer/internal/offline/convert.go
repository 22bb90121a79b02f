package offline

import (
	"slices"
	"strings"

	"locus/extract/document"
	"locus/internal/rewrite"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A Page is a page, of HTML or of Gemini, or a style sheet of a copy.
type Page struct {
	Name string  // of its file, below the root of the copy
	URL  url.URL // from which it was fetched
	Type string  // the media type
}

// Convert returns the text of a page with URLs that work in the copy: a relative URL for a file
// of the copy, and an absolute URL for anything else. If the result exceeds maxSize or 2*MaxPage
// bytes, Convert returns rewrite.ErrTooLarge. If maxSize is 0, only 2*MaxPage limits it.
//
// nameOf returns the name in the copy of the file for u, or false if the copy lacks it. isPart
// reports whether the page loads u, like an image.
func (p Page) Convert(text []byte, maxSize int64, nameOf func(u url.URL, isPart bool) (name string, ok bool)) ([]byte, error) {
	options := rewrite.Options{Limit: 2 * MaxPage}
	if maxSize > 0 {
		options.Limit = int(min(maxSize, 2*MaxPage))
	}
	if IsHTML(p.Type) {
		options.Charset = document.CharsetOf(p.Type)
	}
	return rewrite.Rewrite(text, modeOf(p.Type), p.URL, options, func(r rewrite.Reference) (string, bool) {
		return p.replacement(r, nameOf)
	})
}

// replacement returns the text that replaces the text of r. ok is false if the text stays. A
// reference to a file that nameOf names becomes relative to the page, and a relative reference to
// another resource becomes a whole URL. A base becomes ".", and a hint or a manifest becomes empty.
func (p Page) replacement(r rewrite.Reference, nameOf func(u url.URL, isPart bool) (string, bool)) (replacement string, ok bool) {
	text := strings.TrimSpace(r.Text)
	switch {
	case r.Use == rewrite.Base:
		return ".", true
	case r.Use == rewrite.Hint, r.Use == rewrite.Part && slices.Contains(strings.Fields(r.Rel), "manifest"):
		return "", true // browsers load no manifest from a file
	case r.Use == rewrite.Name, text == "", text[0] == '#' && r.Base == p.URL.String():
		return "", false
	}
	u, err := r.URL()
	if err != nil || tree.IndexName(u) == "" {
		return "", false
	}
	if r.Use != rewrite.Submit {
		if name, ok := nameOf(u, r.Use == rewrite.Part); ok {
			return relativeURL(p.Name, name) + fragmentOf(u), true
		}
	}
	if given, err := url.Parse(text); err == nil && given.IsAbs() {
		return "", false
	}
	return u.String(), true
}

// relativeURL returns the URL of the file to, relative to the file from. Both are names below the
// root of the copy. It escapes all characters that HTML or CSS treats as markup.
func relativeURL(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for i := range b {
		b[i] = url.Escape(b[i], url.RFC3986.Unreserved())
	}
	return strings.Repeat("../", len(a)-1) + strings.Join(b, "/")
}

// fragmentOf returns the fragment of u with its "#", or "" without one.
func fragmentOf(u url.URL) string {
	fragment, ok := u.Fragment()
	if !ok {
		return ""
	}
	return "#" + fragment
}
