// Package page has the gateway's pages: functions that make HTML of links and data. They
// know no request and open nothing.
//
//	Links            the links of a page, for one client: through the gateway, or the URLs
//	                 themselves for the client of a proxy. Every function starts with them.
//	frame            what every page shows around its content: the field, the trail, tools
//	Front … Session  one function for each page. It takes the data of the page, and returns a
//	                 component, which is written when it is rendered.
//	Gather           reads what one page shows of a listing. Listing makes the page of that.
//	ReadText, ReadMail, ReadBibliography
//	                 read what a page shows of a text, a mail and bibliographic records
//	*.templ          the HTML. A template formats: whatever it needs is computed before.
//	pages/           the style and the scripts, which Asset returns
package page

import (
	neturl "net/url"

	"github.com/a-h/templ"

	"locus/gateway/internal/entry"
	"locus/internal/facts"
	"locus/url"
)

// Links has what the links of a page depend on. The zero value makes links for a browser at
// the gateway, on a page that is about no URL.
type Links struct {
	// Origin precedes the gateway's own paths; "" for a browser at the gateway.
	Origin string
	// Proxied says that the client uses the gateway as a proxy: its links are the URLs
	// themselves.
	Proxied bool
	// Shared says that the browser must remember nothing.
	Shared bool
	// Remembered says that the page is the page of URL itself, which the browser remembers
	// as a recent place.
	Remembered bool
	// URL is what the page is about; zero for the gateway's own pages.
	URL url.URL
	// Typed is what the user typed into the field; "" if nothing.
	Typed string
	// Ticket proves to the gateway that its own form has a URL which the user typed.
	Ticket string
	// Charset is the charset of names that are not UTF-8; "" is windows-1252.
	Charset string
}

// OwnPath is the path of the gateway's own pages.
const OwnPath = "/-/"

// OwnURL returns the URL of one of the gateway's own pages, such as "open?url=…".
func (l Links) OwnURL(page string) string { return l.Origin + OwnPath + page }

// Own is OwnURL as a link.
func (l Links) Own(page string) templ.SafeURL { return asLink(l.OwnURL(page)) }

// raw returns the link to the bytes of the resource, which has a page.
func (l Links) raw() templ.SafeURL { return l.Own("raw?url=" + Escaped(l.URL)) }

// download returns the link that stores a resource in a file.
func (l Links) download(u url.URL) templ.SafeURL { return l.Own("download?url=" + Escaped(u)) }

// Href returns the link to u for the client.
func (l Links) Href(u url.URL) string {
	switch {
	case l.Proxied:
		return u.String()
	case entry.HasDots(u.Path()):
		return l.OwnURL("open?url=" + Escaped(u))
	}
	return "/" + u.String()
}

// to returns Href as a link of a page. It is "" for a relative URL, and for one that a
// browser would run as a script.
func (l Links) to(u url.URL) templ.SafeURL {
	if !u.IsAbs() || l.Proxied && facts.RunsInBrowser(u.Scheme()) {
		return ""
	}
	return asLink(l.Href(u))
}

// Escaped returns u escaped for a query.
func Escaped(u url.URL) string { return neturl.QueryEscape(u.String()) }

// asLink returns a URL as a link of a page. It escapes what a browser would drop or
// rewrite: blanks, backslashes, control characters, and bytes that are not ASCII. It escapes
// "%" where no escape follows, because net/http refuses such paths. A browser must not run
// the URL as a script: the caller has checked that.
func asLink(text string) templ.SafeURL {
	const hex = "0123456789ABCDEF"
	first := 0
	for first < len(text) && isOfLink(text, first) {
		first++
	}
	if first == len(text) {
		return templ.SafeURL(text)
	}
	escaped := append(make([]byte, 0, len(text)+16), text[:first]...)
	for i := first; i < len(text); i++ {
		if c := text[i]; isOfLink(text, i) {
			escaped = append(escaped, c)
		} else {
			escaped = append(escaped, '%', hex[c>>4], hex[c&15])
		}
	}
	return templ.SafeURL(escaped)
}

// isOfLink reports whether text[i] stands for itself in a link.
func isOfLink(text string, i int) bool {
	switch c := text[i]; c {
	case '"', '<', '>', '\\', '^', '`', '{', '|', '}':
		return false
	case '%':
		return i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2])
	default:
		return ' ' < c && c <= '~'
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
