package gateway

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"time"

	"locus/access"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed pages/style.css
var style []byte

// pages are the templates: one for each kind of page, and what they share.
var pages = template.Must(template.New("").Funcs(template.FuncMap{"clean": render.Clean}).ParseFS(pageFiles, "pages/*.html"))

// A page is what every page shows.
type page struct {
	Title  string
	Shown  string  // the URL, without its password; "" on pages of the gateway's own
	Trail  []crumb // the way from the root of the host to here
	Search string  // the URL to search; "" if there is nothing to search
	About  string  // the path of what is known about it; "" if nothing is
}

// A crumb is one step of a trail.
type crumb struct {
	Title string
	Href  template.URL // "" for the last
}

// page returns what every page about u shows.
func (g *Gateway) page(u url.URL, title string) page {
	p := page{Title: title}
	if u.IsZero() {
		return p
	}
	p.Shown, p.Trail = u.Redacted(), trail(u)
	p.About = own + "about?url=" + escaped(u)
	if _, ok := access.SearchURL(g.opener(), u, "x"); ok {
		p.Search = u.String()
	}
	return p
}

// trail returns the directories that u is in, from the root of its host.
func trail(u url.URL) []crumb {
	s, _ := scheme.Lookup(u.Scheme())
	host, ok := u.Host()
	if !ok || !s.Flags.Has(scheme.Hierarchical) {
		return nil
	}
	if port, has := u.Port(); has && port != "" {
		host += ":" + port
	}
	var crumbs []crumb
	segments := strings.Split(strings.TrimPrefix(u.Path(), "/"), "/")
	at := "/"
	crumbs = append(crumbs, crumb{u.Scheme() + "://" + host, pathHref(u, at)})
	for i, segment := range segments {
		if segment == "" {
			continue
		}
		title, err := url.Unescape(segment)
		if err != nil {
			title = segment
		}
		if i == len(segments)-1 {
			return append(crumbs, crumb{Title: title})
		}
		at += segment + "/"
		crumbs = append(crumbs, crumb{title, pathHref(u, at)})
	}
	crumbs[len(crumbs)-1].Href = ""
	return crumbs
}

func pathHref(u url.URL, path string) template.URL {
	v, err := u.Without(url.Query, url.Fragment)
	if err != nil {
		return ""
	}
	if v, err = v.WithPath(path); err != nil {
		return ""
	}
	return template.URL(href(v)) //nolint:gosec // href starts with "/" and a scheme
}

// write answers with a page.
func (g *Gateway) write(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // the templates are our own
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(text.Bytes()) //nolint:errcheck // the browser has gone
	}
}

// serveAsset answers with something of the gateway's own.
func serveAsset(w http.ResponseWriter, r *http.Request, mediaType string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "max-age=3600")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
