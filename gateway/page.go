package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/a-h/templ"

	"locus/internal/render"
	"locus/internal/trail"
	"locus/scheme"
	"locus/url"
)

//go:embed pages
var files embed.FS

//go:embed pages/style.css
var style string

// A page has the data that every page shows.
type page struct {
	Origin string // precedes the gateway's own paths; "" for a browser at it
	Style  string // "" if the page may load the style from the gateway
	Title  string
	Shown  string        // what the field has: the URL, without its password; "" for the gateway's own pages
	Trail  []crumb       // from the root of the host to this page
	Up     templ.SafeURL // the page above; "" for the gateway's own pages
	Tools  []link        // what can be done with what the page shows
	Search string        // the URL to search; "" if it cannot be searched
	Focus  bool          // the field has the focus
	Shared bool          // the browser remembers nothing
	Plain  bool          // without scripts
	Words  string        // the words that were searched for
	About  templ.SafeURL // the path of the page about it; "" if there is none
	Recent string        // the URL that the browser remembers as recent; "" for none
}

// A crumb is one step of a trail.
type crumb struct {
	Title string
	Href  templ.SafeURL // "" for the last
}

// at returns the link to one of the gateway's own paths.
func (p page) at(path string) templ.SafeURL { return asLink(p.Origin + path) }

// page returns the data that every page about x.url shows.
func (x *exchange) page(title string) page {
	u := x.url
	p := page{Title: title, Origin: x.origin(), Shown: x.typed, Shared: x.Shared}
	if u.IsZero() {
		return p
	}
	p.Shown, p.Trail = u.Redacted(), x.trail(u)
	p.Up = x.up(p.Trail)
	p.Recent = x.recent(u)
	p.About = x.own("about?url=" + escaped(u))
	if _, ok := scheme.SearchURL(u, "x"); ok {
		p.Search, p.Words = u.String(), wordsOf(u)
	}
	return p
}

// recent returns u without its password, for the browser to remember. It is "" unless
// this is the page of u itself, for a browser at the gateway.
func (x *exchange) recent(u url.URL) string {
	if x.Shared || x.isProxied() || strings.HasPrefix(x.r.RequestURI, ownPath) && x.r.URL.Path != ownPath+"open" || x.r.Method != http.MethodGet {
		return ""
	}
	bare, err := u.Without(url.Password)
	if err != nil {
		return ""
	}
	return bare.String()
}

// trail returns the links to what is above u, and the name of u itself.
func (x *exchange) trail(u url.URL) []crumb {
	steps := trail.Of(u)
	crumbs := make([]crumb, 0, len(steps))
	for i, step := range steps {
		c := crumb{Title: step.Title}
		if i < len(steps)-1 {
			c.Href = x.link(step.URL)
		}
		crumbs = append(crumbs, c)
	}
	return crumbs
}

// up returns the link to what is above the page with a trail: the front page, if nothing
// is.
func (x *exchange) up(trail []crumb) templ.SafeURL {
	for i := len(trail) - 2; i >= 0; i-- {
		if trail[i].Href != "" {
			return trail[i].Href
		}
	}
	return asLink(x.origin() + "/")
}

// titleOf returns the title of the page of x.url.
func (x *exchange) titleOf() string {
	steps, words := trail.Of(x.url), wordsOf(x.url)
	if n := len(steps); words != "" && n > 1 {
		return render.Clean(steps[n-2].Title) + ": " + words
	}
	return nameOf(x.url)
}

// nameOf returns the name of what is at u, or its host.
func nameOf(u url.URL) string {
	if steps := trail.Of(u); len(steps) > 0 {
		title, _ := cutControl(steps[len(steps)-1].Title)
		if !isBlank(title) {
			return render.Clean(title)
		}
	}
	path := strings.TrimRight(u.Path(), "/")
	title, err := url.Unescape(path[strings.LastIndexByte(path, '/')+1:])
	if title, _ = cutControl(title); err != nil || isBlank(title) {
		host, _ := u.Host()
		return u.Scheme() + "://" + host
	}
	return render.Clean(title)
}

// wordsOf returns the words that u searches for; "" if it does not search. They are the
// query of u. If it has none, they follow the first control character in its path, as the
// tab in a gopher URL. A z39.50 URL is parsed.
func wordsOf(u url.URL) string {
	if v, err := scheme.ParseZ3950(u); err == nil {
		if v.Record > 0 {
			return ""
		}
		return render.Clean(v.Query.Text)
	}
	text, ok := u.Query()
	if ok {
		text = strings.ReplaceAll(text, "+", " ")
	} else {
		text = u.Path()
	}
	words, err := url.Unescape(text)
	if err != nil {
		return ""
	}
	if !ok {
		_, words = cutControl(words)
	}
	words, _ = cutControl(words)
	return render.Clean(words)
}

// cutControl cuts a text at its first control character.
func cutControl(text string) (before, after string) {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// smallPage is the size up to which compressing a page gains nothing: it is one packet.
const smallPage = 1 << 10

// write writes the response: a page.
func (x *exchange) write(status int, shown templ.Component) {
	var text bytes.Buffer
	if err := shown.Render(context.Background(), &text); err != nil {
		panic(err) // a template of this package has a bug
	}
	content := withoutNUL(text.Bytes())
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept")
	if x.r.Method == http.MethodHead {
		x.w.WriteHeader(status)
		return
	}
	if len(content) <= smallPage || !x.ofPage().tryReserve(len(content)+compressorSize) {
		x.w.WriteHeader(status)
		x.w.Write(content) //nolint:errcheck // the browser has gone
		return
	}
	out := x.newSpool()
	body := x.compressPage(out)
	x.w.WriteHeader(status)
	body.Write(content) //nolint:errcheck // see above
	body.Close()
	text = bytes.Buffer{} // the client may read slowly
	out.written()
	out.Close()
}

// withoutNUL returns a piece of a page with U+FFFD in place of NUL, which HTML does not have.
func withoutNUL(piece []byte) []byte {
	if bytes.IndexByte(piece, 0) < 0 {
		return piece
	}
	return bytes.ReplaceAll(piece, []byte{0}, []byte("\uFFFD"))
}

// mediaTypes returns the media types of the gateway's own files, by the ends of their names.
func mediaTypes() map[string]string {
	return map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
}

// asset answers with a file of the gateway. Browsers must validate it, because a page
// needs the assets of its own version.
func (x *exchange) asset(name string) error {
	content, err := files.ReadFile("pages/" + name)
	mediaType := mediaTypes()[path.Ext(name)]
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
