package gateway

import (
	"net/http"
	"slices"

	"locus/gateway/internal/page"
	"locus/url"
)

// beside finds x.url in the listing at the URL "in". The steps "next" and "previous" redirect the
// browser to the nearest entry that a browser shows. The step "thread" answers with the thread of the
// article. In every other case beside redirects to the listing.
func (x viewer) beside() error {
	if err := x.admitQuery(); err != nil {
		return err
	}
	at := x.url
	if err := x.admit(url.Parse(x.query("in"))); err != nil {
		return err
	}
	resource, err := x.openURL()
	if err != nil {
		return err
	}
	defer resource.Body.Close()
	if resource.List == nil {
		x.redirectTo(x.url)
		return nil
	}
	g := page.Gather(resource.List, page.Display{}, x.maxEntries(), x.reserve)
	if g.End != nil {
		return g.End
	}
	rows := page.Threads(g.Entries)
	i := slices.IndexFunc(rows, func(e page.Threaded) bool { return page.IsAt(e.Entry, at, x.query("id")) })
	switch step := x.query("step"); {
	case step == "thread" && i >= 0:
		x.write(http.StatusOK, page.Thread(x.links(), rows, i))
		return nil
	case step == "next" && i >= 0:
		i = page.NextShown(rows, i, +1)
	case step == "previous" && i >= 0:
		i = page.NextShown(rows, i, -1)
	default:
		i = -1
	}
	if i < 0 {
		x.redirectTo(x.url)
		return nil
	}
	x.redirectTo(rows[i].URL)
	return nil
}
