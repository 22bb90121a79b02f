package page

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/internal/trail"
	"locus/url"
)

// A Content has the data of the page of a text, a picture, a sound or a video.
type Content struct {
	Kind    string       // as content.Viewer returns it
	Entry   access.Entry // the size, the type and the time
	Text    string       // only for a text
	Cut     bool         // the text is longer
	Problem string       // why the text is incomplete
}

// A viewPage is the page around a text, a picture, a sound or a video.
type viewPage struct {
	frame
	Kind    string        // "text", "image", "audio", "video"
	Content templ.SafeURL // the link to the bytes
	Text    []span
	Cut     bool   // the page shows only the beginning
	Problem string // why the text is incomplete
	Facts   []fact
	Raw     templ.SafeURL
}

// View returns the page around a text, a picture, a sound or a video.
func View(l Links, c Content) templ.Component {
	p := viewPage{frame: l.frame(l.titleOf()), Kind: c.Kind, Content: l.to(l.URL), Raw: l.raw(), Cut: c.Cut, Problem: c.Problem}
	p.Tools = append(l.besideLinks(), l.byteLinks()...)
	if c.Entry.Size >= 0 {
		p.Facts = append(p.Facts, fact{Name: "Size", Value: humanSize(c.Entry.Size)})
	}
	p.Facts = append(p.Facts, fact{Name: "Type", Value: cleanLine(c.Entry.Type)})
	if !c.Entry.ModTime.IsZero() {
		p.Facts = append(p.Facts, fact{Name: "Changed", Value: whenChanged(c.Entry)})
	}
	if c.Kind == "text" {
		var tools []link
		p.Text, tools = l.body(c.Text)
		p.Tools = append(p.Tools, tools...)
	}
	return p.html()
}

// byteLinks returns links to view the source of the resource and to download it. It returns nil for
// the answer to a form, because the URL alone does not open that answer.
func (l Links) byteLinks() []link {
	if l.Answers {
		return nil
	}
	return []link{{Title: "View source", Href: l.raw()}, {Title: "Download", Href: l.download(l.URL)}}
}

// besideLinks returns links to the entries before and after l.URL in the folder above it. It returns
// nil if l.URL is at the top.
func (l Links) besideLinks() []link {
	parent, ok := trail.Parent(l.URL)
	if !ok {
		return nil
	}
	return l.besideIn(parent.String(), "")
}

// A Readme is a file of a folder with a text for readers of the folder. The page of the folder shows
// the text below the listing.
type Readme struct {
	Entry   access.Entry
	Text    string
	Cut     bool   // the text is longer
	Problem string // why the text could not be read
}

// A readme is a Readme on the page.
type readme struct {
	Title   string
	Href    templ.SafeURL
	Text    []span
	Cut     bool
	Problem string
}

// readme returns r for the page, with links in its text.
func (l Links) readme(r Readme) readme {
	return readme{render.Clean(l.titleText(r.Entry)), l.to(r.Entry.URL), l.text(r.Text), r.Cut, r.Problem}
}

// readmeNames are the names of readme files in lower case. The first name that a folder has counts.
var readmeNames = []string{".message", "readme", "readme.txt", "readme.md", "00readme", "00-readme", "readme.1st", "read.me", "00-index", "00_index.txt"}

// ReadmeEntry returns the entry of the readme that the page of a listing shows below its rows. ok is
// false if the page does not show a readme.
func ReadmeEntry(l Links, shown List) (about access.Entry, ok bool) {
	d, g := shown.Display, ownSearchDropped(l, shown.Gathering)
	if g.End != nil || d.From != 0 || d.Filter != "" || !isFolder(l.URL, g.Entries) {
		return access.Entry{}, false
	}
	about = readmeOf(l.URL, g.Entries)
	return about, !about.URL.IsZero()
}

// readmeOf returns the entry of the readme of the folder at u, or the zero Entry. A readme must be in
// the folder, because the gateway opens it although the user did not ask for it.
func readmeOf(u url.URL, entries []access.Entry) access.Entry {
	best, found := len(readmeNames), access.Entry{}
	for _, e := range entries {
		i := slices.Index(readmeNames, strings.ToLower(e.Title))
		if i >= 0 && i < best && e.Kind == access.Object && entry.IsBelow(u, e.URL) {
			best, found = i, e
		}
	}
	return found
}
