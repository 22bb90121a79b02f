package gateway

import (
	"net/http"
	neturl "net/url"
	"slices"

	"github.com/a-h/templ"

	"locus/access"
	"locus/internal/trail"
	"locus/scheme"
	"locus/url"
)

// besideIn returns links to what stands before and after x.url in a listing. id is the
// message-id of the article at x.url; "" if it is none. The listing is read when somebody
// follows a link, not before.
func (x *exchange) besideIn(listing, id string) []link {
	to := func(step string) templ.SafeURL {
		q := "beside?step=" + step + "&in=" + neturl.QueryEscape(listing)
		if id != "" {
			q += "&id=" + neturl.QueryEscape(id)
		}
		return x.own(q + "&url=" + escaped(x.url))
	}
	links := []link{{Title: "Previous", Href: to("previous"), Rel: "prev"}, {Title: "Next", Href: to("next"), Rel: "next"}}
	if id != "" {
		links = append(links, link{Title: "Thread", Href: to("thread")})
	}
	return links
}

// beside redirects the browser to what stands before or after x.url in a listing. At the
// end of the listing it redirects to the listing. It shows the thread of an article.
func (x *exchange) beside() error {
	if err := x.readURL(); err != nil {
		return err
	}
	at := x.url
	if err := x.setURL(url.Parse(x.query("in"))); err != nil {
		return err
	}
	resource, err := x.openURL()
	if err != nil {
		return err
	}
	defer resource.Body.Close()
	if resource.List == nil {
		x.redirect(x.href(x.url))
		return nil
	}
	g := x.gather(resource.List, display{}, x.maxEntries())
	if g.end != nil {
		return g.end
	}
	rows := threads(g.entries)
	i := slices.IndexFunc(rows, func(e threaded) bool { return isAt(e.Entry, at, x.query("id")) })
	switch step := x.query("step"); {
	case step == "thread" && i >= 0:
		x.thread(rows, i)
		return nil
	case step == "next" && i >= 0:
		i = nextShown(rows, i, +1)
	case step == "previous" && i >= 0:
		i = nextShown(rows, i, -1)
	default:
		i = -1
	}
	if i < 0 {
		x.redirect(x.href(x.url))
		return nil
	}
	x.redirect(x.href(rows[i].URL))
	return nil
}

// isAt reports whether an entry of a listing leads to u, or to the article id.
func isAt(e access.Entry, u url.URL, id string) bool {
	if id != "" && valueOf(e, "Message-ID") == id {
		return true
	}
	return e.URL == u || !e.URL.IsZero() && e.URL.String() == u.String()
}

// nextShown returns the first entry from i on in a direction that a browser shows; -1 if
// there is none.
func nextShown(rows []threaded, i, direction int) int {
	for i += direction; i >= 0 && i < len(rows); i += direction {
		e := rows[i].Entry
		base := baseType(e.Type)
		if e.Kind == access.Object && !e.URL.IsZero() && (isShownType(base) || isMessage(base) || viewKind(base) != "") {
			return i
		}
	}
	return -1
}

// thread answers with the page of the thread that the article rows[i] belongs to.
func (x *exchange) thread(rows []threaded, i int) {
	start, end := i, i+1
	for start > 0 && rows[start].depth > 0 {
		start--
	}
	for end < len(rows) && rows[end].depth > 0 {
		end++
	}
	p := threadPage{page: x.page("Thread: " + cleanLine(rows[start].Title)), Summary: counted(end-start, "article", "articles")}
	p.Trail = append(p.Trail, crumb{Title: "Thread"})
	if n := len(p.Trail); n > 1 {
		p.Trail[n-2].Href = x.link(x.url)
		p.Up = p.Trail[n-2].Href
	}
	for n, e := range rows[start:end] {
		r := x.rowOf(e.Entry)
		r.Depth, r.Facts, r.Current = min(e.depth, 8), shortFacts(r.Facts, nil, nil), start+n == i
		p.Rows = append(p.Rows, r)
	}
	x.write(http.StatusOK, p.html())
}

// A threadPage is the page of a thread.
type threadPage struct {
	page
	Summary string
	Rows    []row
}

// groupOf returns the listing that the article at x.url stands in, by its own URL or by
// the newsgroups in its header; "" if that is not known.
func (x *exchange) groupOf(newsgroups []string) string {
	if parent, ok := trail.Parent(x.url); ok && len(trail.Of(x.url)) > 2 {
		return parent.String()
	}
	for _, name := range newsgroups {
		if u, ok := scheme.Cite(x.url, name); ok {
			return u.String()
		}
	}
	return ""
}
