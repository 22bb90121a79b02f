// Package z3950 opens z39.50s and z39.50r URLs (RFC 2056) over Z39.50-1995, the protocol of
// library catalogues (ANSI/NISO Z39.50, ISO 23950).
//
//	z39.50s://host:210/                      the databases of a server
//	z39.50s://host:210/books                 a database and how to search it
//	z39.50s://host:210/books;query=charts    the records that a search finds
//	z39.50s://host:210/books;scan=ch         the terms of an index
//	z39.50r://host:210/books?docid           a record
//
// One connection serves one request. Init agrees on versions 1 to 3 and on the size of
// messages. A search makes a result set. Its records are fetched in windows, as they are
// listed.
//
// # How the pieces work together
//
// A URL becomes a plan: the databases and the queries to try (z3950.go, query.go, pqf.go). An
// association connects and sends Init (association.go). It sends messages (apdu.go) in BER, and
// receives their replies one at a time. A search makes a resultSet on the server (resultset.go,
// sort.go). If the connection breaks later, the resultSet searches again, because the server has
// forgotten it.
//
// The Body owns the association, and the caller's calls of Next send the requests. A listing
// (listing.go) takes its entries from a resultList of records (results.go), from a scanList of
// terms (scan.go), or from the databases of the server (explain.go). A record arrives as a
// rawRecord (record.go) in one of several syntaxes (syntax.go); grs.go and opac.go convert two of
// them to text. A refusal of the server is a [Diagnostic] (diagnostic.go).
//
// Notable divergences:
//   - RFC 2056 leaves ";keyword=value" for extensions. This package has query, scan, sort,
//     record and from: see [scheme.Z3950].
//   - RFC 2056 §4 searches for a docid with the attributes docid (use 1032) and URx (structure
//     104) of Bib-1. Because few servers support them, the client then searches for the docid
//     without the structure, and then for a local number (use attribute 12).
//   - RFC 2056 §3: a URL with a docid names a database. If it does not, the database is
//     "Default".
//   - RFC 2056: a z39.50s URL with a docid starts a session. Here it lists the records that a
//     search for the docid finds.
//   - RFC 2056 does not define a login. The client sends the user and password of the URL, or
//     of Request.Login, as idPass, and if the server refuses that, as open: "user/password".
//     They are sent unencrypted, because the protocol does not use TLS.
//   - The client does not offer segmentation, access control after Init, resource control and
//     extended services.
package z3950

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/urilist"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 210

// A Client opens z39.50s and z39.50r URLs. It is an [access.Engine]. It holds no
// connections and no state. Several goroutines may use it at once.
type Client struct {
	// Dial opens a connection. If nil, every request fails.
	Dial proto.Dial

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute,
	// negative: no limit.
	Idle time.Duration

	// MaxHits is the maximum number of records or terms of a list; 0: 200, negative: no limit.
	// The last entry of a longer list has the URL at which the list continues.
	MaxHits int

	// Syntaxes are the record syntaxes, in order of preference, for URLs that do not name any:
	// "usmarc", "xml", "sutrs"; at most 20. Nil means MARC, and otherwise any syntax that the
	// server has. If Syntaxes is set and the server has none of them, a request fails.
	Syntaxes []string
}

// Do handles Get and Stat. Any other Op returns errors.ErrUnsupported.
//
// Get of a server lists its databases, if it supports Explain: the Sys of an entry is a
// [*Database]. Get of a database returns a listing with an entry to search it. Get of a query
// lists the records that the search finds: the Sys of an entry is a [*RetrievalRecord], and the
// Sys of the Resource is a [*Results]. A record that the server refuses to send is an entry of
// kind [access.Failure], whose Sys is a [*Diagnostic]. Get of a scan lists terms: the Sys of an
// entry is a [*Term].
//
// If there are more records or terms than Client.MaxHits, the Sys of the last entry is a
// [*More]. The URLs of entries do not contain the password. The Body of a list is a
// text/uri-list. Get of a list ignores req.Offset.
//
// Get of a record returns its bytes, from req.Offset on. The Sys of the Resource is a
// [*RetrievalRecord]. GRS-1 and OPAC records are converted to text.
//
// A query that starts with "@" is PQF. Any other query is a list of words that a record must
// all contain; words in quotes are a phrase. If PQF is malformed, the error wraps a
// [*QueryError].
//
// A diagnostic of the server is the Reply of the error, with its number as the code, and the
// Sys of the error.
//
// Stat of a record fetches it. Stat of a query searches, and does not fetch records. Stat of a
// server or a database only connects.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Get && req.Answers == nil:
		return engine.For(req).Result(c.open(ctx, req))
	case req.Op == access.Stat:
		return engine.For(req).Result(engine.Found(c.stat(ctx, req)))
	}
	return nil, engine.Unsupported(req)
}

// open opens the resource that the URL names, in a new association.
func (c Client) open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	p, err := c.plan(req.URL)
	if err != nil {
		return nil, err
	}
	a := c.newAssociation(ctx, req, p.view)
	r, err := c.run(a, p)
	if err != nil {
		a.Close()
		return nil, err
	}
	r.URL = req.URL
	return r, nil
}

// stat returns the entry of a URL. It connects, and for a query or a record it searches. Only for a
// record it fetches a record.
func (c Client) stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	p, err := c.plan(req.URL)
	if err != nil {
		return access.Entry{}, err
	}
	a := c.newAssociation(ctx, req, p.view)
	defer a.Close()
	if err := a.connect(); err != nil {
		return access.Entry{}, err
	}
	e := access.Entry{URL: req.URL, Size: -1, Kind: access.Directory, Type: urilist.Type}
	switch p.kind {
	case serverURL:
		e.Title = p.view.Name
	case databaseURL:
		e = a.searchEntry()
	case scanURL:
		e.Title = p.view.Scan.Text
	case recordURL:
		r, err := p.record(a)
		if err != nil {
			return access.Entry{}, err
		}
		r.URL = req.URL
		return r.Entry, nil
	default:
		set, err := p.search(a)
		if err != nil {
			return access.Entry{}, err
		}
		e.Title, e.Sys = cmp.Or(p.view.Query.Text, p.view.DocID.Text), &Results{set.hits}
	}
	a.finish()
	return e, nil
}

// A urlKind says what a URL names.
type urlKind uint8

const (
	serverURL urlKind = iota
	databaseURL
	listURL // the records that a query or a docid finds
	scanURL
	recordURL
)

// A plan is a checked URL, with the queries and settings that follow from it.
type plan struct {
	kind     urlKind
	view     scheme.Z3950
	queries  []*query // tried one after the other
	keys     []sortKey
	syntaxes []string // object identifiers
}

// maxText is the maximum number of bytes of the names and the query in a URL.
const maxText = 64 << 10

// plan parses u and returns the plan to open it. It refuses parts that cannot be sent.
func (c Client) plan(u url.URL) (p plan, err error) {
	if u.Scheme() != "z39.50s" && u.Scheme() != "z39.50r" {
		return p, access.ErrNoScheme
	}
	if p.view, err = scheme.ParseZ3950(u); err != nil {
		return p, err
	}
	if err := checkView(p.view); err != nil {
		return p, err
	}
	if p.keys, err = parseSortKeys(p.view.Sort); err != nil {
		return p, err
	}
	names := p.view.Syntaxes
	if names == nil {
		names = c.Syntaxes
	}
	if p.syntaxes, err = findSyntaxes(names); err != nil {
		return p, err
	}
	if p.syntaxes == nil {
		p.syntaxes = usualSyntaxes
	}
	return p, p.choose()
}

// checkView refuses parts with a byte that a server would take for their end, and parts that
// are too long.
func checkView(v scheme.Z3950) error {
	size := len(v.DocID.Text) + len(v.Query.Text) + len(v.Scan.Text) + len(v.User.Text) + len(v.Password.Text) + len(v.ElementSet) + len(v.Sort)
	for _, name := range v.Databases {
		size += len(name)
		if err := wire.CheckArgument("database", name, ""); err != nil {
			return err
		}
	}
	if size > maxText {
		return fmt.Errorf("a request of %d bytes, the limit is %d", size, maxText)
	}
	for _, part := range []struct{ what, text string }{
		{"element set", v.ElementSet}, {"docid", v.DocID.Text}, {"query", v.Query.Text}, {"term", v.Scan.Text}, {"user", v.User.Text}, {"password", v.Password.Text},
	} {
		if err := wire.CheckArgument(part.what, part.text, ""); err != nil {
			return err
		}
	}
	return nil
}

// choose sets the kind and the queries from the view. A URL of one record without a docid or a
// query is an error.
func (p *plan) choose() (err error) {
	v := p.view
	switch {
	case v.DocID.Present:
		p.kind = listURL
		if v.DocID.Text == "" {
			return errors.New("the docid is empty")
		}
		p.queries = docIDQueries(v.DocID.Text)
	case v.Query.Present:
		p.kind = listURL
		p.queries, err = queriesFor(v.Query.Text, useAny, useAnywhere)
	case v.Scan.Present:
		p.kind = scanURL
		p.queries, err = queriesFor(v.Scan.Text, useAny, useTitle)
	case v.Scheme == "z39.50r" || v.Record > 0:
		return errors.New("a URL of one record needs a docid or a query")
	case v.Databases != nil:
		p.kind = databaseURL
	}
	if p.kind == listURL && (v.Scheme == "z39.50r" || v.Record > 0) {
		p.kind = recordURL
	}
	return err
}

// queriesFor returns the query of a text in PQF. For words it returns one query for each use
// attribute, and one without a use attribute.
func queriesFor(text string, uses ...int64) ([]*query, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "@") {
		q, err := parsePQF(text)
		return []*query{q}, err
	}
	if n := len(splitWords(text)); n > maxOperators {
		return nil, fmt.Errorf("%d words, the limit is %d", n, maxOperators)
	}
	var queries []*query
	for _, use := range uses {
		queries = append(queries, wordsQuery(text, attr(useAttribute, use)))
	}
	queries = append(queries, wordsQuery(text))
	if queries[0] == nil {
		return nil, errors.New("there are no words to search for")
	}
	return queries, nil
}

// databasesOf returns the databases of v, or "Default" if v does not name any.
func databasesOf(v scheme.Z3950) []string {
	if v.Databases == nil {
		return []string{defaultDatabase}
	}
	return v.Databases
}

// maxHits returns MaxHits, or its default for 0, or the greatest number for a negative MaxHits.
func (c Client) maxHits() int64 {
	if c.MaxHits < 0 {
		return math.MaxInt64
	}
	return int64(cmp.Or(c.MaxHits, defaultHits))
}

// run connects and executes the plan. The Resource is a listing or a record. After an error the
// caller closes a.
func (c Client) run(a *association, p plan) (*access.Resource, error) {
	if err := a.connect(); err != nil {
		return nil, err
	}
	limit := c.maxHits()
	r := &access.Resource{Entry: access.Entry{Type: urilist.Type, Size: -1, Kind: access.Directory}}
	var list *listing
	var err error
	switch p.kind {
	case serverURL:
		list, err = a.openServer()
	case databaseURL:
		list, r.Entry = a.openDatabase(), a.searchEntry()
	case scanURL:
		list, err = a.openScan(p.queries, limit)
	case recordURL:
		return p.record(a)
	default:
		var set *resultSet
		if set, err = p.search(a); err != nil {
			return nil, err
		}
		r.Title, r.Sys = cmp.Or(p.view.Query.Text, p.view.DocID.Text), &Results{set.hits}
		list, err = a.openResults(set, limit)
	}
	if err != nil {
		return nil, err
	}
	r.Body, r.List = list, list
	return r, nil
}

// searchEntry returns the entry to search the databases of the URL.
func (a *association) searchEntry() access.Entry {
	title := "Search " + strings.Join(a.view.Databases, ", ")
	return access.Entry{Title: title, URL: a.req.URL, Kind: access.Search, Type: urilist.Type, Size: -1}
}

// search makes the result set of the URL, and sorts it as the URL asks. For a docid it tries
// the queries until one finds a record.
func (p plan) search(a *association) (*resultSet, error) {
	queries, isDocID := p.queries, p.view.DocID.Present
	for {
		set, err := a.search(defaultSet, databasesOf(p.view), queries)
		if err != nil {
			return nil, err
		}
		if isDocID && set.hits == 0 && set.query != queries[len(queries)-1] {
			queries = after(queries, set.query)
			continue
		}
		p.prepare(set)
		return set, set.sort()
	}
}

// after returns the queries after q; nil if q is the last one.
func after(queries []*query, q *query) []*query {
	for i := range queries {
		if queries[i] == q {
			return queries[i+1:]
		}
	}
	return nil
}

// prepare sets the sort keys, the syntaxes and the element set of a result set.
func (p plan) prepare(set *resultSet) {
	set.keys, set.syntaxes = p.keys, p.syntaxes
	set.elementSet = p.view.ElementSet
}

// record fetches the record of the URL, and ends the association. For a Stat the Resource has an
// empty Body.
func (p plan) record(a *association) (*access.Resource, error) {
	set, position, err := p.find(a)
	if err != nil {
		return nil, err
	}
	records, err := set.present(position, 1)
	if err != nil {
		return nil, err
	}
	first, _ := records.First()
	rec, err := parseRecord(first)
	switch {
	case err != nil:
		return nil, err
	case rec.diagnostic != nil:
		return nil, rec.diagnostic.refusal()
	}
	data, mediaType, err := rec.content()
	if err != nil {
		return nil, err
	}
	it := itemOf(rec, position)
	a.finish()
	r := &access.Resource{
		Entry: access.Entry{Title: it.title, Type: mediaType, Size: int64(len(data)), Kind: access.Object, Header: it.record.fields(), Sys: it.record},
		Body:  access.NoBody,
	}
	if a.req.Op == access.Get {
		r.Offset = min(a.req.Offset, int64(len(data)))
		r.Body = &body{ctx: a.caller, r: bytes.NewReader(data[r.Offset:])}
	}
	return r, nil
}

// find returns the result set that contains the record of the URL, and the position of the record
// in it, from 1. The error wraps fs.ErrNotExist if there is no such record, and errAmbiguous if the
// URL names several.
func (p plan) find(a *association) (set *resultSet, position int64, err error) {
	if p.view.DocID.Present && p.view.Record == 0 {
		set, err = a.findDocID(defaultSet, databasesOf(p.view), p.view.DocID.Text)
		if err != nil {
			return nil, 0, err
		}
		p.prepare(set)
		return set, 1, nil
	}
	if set, err = p.search(a); err != nil {
		return nil, 0, err
	}
	position = int64(p.view.Record)
	switch {
	case position > set.hits, set.hits == 0:
		return nil, 0, engine.Reason(fmt.Sprintf("the search found %d records", set.hits), fs.ErrNotExist)
	case position == 0 && set.hits > 1:
		return nil, 0, fmt.Errorf("%w: the search found %d records", errAmbiguous, set.hits)
	}
	return set, max(position, 1), nil
}
