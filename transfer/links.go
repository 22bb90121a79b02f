package transfer

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"

	"locus/url"
)

// maxToken is how long a tag or a piece of text of a page may be.
const maxToken = 1 << 20

// linked are the attributes of HTML that have the URLs of what a page is made of
// or leads to.
func linked(tag, attribute string) bool {
	switch attribute {
	case "href":
		return tag == "a" || tag == "area" || tag == "link"
	case "src":
		return true
	case "data":
		return tag == "object"
	case "poster":
		return tag == "video"
	case "background":
		return tag == "body" || tag == "table" || tag == "td"
	case "longdesc":
		return tag == "img" || tag == "frame" || tag == "iframe"
	case "cite":
		return false // it says where a text is from
	}
	return false
}

// A webPage is what a page of HTML says of itself.
type webPage struct {
	listing bool      // a server made it from a directory
	links   []url.URL // of its document, resolved, in its order
}

// readPage reads a page that is at u.
//
// QUIRK: servers that list a directory call it "Index of /pub/" (Apache, nginx,
// lighttpd, Caddy) or "Directory listing for /pub/" (Python, and others). That of
// Go has no title, and begins with <pre>.
func readPage(r io.Reader, u url.URL) (webPage, error) {
	var p webPage
	base, inTitle, based, first := u, false, false, true
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return p, err
			}
			return p, nil
		case html.TextToken:
			if inTitle {
				title := strings.ToLower(strings.TrimSpace(string(z.Text())))
				p.listing = p.listing || strings.HasPrefix(title, "index of") || strings.HasPrefix(title, "directory listing")
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			inTitle = inTitle && string(name) != "title"
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := string(name)
			inTitle = tag == "title"
			if first && tag != "meta" {
				first, p.listing = false, tag == "pre"
			}
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if tag == "base" && string(key) == "href" && !based {
					if to, ok := resolve(u, string(value)); ok {
						base, based = to, true
					}
				}
				if linked(tag, string(key)) {
					if to, ok := resolve(base, string(value)); ok {
						p.links = append(p.links, to)
					}
				}
			}
		}
	}
}

// resolve returns what a reference in a page leads to. White space around it is
// not part of it, and tabs and line ends in it are none either, as browsers
// have it; what no URL has is escaped.
func resolve(base url.URL, ref string) (url.URL, bool) {
	ref = strings.Trim(ref, " \t\n\f\r")
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	var b strings.Builder
	for i := range len(ref) {
		if c := ref[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			b.WriteString(url.Escape(string([]byte{c}), url.Set{}))
		} else {
			b.WriteByte(c)
		}
	}
	to, err := url.RFC3986.Resolve(base, b.String())
	return page(to), err == nil
}
