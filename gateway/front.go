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
func (v *visit) front() {
	p := frontPage{page: page{Title: "locus", At: v.origin}}
	for _, at := range v.Places {
		p.Places = append(p.Places, place{at.Title, at.About, at.URL.Redacted(), v.link(at.URL)})
	}
	v.w.Header().Set("Cache-Control", "no-cache")
	v.write(http.StatusOK, "front", p)
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
func (v *visit) schemes() {
	p := schemesPage{page: page{Title: "Schemes", At: v.origin}}
	for _, s := range scheme.All() {
		p.Schemes = append(p.Schemes, schemeRow{s, s.Flags.String()})
	}
	v.write(http.StatusOK, "schemes", p)
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
func (v *visit) about() {
	u, err := url.Parse(v.r.FormValue("url"))
	if err != nil || !u.IsAbs() {
		v.fail(url.URL{}, errNoScheme)
		return
	}
	done, ok := v.await(u)
	if !ok {
		return
	}
	defer done()
	p := aboutPage{page: v.page(u, "About "+titleOf(u))}
	e, err := access.Stat(v.r.Context(), v.opener(), &access.Request{URL: u, Password: v.password()})
	if err != nil {
		p.Failed = err.Error()
	}
	e.URL = u
	p.Entry = v.rowOf(e)
	p.Facts = p.Entry.Facts
	if s, ok := scheme.Lookup(u.Scheme()); ok {
		p.Facts = append(p.Facts, fact{Name: "Scheme", Value: s.Name + ", " + s.Spec})
	}
	if !e.ModTime.IsZero() {
		p.Facts = append(p.Facts, fact{Name: "Changed", Value: e.ModTime.UTC().Format(time.RFC1123)})
	}
	v.w.Header().Set("Cache-Control", "no-cache")
	v.write(http.StatusOK, "about", p)
}
