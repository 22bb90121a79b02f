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
func (x *exchange) front() {
	p := frontPage{page: page{Title: "locus", Origin: x.origin()}}
	p.Groups = x.groups()
	x.w.Header().Set("Cache-Control", "no-cache")
	x.write(http.StatusOK, "front", p)
}

// groups returns the places by their headings, in the order in which these first occur.
func (x *exchange) groups() []placeGroup {
	var groups []placeGroup
	for _, at := range x.Places {
		i := slices.IndexFunc(groups, func(g placeGroup) bool { return g.Title == at.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, placeGroup{Title: at.Group})
		}
		groups[i].Places = append(groups[i].Places, place{at.Title, at.About, at.URL.Redacted(), x.link(at.URL)})
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

// schemes answers with the page of all schemes.
func (x *exchange) schemes() {
	p := schemesPage{page: page{Title: "Schemes", Origin: x.origin()}}
	for _, s := range scheme.All() {
		p.Schemes = append(p.Schemes, schemeRow{s, strings.ReplaceAll(s.Flags.String(), ",", ", ")})
	}
	x.write(http.StatusOK, "schemes", p)
}

// aboutPage has the data of the page about a URL.
type aboutPage struct {
	page
	Facts  []fact
	Parts  []fact // of the URL
	Entry  row
	Failed string // why the server gave no attributes; "" if it did
}

// about answers with the page about a URL: its parts, and its attributes at the server.
func (x *exchange) about() {
	u, err := url.Parse(x.query("url"))
	if err != nil || !u.IsAbs() {
		x.fail(url.URL{}, errNoScheme)
		return
	}
	p := aboutPage{page: x.page(u, "About "+nameOf(u))}
	e := access.Entry{Size: -1}
	found, err := x.engine().Do(x.r.Context(), x.request(access.Stat, u))
	switch {
	case isPanic(err):
		x.fail(u, err)
		return
	case err != nil:
		p.Failed = translateBusy(err).Error()
	default:
		e = found.Entry
	}
	e.URL = u
	p.Entry, p.Parts = x.rowOf(e), parts(u)
	p.Facts = p.Entry.Facts
	if s, ok := scheme.Lookup(u.Scheme()); ok {
		p.Facts = append(p.Facts, fact{Name: "Scheme", Value: s.Name + ", " + s.Spec})
	}
	if !e.ModTime.IsZero() {
		p.Facts = append(p.Facts, fact{Name: "Changed", Value: e.ModTime.UTC().Format(time.RFC1123)})
	}
	x.w.Header().Set("Cache-Control", "no-cache")
	x.write(http.StatusOK, "about", p)
}
