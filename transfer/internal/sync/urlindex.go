package sync

import (
	"os"
	"path"

	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// urlIndexFile is the journal of the urlIndex in tree.StateDir.
const urlIndexFile = "places"

// A urlEntry is the entry of a URL in a urlIndex. One of Name, To and Why is set.
type urlEntry struct {
	URL  string `json:"url"`            // see offline.PageID
	Name string `json:"name,omitempty"` // of the file in the copy
	Type string `json:"type,omitempty"` // of the file
	To   string `json:"to,omitempty"`   // the URL redirects there
	Why  string `json:"why,omitempty"`  // the reason if the copy lacks the file
}

// Key implements spill.Keyed.
func (e urlEntry) Key() string { return e.URL }

// A urlIndex maps URLs to the files of a copy for reading offline. Later runs of the mirror use it
// again. A nil *urlIndex is always empty.
type urlIndex struct {
	*spill.Journal[urlEntry]
	readOnly bool // in a dry run
}

// loadURLIndex opens the index below root, and reads the entries of earlier runs, if there are
// any. set does nothing if readOnly is set.
func loadURLIndex(root *os.Root, s *spill.Store, readOnly bool) *urlIndex {
	return &urlIndex{spill.OpenJournal[urlEntry](root, path.Join(tree.StateDir, urlIndexFile), s), readOnly}
}

// set adds the entry e, or replaces the entry of its URL. A nil index, and the index of a dry run,
// do not change.
func (x *urlIndex) set(e urlEntry) {
	if x == nil || x.readOnly {
		return
	}
	if before, ok := x.Get(e.URL); ok && before == e {
		return
	}
	x.Put(e)
}

// setMissing adds the reason why the copy lacks the file for a URL. An entry with the file or the
// redirect of an earlier run stays.
func (x *urlIndex) setMissing(u url.URL, why error) {
	if x == nil {
		return
	}
	id := offline.PageID(u)
	if before, ok := x.Get(id); !ok || before.Name == "" && before.To == "" {
		x.set(urlEntry{URL: id, Why: why.Error()})
	}
}

// find follows redirects in the index from u, and returns the entry of the last URL. ok is false
// if the index lacks that URL. After ten redirects it returns an entry without a name.
func (x *urlIndex) find(u url.URL) (found urlEntry, ok bool) {
	if x == nil {
		return urlEntry{}, false
	}
	id := offline.PageID(u)
	for range 10 {
		found, ok = x.Get(id)
		if !ok || found.To == "" {
			return found, ok
		}
		id = found.To
	}
	return urlEntry{Why: "it redirects too often"}, true
}

// save rewrites the journal. If complete is set, it keeps only the URLs that this run has seen.
func (x *urlIndex) save(complete bool, seen *spill.Set) error {
	if x == nil {
		return nil
	}
	return x.Save(func(key string) bool { return !complete || seen.Has(key) })
}

// close closes the journal.
func (x *urlIndex) close() {
	if x != nil {
		x.Close()
	}
}

// withShownNames returns a function that calls event with the name that a file has in the copy,
// instead of the name below offline.PagesDir. It returns nil if event is nil.
func withShownNames(event func(fetch.Event)) func(fetch.Event) {
	if event == nil {
		return nil
	}
	return func(e fetch.Event) {
		e.Name = offline.ShownName(e.Name)
		event(e)
	}
}
