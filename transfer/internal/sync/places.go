package sync

import (
	"os"
	"path"
	"strings"

	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// The names in tree.StateDir of a copy for reading offline: the journal of its places, and the
// directory of pages as they were fetched.
const (
	placesFile = "places"
	pagesName  = "pages"
	pagesDir   = tree.StateDir + "/" + pagesName // below the root
)

// storedName returns where a page is kept as it was fetched, if it is to be converted.
func (m *crawl) storedName(name, mediaType string) string {
	if m.Convert && m.isRead(mediaType) {
		return path.Join(pagesDir, name)
	}
	return name
}

// shownName returns the name in the copy of a file with a stored name.
func shownName(name string) string { return strings.TrimPrefix(name, pagesDir+"/") }

// withShownNames returns a function that calls event with the names in the copy.
func withShownNames(event func(fetch.Event)) func(fetch.Event) {
	if event == nil {
		return nil
	}
	return func(e fetch.Event) {
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
	return &places{spill.OpenJournal[place](root, path.Join(tree.StateDir, placesFile), s), readOnly}
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
