// Package autoindex recognises directory pages of web servers. HTTP has no
// listings of its own.
package autoindex

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// HeadSize is the number of bytes at the start of a page that Is needs.
const HeadSize = 16 << 10

// Is reports whether head is the start of an HTML page that lists a directory.
// Several goroutines may call it at once.
//
// QUIRK: such pages have the title "Index of /pub/" (Apache, nginx, lighttpd,
// Caddy) or "Directory listing for /pub/" (Python, and others). Go's page has
// no title, and begins with <pre>.
func Is(head []byte) bool {
	z := html.NewTokenizer(bytes.NewReader(head))
	for inTitle, first := false, true; ; {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.TextToken:
			if inTitle {
				title := strings.ToLower(strings.TrimSpace(string(z.Text())))
				return strings.HasPrefix(title, "index of") || strings.HasPrefix(title, "directory listing")
			}
		case html.EndTagToken:
			inTitle = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch tag := string(name); {
			case tag == "pre" && first:
				return true
			case tag != "meta":
				inTitle, first = tag == "title", false
			}
		}
	}
}
