// Package autoindex recognises directory pages of web servers. HTTP has no
// listings of its own.
package autoindex

import (
	"html"
	"strings"

	"locus/internal/markup"
)

// HeadSize is the number of bytes at the start of a page that Is needs. Caddy's pages
// have 15 KB of styles and icons before the first link, and the path twice.
const HeadSize = 32 << 10

// Is reports whether head is the start of an HTML page that lists a directory.
// Several goroutines may call it at once.
//
// QUIRK: such pages have the title "Index of /pub/" (Apache, nginx, lighttpd) or
// "Directory listing for /pub/" (Python, and others). Go's page has no title, and
// begins with <pre>. Caddy's has the name of the directory as its title, and a link
// that sorts it with directories first, "?sort=namedirfirst&order=desc".
func Is(head []byte) bool {
	z := markup.Tokenizer{Text: head}
	inTitle, titled, first := false, false, true
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		switch t.Kind {
		case markup.Text:
			if inTitle && isTitle(html.UnescapeString(string(head[t.From:t.To]))) {
				return true
			}
			titled = titled || inTitle
		case markup.EndTag:
			inTitle = false
		case markup.StartTag:
			switch {
			case t.Name == "pre" && first:
				return true
			case t.Name == "a" && sortsAsCaddy(head, t):
				return true
			case t.Name != "meta":
				inTitle, first = t.Name == "title" && !titled, false
			}
		}
	}
	return false
}

// isTitle reports whether a page with that title lists a directory.
func isTitle(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	return strings.HasPrefix(title, "index of") || strings.HasPrefix(title, "directory listing")
}

// sortsAsCaddy reports whether a tag is a link that only Caddy's pages have.
func sortsAsCaddy(page []byte, tag markup.Token) bool {
	href, _ := tag.Value(page, "href")
	return strings.HasPrefix(href, "?sort=namedirfirst&order=")
}
