package page

import (
	"github.com/a-h/templ"

	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/internal/trail"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// A frame has the data that every page shows around its content.
type frame struct {
	Origin string // the prefix of the gateway's own paths, as Links.Origin
	Style  string // the style inside the page; "" if the page loads it from the gateway
	Title  string
	Shown  string        // the text in the field: the URL without its password; "" for the gateway's own pages
	Trail  []crumb       // from the root of the host to this page
	Up     templ.SafeURL // the page above; "" for the gateway's own pages
	Tools  []link        // other views of the resource, and neighbours of it
	Ticket string        // as in Links; "" for the client of a proxy
	Search string        // the URL for a field that searches there; "" for a page without that field
	Focus  bool          // the field has the focus
	Shared bool          // the browser does not remember the page
	Plain  bool          // the page does not load scripts
	Alone  bool          // the page has no field, and no links to other pages
	Words  string        // the words that were searched for
	About  templ.SafeURL // the page with details of the URL; may be empty
	Source string        // a sentence that says when the resource was recorded; "" if it comes from a server
	Replay bool          // the gateway opens an archive
	Recent string        // the URL that the browser remembers as a recent place; may be empty
}

// A crumb is one step of a trail.
type crumb struct {
	Title string
	Href  templ.SafeURL // "" for the last step, the page itself
}

// at returns the link to a path of the gateway, such as "/-/schemes".
func (p frame) at(path string) templ.SafeURL { return asLink(p.Origin + path) }

// frame returns the data that every page about l.URL shows.
func (l Links) frame(title string) frame {
	u := l.URL
	p := frame{Title: title, Origin: l.Origin, Shown: l.Typed, Shared: l.Shared}
	p.Replay = l.Replays
	if !l.Recorded.IsZero() {
		p.Source = RecordedText(l.Recorded)
	}
	if !l.Proxied && l.Ticket != nil {
		p.Ticket = l.Ticket()
	}
	if u.IsZero() {
		return p
	}
	p.Shown, p.Trail = iri.Display(u), l.trail(u)
	p.Up = l.up(p.Trail)
	p.Recent = l.recent()
	p.About = l.Own("about?url=" + Escaped(u))
	if _, ok := scheme.SearchURL(u, "x"); ok {
		p.Search, p.Words = u.String(), entry.Words(u)
	}
	return p
}

// recent returns l.URL without its password if the browser may remember it, and otherwise "".
func (l Links) recent() string {
	if !l.Remembered {
		return ""
	}
	bare, err := l.URL.Without(url.Password)
	if err != nil {
		return ""
	}
	return bare.String()
}

// trail returns links to the folders above u, from the root, and as the last crumb the name of
// u itself, without a link.
func (l Links) trail(u url.URL) []crumb {
	steps := trail.Of(u)
	crumbs := make([]crumb, 0, len(steps))
	for i, step := range steps {
		c := crumb{Title: step.Title}
		if i < len(steps)-1 {
			c.Href = l.to(step.URL)
		}
		crumbs = append(crumbs, c)
	}
	return crumbs
}

// up returns the last link in trail before its last step, which is the page itself. Without
// such a link it returns the front page.
func (l Links) up(trail []crumb) templ.SafeURL {
	for i := len(trail) - 2; i >= 0; i-- {
		if trail[i].Href != "" {
			return trail[i].Href
		}
	}
	return asLink(l.Origin + "/")
}

// titleOf returns the title of the page of l.URL: its name or, for a search, the name of the
// searched resource and the words.
func (l Links) titleOf() string {
	steps, words := trail.Of(l.URL), entry.Words(l.URL)
	if n := len(steps); words != "" && n > 1 {
		return render.Clean(steps[n-2].Title) + ": " + words
	}
	return entry.Name(l.URL)
}
