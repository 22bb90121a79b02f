package gateway

import (
	"html/template"
	"net/http"
	"time"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// frontPage is what the front page shows.
type frontPage struct {
	page
	Places []place
}

type place struct {
	Title, About, Shown string
	Href                template.URL
}

// front answers with the front page.
func (g *Gateway) front(w http.ResponseWriter, r *http.Request) {
	p := frontPage{page: page{Title: "locus"}}
	for _, at := range g.Places {
		p.Places = append(p.Places, place{at.Title, at.About, at.URL.Redacted(), link(at.URL)})
	}
	w.Header().Set("Cache-Control", "no-cache")
	g.write(w, r, http.StatusOK, "front", p)
}

// schemesPage is what the page of schemes shows.
type schemesPage struct {
	page
	Schemes []schemeRow
}

type schemeRow struct {
	scheme.Scheme
	Kinds string
}

// schemes answers with what is known about every scheme.
func (g *Gateway) schemes(w http.ResponseWriter, r *http.Request) {
	p := schemesPage{page: page{Title: "Schemes"}}
	for _, s := range scheme.All() {
		p.Schemes = append(p.Schemes, schemeRow{s, s.Flags.String()})
	}
	g.write(w, r, http.StatusOK, "schemes", p)
}

// aboutPage is what is known about a URL.
type aboutPage struct {
	page
	Facts  []fact
	Entry  row
	Failed string // why more is not known; "" if all went well
}

// about answers with what is known about a URL: what its text says, and what the
// server tells of its resource.
func (g *Gateway) about(w http.ResponseWriter, r *http.Request) {
	u, err := url.Parse(r.FormValue("url"))
	if err != nil || !u.IsAbs() {
		g.fail(w, r, url.URL{}, errNoScheme)
		return
	}
	p := aboutPage{page: g.page(u, "About "+titleOf(u))}
	e, err := access.Stat(r.Context(), g.opener(), &access.Request{URL: u, Password: passwordOf(r)})
	if err != nil {
		p.Failed = err.Error()
	}
	e.URL = u
	p.Entry = rowOf(e)
	p.Facts = p.Entry.Facts
	if s, ok := scheme.Lookup(u.Scheme()); ok {
		p.Facts = append(p.Facts, fact{Name: "Scheme", Value: s.Name + ", " + s.Spec})
	}
	if !e.ModTime.IsZero() {
		p.Facts = append(p.Facts, fact{Name: "Changed", Value: e.ModTime.UTC().Format(time.RFC1123)})
	}
	w.Header().Set("Cache-Control", "no-cache")
	g.write(w, r, http.StatusOK, "about", p)
}
