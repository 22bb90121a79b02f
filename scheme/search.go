package scheme

import (
	"strings"

	"locus/url"
)

// SearchURL returns the URL of the search for words (decoded, as typed) in what
// u names: a search item or a phone book of gopher (types 7 and 2), a database
// of wais or another search in it. ok is false if u names nothing to search, or
// if the words cannot be sent: gopher has no tab, CR, LF or NUL in them. Nothing
// is sent.
func SearchURL(u url.URL, words string) (result url.URL, ok bool) {
	switch u.Scheme() {
	case "gopher":
		return searchGopher(u, words)
	case "wais":
		return searchWAIS(u, words)
	}
	return url.URL{}, false
}

func searchGopher(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseGopher(u)
	if err != nil || v.Type != '7' && v.Type != '2' || strings.ContainsAny(words, "\t\r\n\x00") {
		return url.URL{}, false
	}
	v.Search = url.Some(words)
	return v.URL(), true
}

func searchWAIS(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseWAIS(u)
	if err != nil || v.Kind == WAISDocument {
		return url.URL{}, false
	}
	v.Kind, v.Search = WAISSearch, words
	return v.URL(), true
}
