package wais

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"locus/access"
	"locus/proto/internal/urilist"
	"locus/scheme"
	"locus/url"
)

const maxSource = 64 << 10

// openDatabase returns the listing of a database: its description, an entry to search it, and
// the documents that the server lists for it. To get them, and to check that the database
// exists, it searches for no words. It takes the source description from the reply or from the
// database INFO. On success it closes l.
func (c Client) openDatabase(l *link, u url.URL, v scheme.WAIS) (*access.Resource, error) {
	list, err := c.search(l, u, v, "")
	if err != nil {
		return nil, err
	}
	s, text, err := c.describe(l, list)
	if err != nil {
		return nil, err
	}
	if s == nil && !list.hasHits() {
		if _, err := c.search(l, u, v, probeWord); errors.Is(err, fs.ErrNotExist) {
			return nil, err
		} else if err := l.checkOpen(); err != nil {
			return nil, err
		}
	}
	r := &access.Resource{Entry: access.Entry{Type: urilist.Type, Size: -1}, Body: list, List: list}
	if s != nil {
		r.Type, r.Size, r.Header, r.Sys = sourceType, int64(len(text)), s.fields(), s
		list.body = bytes.NewReader(text)
	}
	list.intro = introduction(s, u, v)
	return r, l.Close()
}

// probeWord is the word that openDatabase searches for if a search for no words finds nothing.
//
// QUIRK: freeWAIS-sf 2.2 replies to a search for no words in a database that does not exist with no hits and no
// diagnostic. A search for a word gets the diagnostic S1.
const probeWord = "information"

// hasHits reports whether Next has a hit still to return.
func (l *listing) hasHits() bool {
	for rest := l.records; ; {
		el, ok, err := rest.next()
		if err != nil || !ok {
			return false
		}
		if el.isHit() {
			return true
		}
	}
}

// introduction returns the first entries of a database with the URL u: the lines of the
// description in s, which may be nil, and an entry to search the database.
func introduction(s *Source, u url.URL, v scheme.WAIS) []access.Entry {
	var entries []access.Entry
	if s != nil {
		for line := range strings.Lines(strings.TrimSpace(s.Description)) {
			entries = append(entries, access.Entry{Title: strings.TrimRight(line, "\r\n"), Kind: access.Info, Size: -1})
		}
	}
	return append(
		entries,
		access.Entry{Title: "To search, add words after a question mark to the URL: ?two+words", Kind: access.Info, Size: -1},
		access.Entry{Title: "Search " + v.Database, URL: u, Kind: access.Search, Size: -1},
	)
}

// describe fetches the source description of the database of list, and returns it parsed and as
// text. It looks for the description in list and then in INFO. Both results are nil if the
// server lacks a description, or if it cannot be fetched. describe returns an error only if the
// link is closed.
func (c Client) describe(l *link, list *listing) (*Source, []byte, error) {
	for h := range list.sources() {
		return c.source(l, list.view.Database, h)
	}
	if list.view.Database == infoDatabase {
		return nil, nil, nil
	}
	v := list.view
	v.Database = infoDatabase
	found, err := c.search(l, list.url, v, list.view.Database)
	if err != nil {
		return nil, nil, l.checkOpen()
	}
	for h := range found.sources() {
		if strings.TrimSuffix(h.Headline, ".src") == list.view.Database {
			return c.source(l, infoDatabase, h)
		}
	}
	return nil, nil, nil
}

// sources returns the hits among the records of l that are source descriptions. It does not
// consume the records.
func (l *listing) sources() iter.Seq[Hit] {
	return func(yield func(Hit) bool) {
		for rest := l.records; ; {
			el, ok, err := rest.next()
			if err != nil || !ok {
				return
			}
			if !el.isHit() {
				continue
			}
			if h, err := el.hit(); err == nil && slices.Contains(h.Types, typeSource) && !yield(h) {
				return
			}
		}
	}
}

// source fetches the source description that h names in database, and returns it parsed and as
// text. Both are nil if it cannot be fetched or parsed. The error is not nil only if the link
// is closed.
func (c Client) source(l *link, database string, h Hit) (*Source, []byte, error) {
	d := c.newDocument(l, docRef{database, typeSource, h.DocID})
	text, err := io.ReadAll(io.LimitReader(d, maxSource+1))
	if err == nil && len(text) > maxSource {
		err = errors.New("too long")
	}
	if err != nil {
		return nil, nil, l.checkOpen()
	}
	if s, err := ParseSource(text); err == nil {
		return &s, text, nil
	}
	return nil, nil, nil
}
