package gateway

import (
	"net/http"
	"strings"

	"locus/gateway/internal/page"
	"locus/internal/typo"
	"locus/url"
	"locus/url/iri"
)

// A guess is the meaning that a text without a scheme may have.
type guess struct {
	words string
	host  url.URL // the URL of the words, if they are a host, perhaps with a path; otherwise the zero URL
	typed string  // the text in the field of the page that offers the guess
}

// guessPath returns the meaning that the path of a request may have. ok is false for a path that is probably a URL with
// a mistake in it, because the page of the error then helps more than a guess.
func guessPath(path string) (g guess, ok bool) {
	words, err := url.Unescape(path)
	if err != nil {
		return guess{}, false
	}
	if g, ok := guessMistyped(path); ok {
		return g, true
	}
	g = guess{words: words, typed: words}
	if u, err := iri.ParseTyped(path); err == nil && u.IsAbs() {
		g.host = u
		return g, true
	}
	return g, isWords(words)
}

// guessMistyped returns the meaning of a text such as "ftp//host/", in which a colon is missing: typed is the URL that
// is meant, and host is that URL, too, if it has a host. ok is false for other texts.
func guessMistyped(text string) (g guess, ok bool) {
	meant, ok := typo.URL(text)
	if !ok || strings.Contains(text, "://") { // the page of an unknown scheme says more
		return guess{}, false
	}
	u, err := iri.ParseTyped(meant)
	if host, _ := u.Host(); err != nil || host == "" {
		u = url.URL{}
	}
	return guess{words: text, host: u, typed: meant}, true
}

// isWords reports whether a text may be words, rather than a URL with a mistake in it.
func isWords(text string) bool { return text != "" && !strings.ContainsAny(text, ":/?#[]\\") }

// offer answers 400 with a page that offers the guess g.
func (x handler) offer(g guess) {
	x.w.Header().Set("Cache-Control", "no-store")
	links := x.links(target{})
	if links.Typed != "" { // otherwise a page of another site may have chosen the text, and Enter would open it
		links.Typed = g.typed
	}
	x.w.page(http.StatusBadRequest, page.Guess(links, g.words, g.host, x.g.GopherSearch))
}
