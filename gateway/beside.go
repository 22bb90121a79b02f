package gateway

import (
	"net/http"
	"slices"

	"locus/gateway/internal/content"
	"locus/gateway/internal/page"
)

// beside finds the URL in the query in the listing at the URL "in". The steps "next" and "previous"
// redirect the browser to the nearest entry that a browser shows. The step "thread" answers with the
// thread of the article. In every other case beside redirects to the listing.
func (x handler) beside() error {
	at, err := x.admitQuery()
	if err != nil {
		return err
	}
	in, err := x.r.parse("in")
	t := at.at(in)
	if err != nil || !at.isWanted() || withoutFragment(in) != withoutFragment(at.url) { // a ticket is valid for one URL
		if t, err = x.admit(in, err); err != nil {
			return err
		}
	}
	resource, err := x.opener().openListing(t, 0)
	if err != nil {
		return t.fails(err)
	}
	defer resource.Body.Close()
	if x.lead(t, resource.URL) {
		return nil
	}
	t = t.at(resource.URL)
	if resource.List == nil {
		x.redirectTo(t.url)
		return nil
	}
	g := content.Gather(resource.List, content.Display{}, x.g.maxEntries(), x.w.reserve)
	if g.End != nil {
		return t.fails(g.End)
	}
	rows := content.Threads(g.Entries)
	i := slices.IndexFunc(rows, func(e content.Threaded) bool { return content.IsAt(e.Entry, at.url, x.r.query("id")) })
	switch step := x.r.query("step"); {
	case step == "thread" && i >= 0:
		x.w.page(http.StatusOK, page.Thread(x.links(t), rows, i))
		return nil
	case step == "next" && i >= 0:
		i = content.NextShown(rows, i, +1)
	case step == "previous" && i >= 0:
		i = content.NextShown(rows, i, -1)
	default:
		i = -1
	}
	if i < 0 {
		x.redirectTo(t.url)
		return nil
	}
	x.redirectTo(rows[i].URL)
	return nil
}
