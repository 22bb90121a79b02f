package wais

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

const usualHits = 200

// A listing is the Body of a search and of a database. All of it has arrived:
// the entries are made one by one.
type listing struct {
	ctx    context.Context
	url    url.URL
	view   scheme.WAIS    // of url
	first  []access.Entry // before the records
	rest   elements       // the records
	octets io.Reader      // what Read gives; nil for the URLs of the entries
	line   bytes.Buffer   // of those
	closed atomic.Bool
}

func (c Client) openSearch(l *link, u url.URL, v scheme.WAIS) (*access.Resource, error) {
	words, _ := scheme.Words(u)
	list, err := c.search(l, u, v, words)
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{Type: hitsType, Size: -1}, Body: list, List: list}, l.Close()
}

// search searches the database of v. That nothing but a diagnostic comes back
// is its error.
func (c Client) search(l *link, u url.URL, v scheme.WAIS, words string) (*listing, error) {
	answer, err := l.exchange(searchRequest(v.Database, words, cmp.Or(c.MaxHits, usualHits)))
	if err != nil {
		return nil, err
	}
	records, err := parseSearch(bytes.Clone(answer))
	if err != nil {
		return nil, err
	}
	var said *access.Refusal
	hits := 0
	err = records.each(func(el element) error {
		if el.tag == tagDiagnostic {
			said = el.diagnostic().refusal()
		} else if el.isHit() {
			hits++
		}
		return nil
	})
	if err == nil && hits == 0 && said != nil {
		return nil, said
	}
	return &listing{ctx: l.caller, url: u, view: v, rest: records}, err
}

// Next returns the next entry. The Sys of one that is a document is a [*Hit].
func (l *listing) Next() (access.Entry, error) {
	if err := l.usable(); err != nil {
		return access.Entry{}, access.FailReading("list", l.url, err)
	}
	e, err := l.next()
	return e, access.FailReading("list", l.url, err)
}

func (l *listing) next() (access.Entry, error) {
	if len(l.first) > 0 {
		e := l.first[0]
		l.first = l.first[1:]
		return e, nil
	}
	for {
		el, ok, err := l.rest.next()
		switch {
		case err != nil:
			return access.Entry{}, err
		case !ok:
			return access.Entry{}, io.EOF
		case el.tag == tagDiagnostic:
			return access.Entry{Title: el.diagnostic().String(), Kind: access.Failure, Size: -1}, nil
		case el.isHit():
			h, err := el.hit()
			return l.entry(&h), err
		}
	}
}

// entry makes an entry of a document that was found.
func (l *listing) entry(h *Hit) access.Entry {
	wtype := h.Types[0]
	e := access.Entry{
		Title: h.Headline, Kind: access.Object, Type: mediaType(wtype), Size: h.Size,
		ModTime: parseDate(h.Date), Sys: h,
	}
	switch {
	case wtype == typeURL:
		e.URL, e.Kind, e.Type, e.Size = linkOf(h.Headline), access.Unknown, "", -1
	case h.DocID != "":
		e.URL = l.document(wtype, h.DocID).URL()
	}
	return e
}

// document returns the view of a document in the same database.
func (l *listing) document(wtype, docID string) scheme.WAIS {
	return scheme.WAIS{Host: l.view.Host, Kind: scheme.WAISDocument, Database: l.view.Database, WType: wtype, DocID: docID}
}

// linkOf returns the URL that a headline is; the zero URL if it is none, or one
// that a stranger's list must not lead to: a file of the reader.
func linkOf(headline string) url.URL {
	u, err := url.Parse(strings.TrimSpace(headline))
	if err != nil {
		return url.URL{}
	}
	s, known := scheme.Lookup(u.Scheme())
	switch u.Scheme() {
	case "file", "cid", "mid":
		return url.URL{}
	}
	if !known || s.Parse == nil {
		return url.URL{}
	}
	return u
}

// parseDate reads yyyymmdd; zero if it is not that. Servers send "0" mostly.
func parseDate(text string) time.Time {
	t, err := time.Parse("20060102", text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// Read gives the source description of a database, or a text/uri-list (RFC 2483):
// the title of each entry as a comment, and its URL.
func (l *listing) Read(p []byte) (int, error) {
	if err := l.usable(); err != nil {
		return 0, access.FailReading("read", l.url, err)
	}
	if l.octets != nil {
		return l.octets.Read(p)
	}
	for l.line.Len() == 0 {
		e, err := l.Next()
		if err != nil {
			return 0, err
		}
		l.line.WriteString("# " + oneLine(e.Title) + "\r\n")
		if !e.URL.IsZero() {
			l.line.WriteString(e.URL.String() + "\r\n")
		}
	}
	return l.line.Read(p)
}

// oneLine returns text without what would end a line.
func oneLine(text string) string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
}

func (l *listing) usable() error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	if l.closed.Load() {
		return net.ErrClosed
	}
	return nil
}

// Close ends the listing; the connection is closed already.
func (l *listing) Close() error {
	l.closed.Store(true)
	return nil
}
