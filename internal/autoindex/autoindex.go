// Package autoindex knows the pages that web servers make of directories, for
// which HTTP has no word.
package autoindex

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// HeadSize is within how many octets of its start a page says that it is a listing.
const HeadSize = 16 << 10

// Is reports whether a page of HTML that begins with head was made by a server
// from a directory. It may be called by several goroutines at once.
//
// QUIRK: servers that list a directory call it "Index of /pub/" (Apache, nginx,
// lighttpd, Caddy) or "Directory listing for /pub/" (Python, and others). That of
// Go has no title, and begins with <pre>.
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
