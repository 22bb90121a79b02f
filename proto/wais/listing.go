package wais

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/weburl"
	"locus/proto/internal/urilist"
	"locus/scheme"
	"locus/url"
)

const (
	defaultHits = 200
	mostHits    = 100_000
)

// maxHits returns the number of documents to ask for: MaxHits, or defaultHits if MaxHits is 0. A
// negative MaxHits means mostHits, which is also the maximum.
func (c Client) maxHits() int {
	if c.MaxHits < 0 {
		return mostHits
	}
	return min(cmp.Or(c.MaxHits, defaultHits), mostHits)
}

// A listing is the Body and the List of a search or a database. The whole reply is
// in memory.
type listing struct {
	ctx         context.Context
	url         url.URL
	view        scheme.WAIS    // of url
	intro       []access.Entry // returned before the records
	more        *More          // returned after the records; nil if the list is complete
	hasNoScores bool           // the scores are all the same, because the search has no words
	records     elements       // not yet returned
	body        io.Reader      // the source description, which Read returns; nil for a text/uri-list
	text        urilist.Text   // for Read
	closed      atomic.Bool
}

// openSearch searches for the words of v, and returns the listing of the hits. On success it
// closes l, because the whole reply is in memory; on failure the caller closes l.
func (c Client) openSearch(l *link, u url.URL, v scheme.WAIS) (*access.Resource, error) {
	list, err := c.search(l, u, v, v.Search)
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{Type: urilist.Type, Size: -1}, Body: list, List: list}, l.Close()
}

// search searches the database of v for words, and returns the listing of the hits, with the URL
// u. If the reply has a diagnostic but no hits, search returns the diagnostic as an error. If it
// has both, search ignores the diagnostic, unless it says that the database does not exist.
//
// QUIRK: for a search without words in a database that does not exist, freeWAIS lists its help
// and then sends the diagnostic.
func (c Client) search(l *link, u url.URL, v scheme.WAIS, words string) (*listing, error) {
	limit := c.maxHits()
	reply, err := l.roundTrip(searchRequest(v.Database, words, limit))
	if err != nil {
		return nil, err
	}
	records, err := parseSearch(bytes.Clone(reply))
	if err != nil {
		return nil, err
	}
	found, err := countRecords(records)
	if err != nil {
		return nil, err
	}
	if found.refusal != nil && (found.hits == 0 || errors.Is(found.refusal, fs.ErrNotExist)) {
		return nil, found.refusal
	}
	list := &listing{ctx: l.caller, url: u, view: v, records: records, text: urilist.Text{Titles: true}}
	list.hasNoScores = words == "" && !hasScores(records)
	switch {
	case found.hits >= limit:
		list.more = &More{Hits: found.hits, IsLimit: true}
	case len(reply)+found.largest > serverLimit && found.hits > 0:
		list.more = &More{Hits: found.hits}
	}
	return list, nil
}

// serverLimit is the maximum number of bytes of a message of a freeWAIS server. The server
// silently omits the documents that do not fit.
const serverLimit = initSize

// A recordCount counts the records of a search.
type recordCount struct {
	hits    int
	largest int             // bytes of the largest hit
	refusal *engine.Refusal // the last diagnostic, or nil
}

// countRecords counts the hits among records, and returns their number, the size of the largest
// hit, and the last diagnostic. An element that means "no result" does not count.
func countRecords(records elements) (t recordCount, err error) {
	err = records.each(func(el element) error {
		switch {
		case el.tag == tagDiagnostic:
			t.refusal = el.diagnostic().refusal()
		case el.isHit() && !el.isNoResult():
			t.hits++
			t.largest = max(t.largest, len(el.value))
		}
		return nil
	})
	return t, err
}

// hasScores reports whether at least two hits have different scores. In a search without words,
// servers find every document with the same score.
func hasScores(records elements) bool {
	differ, first := false, int64(-1)
	_ = records.each(func(el element) error { // count has found every error
		if !el.isHit() {
			return nil
		}
		h, err := el.hit()
		if err != nil || h.Score < 0 {
			return nil //nolint:nilerr // see above
		}
		if first < 0 {
			first = h.Score
		}
		differ = differ || h.Score != first
		return nil
	})
	return differ
}

// noResult is the start of the headline of the catalog that freeWAIS sends if a search finds no
// documents.
const noResult = "Search produced no result."

// isNoResult reports whether the element, a hit, means that the search found no documents.
func (el element) isNoResult() bool {
	h, err := el.hit()
	return err == nil && h.Score <= 0 && strings.HasPrefix(h.Headline, noResult)
}

// A More is the Sys of the last entry of a list that may be incomplete. WAIS servers do not say
// how many documents they found, and cannot continue a list.
type More struct {
	Hits    int  // number of documents in the list
	IsLimit bool // Hits is Client.MaxHits; if false, the server cannot send more in one reply
}

// entry returns the last entry of the listing, which says that it may be incomplete.
func (m *More) entry() access.Entry {
	return access.Entry{Title: m.String(), Kind: access.Info, Size: -1, Incomplete: m.incomplete(), Sys: m}
}

// String returns a sentence for people about the number of documents and the possibility of
// more.
func (m *More) String() string {
	if m.IsLimit {
		return "This list has " + m.documents() + ". There may be more."
	}
	return "This list has " + m.documents() + ". The server may have more, but cannot send them in one reply."
}

// documents returns a phrase for the documents in the list, such as "the first 2 documents".
func (m *More) documents() string {
	if m.Hits == 1 {
		return "the first document"
	}
	return fmt.Sprintf("the first %d documents", m.Hits)
}

// incomplete returns the error for callers that need the whole listing. If the client can ask
// for more documents, its remedy is an access.NeedMore.
func (m *More) incomplete() error {
	if m.IsLimit {
		return access.WithRemedy(errors.New("it lists "+m.documents()+", and there may be more"), access.NeedMore{Limit: 2 * m.Hits})
	}
	return errors.New("it lists " + m.documents() + ", because the server cannot send more in one reply")
}

// Next returns the next entry, and io.EOF after the last one. The Sys of a document is a [*Hit].
func (l *listing) Next() (access.Entry, error) {
	if err := l.checkOpen(); err != nil {
		return access.Entry{}, engine.FailReading("list", l.url, err)
	}
	e, err := l.next()
	return e, engine.FailReading("list", l.url, err)
}

// next returns the entries of intro, then the hits and diagnostics of the server, then the entry
// of more, and then io.EOF. The caller checks that the listing is open. Errors do not name the
// URL.
func (l *listing) next() (access.Entry, error) {
	if len(l.intro) > 0 {
		e := l.intro[0]
		l.intro = l.intro[1:]
		return e, nil
	}
	for {
		el, ok, err := l.records.next()
		switch {
		case err != nil:
			return access.Entry{}, err
		case !ok && l.more != nil:
			e := l.more.entry()
			l.more = nil
			return e, nil
		case !ok:
			return access.Entry{}, io.EOF
		case el.tag == tagDiagnostic:
			return access.Entry{Title: el.diagnostic().String(), Kind: access.Failure, Size: -1}, nil
		case el.isHit() && !el.isNoResult():
			h, err := el.hit()
			if l.hasNoScores {
				h.Score = -1
			}
			return l.entry(&h), err
		}
	}
}

// entry returns the entry of a hit. A hit of type URL is a link to that URL. A hit that is the
// catalog of its database is a directory.
func (l *listing) entry(h *Hit) access.Entry {
	wtype := h.Types[0]
	e := access.Entry{
		Title: h.Headline, Kind: access.Object, Type: mediaType(wtype), Size: h.Size,
		ModTime: parseDate(h.Date), Name: h.fileName(), Header: h.fields(), Sys: h,
	}
	switch {
	case wtype == typeURL:
		e.URL, e.Kind, e.Type, e.Size = linkOf(h.Headline), access.Unknown, "", -1
	case h.DocID != "":
		e.URL = l.document(wtype, h.DocID).URL()
		if wtype == typeText && isCatalog(l.view.Database, h.DocID) {
			e.Kind = access.Directory
		}
	}
	return e
}

// document returns the view of the URL of a document in the same database.
func (l *listing) document(wtype, docID string) scheme.WAIS {
	return scheme.WAIS{Host: l.view.Host, Kind: scheme.WAISDocument, Database: l.view.Database, WType: wtype, DocID: docID}
}

// linkOf parses a headline as a URL, as browsers do. It returns the zero URL if the headline is
// not a URL, or if a server must not link to its scheme, such as file.
func linkOf(headline string) url.URL {
	u, err := weburl.Link(headline)
	if err != nil {
		return url.URL{}
	}
	s, known := scheme.Lookup(u.Scheme())
	switch u.Scheme() {
	case "file", "afs", "cid", "mid":
		return url.URL{}
	}
	if !known || s.Parse == nil {
		return url.URL{}
	}
	return u
}

// parseDate parses a date in the format yyyymmdd. It returns the zero time for any other text,
// such as "0", which most servers send.
func parseDate(text string) time.Time {
	t, err := time.Parse("20060102", text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// Read reads the source description of a database. Without a description it reads a
// text/uri-list (RFC 2483) of the entries that Next has not returned, with the title of each
// entry as a comment.
func (l *listing) Read(p []byte) (int, error) {
	if err := l.checkOpen(); err != nil {
		return 0, engine.FailReading("read", l.url, err)
	}
	if l.body != nil {
		return l.body.Read(p)
	}
	return l.text.Read(p, l.Next)
}

// checkOpen returns an error if the listing is closed or its context is done.
func (l *listing) checkOpen() error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	if l.closed.Load() {
		return net.ErrClosed
	}
	return nil
}

// Close makes Next and Read fail. The connection is closed already. It always returns nil.
func (l *listing) Close() error {
	l.closed.Store(true)
	return nil
}
