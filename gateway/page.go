package gateway

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"locus/render"
	"locus/scheme"
	"locus/url"
)

//go:embed pages
var files embed.FS

//go:embed pages/style.css
var style []byte

// pages returns the templates. They are parsed at the first page, because most
// programs with a gateway in them never make one.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clean": render.Clean,
		"kinds": func(f scheme.Flags) string { return strings.ReplaceAll(f.String(), ",", ", ") },
	}).ParseFS(files, "pages/*.html"))
})

// A page has the data that every page shows.
type page struct {
	Origin string       // precedes the gateway's own paths; "" for a browser at it
	Style  template.CSS // "" if the page may load the style from the gateway
	Title  string
	Shown  string  // the URL, without its password; "" for the gateway's own pages
	Trail  []crumb // from the root of the host to this page
	Search string  // the URL to search; "" if it cannot be searched
	Words  string  // the words that were searched for
	About  string  // the path of the page about it; "" if there is none
	Recent string  // the URL that the browser remembers as recent; "" for none
}

// A crumb is one step of a trail.
type crumb struct {
	Title string
	Href  template.URL // "" for the last
}

// page returns the data that every page about x.url shows.
func (x *exchange) page(title string) page {
	u := x.url
	p := page{Title: title, Origin: x.origin()}
	if u.IsZero() {
		return p
	}
	p.Shown, p.Trail = u.Redacted(), x.trail(u)
	p.Recent = x.recent(u)
	p.About = x.ownURL("about?url=" + escaped(u))
	if _, ok := scheme.SearchURL(u, "x"); ok {
		p.Search, p.Words = u.String(), wordsOf(u)
	}
	return p
}

// recent returns u without its password, for the browser to remember. It is "" unless
// this is the page of u itself, for a browser at the gateway.
func (x *exchange) recent(u url.URL) string {
	if x.isProxied() || strings.HasPrefix(x.r.RequestURI, ownPath) && x.r.URL.Path != ownPath+"open" || x.r.Method != http.MethodGet {
		return ""
	}
	bare, err := u.Without(url.Password)
	if err != nil {
		return ""
	}
	return bare.String()
}

// trail returns the directories above u, from the root of its host.
func (x *exchange) trail(u url.URL) []crumb {
	host, ok := u.Host()
	if !ok || !flagsOf(u).Has(scheme.Hierarchical) {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(u.Path(), "/"), "/")
	at := "/"
	crumbs := []crumb{{serverTitle(u, host), x.pathHref(u, at)}}
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
		crumbs = append(crumbs, crumb{title, x.pathHref(u, at)})
	}
	crumbs[len(crumbs)-1].Href = ""
	return crumbs
}

// serverTitle returns the server of u: "ftp://h:2121".
func serverTitle(u url.URL, host string) string {
	if port, has := u.Port(); has && port != "" {
		host += ":" + port
	}
	return u.Scheme() + "://" + host
}

func (x *exchange) pathHref(u url.URL, dirPath string) template.URL {
	dir, err := u.Without(url.Query, url.Fragment)
	if err != nil {
		return ""
	}
	if dir, err = dir.With(url.Path, url.Some(dirPath)); err != nil {
		return ""
	}
	return x.link(dir)
}

// write writes the response: the page of the template name.
func (x *exchange) write(status int, name string, data any) {
	var text bytes.Buffer
	if err := pages().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // a template of this package has a bug
	}
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept")
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		x.w.Write(text.Bytes()) //nolint:errcheck // the browser has gone
	}
}

// mediaTypes are the media types of the gateway's own files, by the ends of their names.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// asset answers with a file of the gateway. Browsers must validate it, because a page
// needs the assets of its own version.
func (x *exchange) asset(name string) error {
	content, err := files.ReadFile("pages/" + name)
	mediaType := mediaTypes[path.Ext(name)]
	if err != nil || mediaType == "" {
		return errNoPage
	}
	h := x.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(content)))
	http.ServeContent(x.w, x.r, "", time.Time{}, bytes.NewReader(content))
	return nil
}
