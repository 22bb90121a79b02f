package transfer

import (
	"os"
	"path"
	"strings"

	"locus/internal/spill"
	"locus/url"
)

// The names in stateDir of a copy for reading offline: the journal of its places, and the
// directory of pages as they were fetched.
const (
	placesFile = "places"
	pagesName  = "pages"
	pagesDir   = stateDir + "/" + pagesName // below the root
)

// storedName returns where a page is kept as it was fetched, if it is to be converted.
func (m *mirror) storedName(name, mediaType string) string {
	if m.Convert && m.isRead(mediaType) {
		return path.Join(pagesDir, name)
	}
	return name
}

// shownName returns the name in the copy of a file with a stored name.
func shownName(name string) string { return strings.TrimPrefix(name, pagesDir+"/") }

// withShownNames returns a function that calls event with the names in the copy.
func withShownNames(event func(Event)) func(Event) {
	return func(e Event) {
		e.Name = shownName(e.Name)
		event(e)
	}
}

// A place is what a copy for reading offline remembers of a URL.
type place struct {
	URL  string `json:"url"`            // without user and "index.html"
	Name string `json:"name,omitempty"` // in the copy
	Type string `json:"type,omitempty"`
	To   string `json:"to,omitempty"`  // a redirect leads there
	Why  string `json:"why,omitempty"` // it is not in the copy
}

func (p place) Key() string { return p.URL }

// places are the places of all URLs. A nil *places remembers nothing.
type places struct {
	*spill.Journal[place]
	readOnly bool // in a dry run
}

// loadPlaces reads the file, if there is one.
func loadPlaces(root *os.Root, s *spill.Store, readOnly bool) *places {
	return &places{spill.OpenJournal[place](root, path.Join(stateDir, placesFile), s), readOnly}
}

// set remembers a place, unless it is known.
func (p *places) set(now place) {
	if p == nil || p.readOnly {
		return
	}
	if before, ok := p.Get(now.URL); ok && before == now {
		return
	}
	p.Put(now)
}

// lack remembers why a URL is not in the copy. What is there from an earlier run stays.
func (p *places) lack(u url.URL, why error) {
	if p == nil {
		return
	}
	if before, ok := p.Get(pageID(u)); !ok || before.Name == "" && before.To == "" {
		p.set(place{URL: pageID(u), Why: why.Error()})
	}
}

// find returns the place of a URL, after redirects.
func (p *places) find(u url.URL) (place, bool) {
	if p == nil {
		return place{}, false
	}
	id := pageID(u)
	for range 10 {
		found, ok := p.Get(id)
		if !ok || found.To == "" {
			return found, ok
		}
		id = found.To
	}
	return place{Why: "it redirects too often"}, true
}

// save rewrites the file. After a complete run only what that has seen stays.
func (p *places) save(complete bool, seen *spill.Set) error {
	if p == nil {
		return nil
	}
	return p.Journal.Save(func(key string) bool { return !complete || seen.Has(key) })
}

func (p *places) close() {
	if p != nil {
		p.Journal.Close()
	}
}

// typeOf returns a media type without its parameters, in lower case.
func typeOf(mediaType string) string {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	return strings.TrimSpace(mediaType)
}

// extensions are those of media types that pages load or lead to; the first is the one that
// names get. Browsers tell the type of a local file by them.
var extensions = map[string][]string{
	"text/html":                 {".html", ".htm", ".xhtml", ".xht"},
	"application/xhtml+xml":     {".xhtml", ".xht", ".html", ".htm"},
	"text/css":                  {".css"},
	"text/javascript":           {".js", ".mjs"},
	"application/javascript":    {".js", ".mjs"},
	"application/x-javascript":  {".js", ".mjs"},
	"application/json":          {".json", ".map", ".webmanifest"},
	"application/manifest+json": {".webmanifest", ".json"},
	"application/pdf":           {".pdf"},
	"application/xml":           {".xml", ".rss", ".atom", ".xsl"},
	"text/xml":                  {".xml", ".rss", ".atom", ".xsl"},
	"text/plain":                {".txt", ".text", ".md", ".log"},
	"text/vtt":                  {".vtt"},
	"image/svg+xml":             {".svg"},
	"image/png":                 {".png"},
	"image/jpeg":                {".jpg", ".jpeg"},
	"image/gif":                 {".gif"},
	"image/webp":                {".webp"},
	"image/avif":                {".avif"},
	"image/x-icon":              {".ico"},
	"image/vnd.microsoft.icon":  {".ico"},
	"font/woff":                 {".woff"},
	"font/woff2":                {".woff2"},
	"font/ttf":                  {".ttf"},
	"font/otf":                  {".otf"},
	"audio/mpeg":                {".mp3"},
	"audio/ogg":                 {".ogg", ".oga"},
	"video/mp4":                 {".mp4", ".m4v"},
	"video/webm":                {".webm"},
	"video/ogg":                 {".ogv"},
}

// extensionFor returns the extension to add to a name: that of its type if the name has
// another one; "" if the name does or the type is unknown. A picture keeps the extension of
// another picture, because browsers look into those.
func extensionFor(name, mediaType string) string {
	of := typeOf(mediaType)
	known := extensions[of]
	has := strings.ToLower(path.Ext(name))
	if len(known) == 0 {
		return ""
	}
	kind, _, _ := strings.Cut(of, "/")
	for other, all := range extensions {
		isLike := kind != "text" && kind != "application" && strings.HasPrefix(other, kind+"/")
		for _, e := range all {
			if e == has && (other == of || isLike && other != "image/svg+xml" && of != "image/svg+xml") {
				return ""
			}
		}
	}
	if of == "text/plain" && has != "" && !activeExtensions()[has] {
		return "" // such as notes.asc
	}
	return known[0]
}

// activeExtensions returns the extensions that make browsers take a local file for a page.
func activeExtensions() map[string]bool {
	return map[string]bool{".html": true, ".htm": true, ".xhtml": true, ".xht": true, ".shtml": true, ".svg": true, ".xml": true, ".mhtml": true, ".mht": true}
}
