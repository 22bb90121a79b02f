// Package autoindex recognises directory pages of web servers. HTTP has no
// listings of its own.
package autoindex

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
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
	z := html.NewTokenizer(bytes.NewReader(head))
	for inTitle, titled, first := false, false, true; ; {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.TextToken:
			if inTitle && isTitle(string(z.Text())) {
				return true
			}
			titled = titled || inTitle
		case html.EndTagToken:
			inTitle = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttr := z.TagName()
			switch tag := string(name); {
			case tag == "pre" && first:
				return true
			case tag == "a" && hasAttr && sortsAsCaddy(z):
				return true
			case tag != "meta":
				inTitle, first = tag == "title" && !titled, false
			}
		}
	}
}

// isTitle reports whether a page with that title lists a directory.
func isTitle(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	return strings.HasPrefix(title, "index of") || strings.HasPrefix(title, "directory listing")
}

// sortsAsCaddy reports whether the current tag is a link that only Caddy's pages have.
func sortsAsCaddy(z *html.Tokenizer) bool {
	for more := true; more; {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == "href" {
			return strings.HasPrefix(string(value), "?sort=namedirfirst&order=")
		}
	}
	return false
}
