package gateway

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// frontPage has the data of the front page.
type frontPage struct {
	page
	Groups []placeGroup
}

// A placeGroup is places under one heading.
type placeGroup struct {
	Title  string
	Places []place
}

type place struct {
	Title, About, Shown string
	Href                template.URL
}

// front answers with the front page.
func (v *visit) front() {
	p := frontPage{page: page{Title: "locus", At: v.origin()}}
	p.Groups = v.groups()
	v.w.Header().Set("Cache-Control", "no-cache")
	v.write(http.StatusOK, "front", p)
}

// groups returns the places by their headings, in the order in which these first occur.
func (v *visit) groups() []placeGroup {
	var groups []placeGroup
	for _, at := range v.Places {
		i := slices.IndexFunc(groups, func(g placeGroup) bool { return g.Title == at.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, placeGroup{Title: at.Group})
		}
		groups[i].Places = append(groups[i].Places, place{at.Title, at.About, at.URL.Redacted(), v.link(at.URL)})
	}
	return groups
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
	p := schemesPage{page: page{Title: "Schemes", At: v.origin()}}
	for _, s := range scheme.All() {
		p.Schemes = append(p.Schemes, schemeRow{s, strings.ReplaceAll(s.Flags.String(), ",", ", ")})
	}
	v.write(http.StatusOK, "schemes", p)
}

// aboutPage is what is known about a URL.
type aboutPage struct {
	page
	Facts  []fact
	Parts  []fact // of the URL
	Entry  row
	Failed string // why more is not known; "" if all went well
}

// about answers with what is known about a URL: its parts, and the attributes that the
// server gives.
func (v *visit) about() {
	u, err := url.Parse(v.query("url"))
	if err != nil || !u.IsAbs() {
		v.fail(url.URL{}, errNoScheme)
		return
	}
	p := aboutPage{page: v.page(u, "About "+nameOf(u))}
	var e access.Entry
	found, err := v.engine().Do(v.r.Context(), v.request(access.Stat, u))
	switch {
	case isPanic(err):
		v.fail(u, err)
		return
	case err != nil:
		p.Failed = translateBusy(err).Error()
	default:
		e = found.Entry
	}
	e.URL = u
	p.Entry, p.Parts = v.rowOf(e), parts(u)
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
