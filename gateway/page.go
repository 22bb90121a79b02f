package gateway

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"locus/render"
	"locus/scheme"
	"locus/url"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed pages/icon.svg
var icon []byte

//go:embed pages/style.css
var style []byte

//go:embed pages/recent.js
var recentScript []byte

// pages returns the templates: one for each kind of page, and what they share. They
// are read when the first page is made, since few programs that have them make one.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"clean": render.Clean}).ParseFS(pageFiles, "pages/*.html"))
})

// A page is what every page shows.
type page struct {
	At     string       // where the gateway is: "" for a browser at it
	Style  template.CSS // "" where the page is in the gateway's origin, which has it
	Title  string
	Shown  string  // the URL, without its password; "" on pages of the gateway's own
	Trail  []crumb // the way from the root of the host to here
	Search string  // the URL to search; "" if there is nothing to search
	Words  string  // what was searched for
	About  string  // the path of what is known about it; "" if nothing is
	Recent string  // the URL, for the browser to remember as a recent place; "" if it must not
}

// A crumb is one step of a trail.
type crumb struct {
	Title string
	Href  template.URL // "" for the last
}

// page returns what every page about u shows.
func (v *visit) page(u url.URL, title string) page {
	p := page{Title: title, At: v.origin()}
	if u.IsZero() {
		return p
	}
	p.Shown, p.Trail = u.Redacted(), v.trail(u)
	p.Recent = v.recent(u)
	p.About = v.own("about?url=" + escaped(u))
	if _, ok := scheme.SearchURL(u, "x"); ok {
		p.Search, p.Words = u.String(), wordsOf(u)
	}
	return p
}

// recent returns u as a browser may remember it: without a password, and not at all
// where this is no page of u itself, or of a proxy's client.
func (v *visit) recent(u url.URL) string {
	if v.proxied() || strings.HasPrefix(v.r.RequestURI, own) && v.r.URL.Path != own+"open" || v.r.Method != http.MethodGet {
		return ""
	}
	bare, err := u.Without(url.Password)
	if err != nil {
		return ""
	}
	return bare.String()
}

// trail returns the directories that u is in, from the root of its host.
func (v *visit) trail(u url.URL) []crumb {
	s, _ := scheme.Lookup(u.Scheme())
	host, ok := u.Host()
	if !ok || !s.Flags.Has(scheme.Hierarchical) {
		return nil
	}
	var crumbs []crumb
	segments := strings.Split(strings.TrimPrefix(u.Path(), "/"), "/")
	at := "/"
	crumbs = append(crumbs, crumb{atHost(u, host), v.pathHref(u, at)})
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
		crumbs = append(crumbs, crumb{title, v.pathHref(u, at)})
	}
	crumbs[len(crumbs)-1].Href = ""
	return crumbs
}

// atHost names a server.
func atHost(u url.URL, host string) string {
	if port, has := u.Port(); has && port != "" {
		host += ":" + port
	}
	return u.Scheme() + "://" + host
}

func (v *visit) pathHref(u url.URL, path string) template.URL {
	dir, err := u.Without(url.Query, url.Fragment)
	if err != nil {
		return ""
	}
	if dir, err = dir.WithPath(path); err != nil {
		return ""
	}
	return v.link(dir)
}

// write answers with a page.
func (v *visit) write(status int, name string, data any) {
	var text bytes.Buffer
	if err := pages().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // the templates are our own
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept")
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead {
		v.w.Write(text.Bytes()) //nolint:errcheck // the browser has gone
	}
}

// serveAsset answers with something of the gateway's own. A browser asks whether
// it is still the same: pages want those of their own version.
func (v *visit) serveAsset(mediaType string, content []byte) {
	h := v.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(content)))
	http.ServeContent(v.w, v.r, "", time.Time{}, bytes.NewReader(content))
}
