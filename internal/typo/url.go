package typo

import (
	"strings"

	"locus/internal/facts"
)

// URL returns the URL that a person meant by a text such as htp://h/, whose scheme has a mistake, or ftp//h/, in which
// the colon is missing. ok is false if text has neither mistake, as when its scheme is known, or if no scheme is
// similar.
func URL(text string) (meant string, ok bool) {
	name, rest, ok := strings.Cut(text, "//")
	name = strings.ToLower(name)
	scheme, hasColon := strings.CutSuffix(name, ":")
	isKnown := facts.Of(scheme).Name != ""
	switch {
	case !ok, scheme == "", isKnown == hasColon:
		return "", false
	case !isKnown:
		scheme = Meant(scheme, schemes())
	}
	return scheme + "://" + rest, scheme != ""
}

// schemes returns the schemes that a person may mean, the most likely first, because Meant prefers the first of
// equally similar names.
func schemes() []string {
	all := facts.Likely()
	for s := range facts.All() {
		if s.Has(facts.Host) {
			all = append(all, s.Name)
		}
	}
	return all
}
