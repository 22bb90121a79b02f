package wais

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// maxSource is how many octets a source description may have.
const maxSource = 64 << 10

// openDatabase asks the database for help, with a search for no words: so it is
// known to be there. A server of freeWAIS answers with the source description
// and the catalog; otherwise the description is looked for in INFO.
func (c Client) openDatabase(l *link, u url.URL, v scheme.WAIS) (*access.Resource, error) {
	list, err := c.search(l, u, v, "")
	if err != nil {
		return nil, err
	}
	s, octets, err := c.describe(l, list)
	if err != nil {
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{Type: hitsType, Size: -1}, Body: list, List: list}
	if s != nil {
		r.Type, r.Size, r.Sys = sourceType, int64(len(octets)), s
		list.octets = bytes.NewReader(octets)
	}
	list.first = introduction(s, u, v)
	return r, l.Close()
}

// introduction is what there is to read about a database, and to search it.
func introduction(s *Source, u url.URL, v scheme.WAIS) []access.Entry {
	var entries []access.Entry
	if s != nil {
		for line := range strings.Lines(strings.TrimSpace(s.Description)) {
			entries = append(entries, access.Entry{Title: strings.TrimRight(line, "\r\n"), Kind: access.Info, Size: -1})
		}
	}
	return append(
		entries,
		access.Entry{Title: "Search it by words after a question mark in its URL: ?two+words", Kind: access.Info, Size: -1},
		access.Entry{Title: "Search " + v.Database, URL: u, Kind: access.Search, Size: -1},
	)
}

// describe finds the source description of the database that list is about; nil
// if the server has none. That it cannot be fetched is no error, but for what
// ends everything.
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
		return nil, nil, l.usable()
	}
	for h := range found.sources() {
		if strings.TrimSuffix(h.Headline, ".src") == list.view.Database {
			return c.source(l, infoDatabase, h)
		}
	}
	return nil, nil, nil
}

// sources gives the source descriptions among the hits.
func (l *listing) sources() func(yield func(Hit) bool) {
	return func(yield func(Hit) bool) {
		for rest := l.rest; ; {
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

// source fetches a source description and reads it.
func (c Client) source(l *link, database string, h Hit) (*Source, []byte, error) {
	d := c.newDocument(l, place{database, typeSource, h.DocID})
	octets, err := io.ReadAll(io.LimitReader(d, maxSource+1))
	if err == nil && len(octets) > maxSource {
		err = errors.New("too long")
	}
	if err != nil {
		return nil, nil, l.usable()
	}
	if s, err := ParseSource(octets); err == nil {
		return &s, octets, nil
	}
	return nil, nil, nil
}
