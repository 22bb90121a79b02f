package page

import (
	"cmp"
	"mime"
	"path"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/internal/gemtext"
	"locus/internal/render"
	"locus/url"
)

// A gemtextPage is the page of a document of Gemini.
type gemtextPage struct {
	frame
	Links
	Document content.Gemtext // without the heading that is the title of the page
	IsTitled bool            // the title of the page is from the document
	Raw      templ.SafeURL
}

// Gemtext returns the page of a document of Gemini. If the document begins with a heading, that is the title of the
// page.
func Gemtext(l Links, g content.Gemtext) templ.Component {
	p := gemtextPage{frame: l.frame(l.titleOf()), Links: l, Document: g, Raw: l.raw()}
	if title, rest, ok := g.Title(); ok {
		p.Title, p.Document, p.IsTitled = title, rest, true
	}
	p.Tools = l.byteLinks() // a server of Gemini has no listings with entries before and after the page
	return p.html()
}

// level returns the level of the HTML element for a heading of the document, such as 2 for h2. The title of the
// page is the only h1.
func (p gemtextPage) level(heading gemtext.Line) int {
	if p.IsTitled {
		return max(heading.Level, 2)
	}
	return heading.Level + 1
}

// preformattedText returns lines as the content of a pre element. It begins with a line break, because HTML ignores
// a line break at the start of the element.
func preformattedText(lines []gemtext.Line) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteByte('\n')
		b.WriteString(cleanLine(line.Text))
	}
	return b.String()
}

// rowOfLink returns the row of a link line. A line with an invalid URL gets a row without a link.
func (l Links) rowOfLink(line gemtext.Line) *row {
	u, err := l.URL.Resolve(line.URL)
	if line.URL == "" || err != nil {
		return &row{Kind: access.Unknown.String(), Icon: "file", Title: render.Clean(cmp.Or(line.Text, line.URL)), Label: "not a valid link"}
	}
	e := access.Entry{Title: line.Text, URL: u, Type: l.linkedType(u), Size: -1}
	if entry.IsSession(u) {
		e.Kind = access.Terminal
	}
	if line.Text == "" {
		e.Title = cmp.Or(line.URL, u.Redacted())
	}
	r := l.rowOf(e)
	if line.Text != "" { // otherwise the title is the URL
		r.Label = cmp.Or(r.Label, l.otherServer(u))
	}
	return &r
}

// linkedType guesses the media type of the resource at u, for an icon, from the extension in its path. It returns
// "text/plain" for an unknown extension, because most links lead to pages.
func (l Links) linkedType(u url.URL) string {
	mediaType := mime.TypeByExtension(path.Ext(u.Path()))
	switch {
	case entry.IsAddress(u):
		return "message/rfc822"
	case mediaType == "":
		return "text/plain" // because most links lead to pages
	}
	return mediaType
}

// otherServer returns the scheme of u if the page has another scheme, or else the host of u if the page has another
// host. It returns "" for a URL of the server of the page.
func (l Links) otherServer(u url.URL) string {
	host, _ := u.Host()
	own, _ := l.URL.Host()
	switch {
	case u.Scheme() != l.URL.Scheme():
		return u.Scheme()
	case !strings.EqualFold(host, own):
		return render.Clean(host)
	}
	return ""
}
