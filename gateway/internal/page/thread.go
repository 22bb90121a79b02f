package page

import (
	neturl "net/url"

	"github.com/a-h/templ"

	"locus/gateway/internal/content"
	"locus/internal/trail"
	"locus/scheme"
)

// besideIn returns links to the entries before and after l.URL in the listing at a URL, and to the
// thread of the article at l.URL. id is the message-id of the article. If id is "", l.URL is not an
// article, and there is no link to a thread. The gateway reads the listing only when somebody
// follows a link.
func (l Links) besideIn(listing, id string) []link {
	to := func(step string) templ.SafeURL {
		q := "beside?step=" + step + "&in=" + neturl.QueryEscape(listing)
		if id != "" {
			q += "&id=" + neturl.QueryEscape(id)
		}
		return l.Own(q + "&url=" + Escaped(l.URL))
	}
	links := []link{{Title: "Previous", Href: to("previous"), Rel: "prev"}, {Title: "Next", Href: to("next"), Rel: "next"}}
	if id != "" {
		links = append(links, link{Title: "Thread", Href: to("thread")})
	}
	return links
}

// Thread returns the page of the thread that the article rows[i] belongs to. rows are the entries
// of the listing at l.URL.
func Thread(l Links, rows []content.Threaded, i int) templ.Component {
	start, end := i, i+1
	for start > 0 && rows[start].Depth > 0 {
		start--
	}
	for end < len(rows) && rows[end].Depth > 0 {
		end++
	}
	p := threadPage{frame: l.frame("Thread: " + cleanLine(rows[start].Title)), Summary: counted(end-start, "article", "articles")}
	p.Trail = append(p.Trail, crumb{Title: "Thread"})
	if n := len(p.Trail); n > 1 {
		p.Trail[n-2].Href = l.to(l.URL)
		p.Up = p.Trail[n-2].Href
	}
	for n, e := range rows[start:end] {
		r := l.rowOf(e.Entry)
		r.Depth, r.Facts, r.Current = min(e.Depth, 8), shortFacts(r.Facts, nil, nil), start+n == i
		p.Rows = append(p.Rows, r)
	}
	return p.html()
}

// A threadPage is the page of a thread.
type threadPage struct {
	frame
	Summary string
	Rows    []row
}

// groupOf returns the URL of the listing that has the article at l.URL, as a text. It takes the URL
// from l.URL or from newsgroups, the names in the header of the article. It returns "" if neither
// leads to a listing.
func (l Links) groupOf(newsgroups []string) string {
	if parent, ok := trail.Parent(l.URL); ok && len(trail.Of(l.URL)) > 2 {
		return parent.String()
	}
	for _, name := range newsgroups {
		if u, ok := scheme.Cite(l.URL, name); ok {
			return u.String()
		}
	}
	return ""
}
