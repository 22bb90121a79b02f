// Package page makes the HTML of the gateway's pages. A page is a function of links and data: it
// does not see a request, and it does not open a URL.
//
// # How the pieces work together
//
// The gateway makes a [Links] for the client. Its links lead through the gateway, or are the URLs
// themselves for the client of a proxy (page.go). Package content reads the data, and the gateway
// passes both to the function of a page, such as [Listing] (listing.go), [Message] (message.go),
// [View] (view.go) or [Front] (own.go). The function computes every value, together with the frame
// around the content: the field, the trail and the tools (frame.go). URLs and citations in a text
// become links (text.go). Then a template, a file *.templ, makes a component of the values. It only
// formats.
//
// The component writes the HTML when the gateway renders it, in the goroutine of the request. So a
// listing makes its rows while the page is sent (rows.go, row.go), because a page of a thousand
// rows is larger than its entries. The browser loads the style and the scripts of the folder pages
// separately (assets.go).
//
// The titles and texts in the data come from strangers. Templates escape them, and render.Clean
// removes control characters and characters that change the direction of text.
package page

import (
	neturl "net/url"
	"time"

	"github.com/a-h/templ"

	"locus/gateway/internal/entry"
	"locus/internal/facts"
	"locus/url"
)

// Links makes the links of a page. The zero value makes links for a browser at the gateway, on one
// of the gateway's own pages.
type Links struct {
	// Origin is the prefix of the gateway's own paths. It is "" for a browser at the gateway.
	Origin string
	// Proxied says that the client uses the gateway as a proxy: its links are the URLs
	// themselves.
	Proxied bool
	// Shared says that the browser must not remember URLs.
	Shared bool
	// Remembered says that the page is the page of URL itself, which the browser remembers
	// as a recent place.
	Remembered bool
	// URL is the URL that the page shows. It is zero for the gateway's own pages.
	URL url.URL
	// Typed is the text that the user typed into the field. It may be empty.
	Typed string
	// Ticket returns a hidden value for the gateway's own forms, which proves to the gateway that
	// the user typed the URL into its form. It is called when the page is made, because the value
	// has the time. If it is nil, the forms have no value.
	Ticket func() string
	// Recorded is when the resource at URL was recorded in an archive. It is zero for a server.
	Recorded time.Time
	// Replays says that the gateway opens an archive instead of servers.
	Replays bool
	// Lists is the name of the gateway's own page whose listing the page shows. "" means the
	// listing at URL.
	Lists string
	// Answers says that the page shows the answer to a form, which URL alone does not open.
	Answers bool
	// Reflows says that the lines of a text are joined to paragraphs.
	Reflows bool
	// Charset is the charset of names that are not UTF-8. "" means windows-1252.
	Charset string
}

// OwnPath is the path of the gateway's own pages.
const OwnPath = "/-/"

// OwnURL returns the URL of a page of the gateway, such as "open?url=…".
func (l Links) OwnURL(page string) string { return l.Origin + OwnPath + page }

// Own returns OwnURL(page) as a link.
func (l Links) Own(page string) templ.SafeURL { return asLink(l.OwnURL(page)) }

// raw returns the link to the bytes of the resource at l.URL.
func (l Links) raw() templ.SafeURL { return l.Own("raw?url=" + Escaped(l.URL)) }

// download returns the link that makes a browser store the resource at u in a file.
func (l Links) download(u url.URL) templ.SafeURL { return l.Own("download?url=" + Escaped(u)) }

// Href returns the link to u for the client: the URL itself for the client of a proxy, and
// otherwise a path of the gateway.
func (l Links) Href(u url.URL) string {
	switch {
	case l.Proxied:
		return u.String()
	case !entry.IsLinkable(u):
		return l.OwnURL("open?url=" + Escaped(u))
	}
	return "/" + u.String()
}

// to returns Href(u) as a link of a page. It returns "" for a relative URL, and for a URL that a
// browser would run as a script.
func (l Links) to(u url.URL) templ.SafeURL {
	if !u.IsAbs() || l.Proxied && facts.RunsInBrowser(u.Scheme()) {
		return ""
	}
	href := l.Href(u)
	if u.Standard() != url.RFC3986 && facts.Of(u.Scheme()).Has(facts.Web) { // a browser keeps the text of a URL that it reads
		return templ.SafeURL(href)
	}
	return asLink(href)
}

// Escaped returns u escaped for a query.
func Escaped(u url.URL) string { return neturl.QueryEscape(u.String()) }

// asLink returns a URL as a link of a page. It escapes bytes that a browser would drop or rewrite:
// blanks, backslashes, control characters, and bytes that are not ASCII. It escapes "%" without
// two hexadecimal digits, because net/http refuses such paths. The caller has checked that a
// browser does not run the URL as a script.
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

// isOfLink reports whether asLink can keep text[i] as it is. If not, asLink must escape it. A "%"
// may stay only before two hexadecimal digits.
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
