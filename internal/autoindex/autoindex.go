// Package autoindex recognises directory pages of web servers, and reads them, because HTTP
// does not define listings.
package autoindex

import (
	"html"
	"strings"

	"locus/internal/markup"
)

// HeadSize is the number of bytes at the start of a page that Is needs. It is so large
// because Caddy's pages have 15 KB of styles and icons before the first link, and the path
// twice.
const HeadSize = 32 << 10

// Is reports whether head is the start of an HTML page that lists a directory.
// Several goroutines may call it at once.
//
// QUIRK: such pages have the title "Index of /pub/" (Apache, nginx, lighttpd) or "Directory listing for /pub/" (Python,
// and others), or "Directory: /pub/" (Jetty). Go's page begins with <pre> and a link, without a title. Caddy's page has
// the name of the directory as its title, and a link that sorts it with directories first,
// "?sort=namedirfirst&order=desc". The page of IIS has "h - /pub/" as its title and as its heading, and <hr><pre> after
// the heading.
func Is(head []byte) bool {
	z := markup.Tokenizer{Text: head}
	p := opening{}
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		switch {
		case t.Kind == markup.Text && p.text(html.UnescapeString(string(head[t.From:t.To]))):
			return true
		case t.Kind == markup.EndTag && p.endTag(t.Name):
			return true
		case t.Kind == markup.StartTag && (p.startTag(t.Name) || t.Name == "a" && sortsAsCaddy(head, t)):
			return true
		}
	}
	return false
}

// An opening is the state of reading the start of a page. Its methods report whether the
// page is now known to be a listing.
type opening struct {
	inside  string // the element of the next text: "title", "h1" or ""
	title   string
	titled  bool
	tagged  bool   // a tag other than meta has occurred
	inGoPre bool   // only spaces have followed a <pre> that is the first tag
	iis     string // the last step of the sequence of IIS: "h1", "hr"
}

// text reads the text between two tags, decoded, and reports whether the page is now known to be a listing, because the
// text is the title of a page that lists a directory.
func (p *opening) text(text string) bool {
	p.inGoPre = p.inGoPre && strings.TrimSpace(text) == ""
	switch {
	case p.inside == "title" && !p.titled:
		p.title, p.titled = text, true
		return isTitle(text)
	case p.inside == "h1" && text == p.title && isTitleOfIIS(text):
		p.iis = "h1"
	}
	return false
}

// endTag reads an end tag, and reports whether the page is now known to be a listing: an empty <pre> is Go's page of an
// empty directory.
func (p *opening) endTag(name string) bool {
	p.inside = ""
	return name == "pre" && p.inGoPre
}

// startTag reads a start tag, and reports whether the page is now known to be a listing. Go's listing is a link in the
// first <pre>, and IIS's is a <pre> after <h1> and <hr>.
func (p *opening) startTag(name string) bool {
	wasGoPre, iis := p.inGoPre, p.iis
	p.inGoPre, p.inside, p.iis = name == "pre" && !p.tagged, "", ""
	p.tagged = p.tagged || name != "meta"
	switch name {
	case "a":
		return wasGoPre
	case "title", "h1":
		p.inside = name
	case "hr":
		if iis == "h1" {
			p.iis = "hr"
		}
	case "pre":
		return iis == "hr"
	}
	return false
}

// isTitle reports whether a title begins like the title of a listing, such as "Index of /".
func isTitle(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	for _, start := range []string{"index of", "directory listing for", "directory listing of", "directory:"} {
		if path, ok := strings.CutPrefix(title, start); ok {
			path = strings.TrimLeft(path, " \t\r\n[:")
			return strings.HasPrefix(path, "/")
		}
	}
	return false
}

// isTitleOfIIS reports whether a title has the form "host - /directory/" of IIS.
func isTitleOfIIS(title string) bool {
	host, path, ok := strings.Cut(title, " - /")
	return ok && host != "" && !strings.ContainsAny(host, " \t\r\n") && (path == "" || strings.HasSuffix(path, "/"))
}

// sortsAsCaddy reports whether a start tag is the link that sorts the entries of Caddy's pages. page is the text with
// the tag.
func sortsAsCaddy(page []byte, tag markup.Token) bool {
	href, _ := tag.Value(page, "href")
	return strings.HasPrefix(href, "?sort=namedirfirst&order=")
}
