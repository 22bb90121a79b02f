package page

import (
	neturl "net/url"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/trail"
	"locus/scheme"
	"locus/url"
)

// besideIn returns links to the entries before and after l.URL in a listing. id is the message-id
// of the article at l.URL, or "" if l.URL is not an article. The gateway reads the listing only when
// somebody follows a link.
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

// Thread is the page of the thread that the article rows[i] belongs to.
func Thread(l Links, rows []Threaded, i int) templ.Component {
	start, end := i, i+1
	for start > 0 && rows[start].depth > 0 {
		start--
	}
	for end < len(rows) && rows[end].depth > 0 {
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
		r.Depth, r.Facts, r.Current = min(e.depth, 8), shortFacts(r.Facts, nil, nil), start+n == i
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

// groupOf returns the URL of the listing that has the article at l.URL. It takes the URL from l.URL
// or from the newsgroups in the header of the article. It returns "" if neither has it.
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

// IsAt reports whether an entry of a listing leads to u, or to the article with this message-id.
func IsAt(e access.Entry, u url.URL, id string) bool {
	if id != "" && valueOf(e, "Message-ID") == id {
		return true
	}
	return e.URL == u || !e.URL.IsZero() && e.URL.String() == u.String()
}

// NextShown returns the index of the next entry after i, in a direction, that a browser shows. It
// returns -1 at the end of rows.
func NextShown(rows []Threaded, i, direction int) int {
	for i += direction; i >= 0 && i < len(rows); i += direction {
		e := rows[i].Entry
		base := entry.BaseType(e.Type)
		if e.Kind == access.Object && !e.URL.IsZero() && (IsShown(base) || entry.IsMessage(base) || Viewer(base) != "") {
			return i
		}
	}
	return -1
}
