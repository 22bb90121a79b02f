package z3950

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
	"locus/scheme"
	"locus/url"
)

const (
	firstWindow = 20  // records that the first request asks for
	maxWindow   = 512 // maximum number of records that a later request asks for
	defaultHits = 200 // maximum number of records of a list if Client.MaxHits is 0
)

// Results is the Sys of a list of records.
type Results struct {
	Hits int64 // number of records found, including those that are not listed
}

// MoreOf returns the [More] of an entry. It returns nil if e is another kind of entry, or if a
// wrapper removed its Sys.
func MoreOf(e access.Entry) *More {
	more, _ := e.Sys.(*More)
	return more
}

// A More is the Sys of the last entry of a list that is not complete.
type More struct {
	Listed int64   // number of records in the list
	Hits   int64   // number of records found; 0 for a list of terms
	Next   url.URL // where the list continues
}

// A resultList lists the records of a result set, a window at a time.
type resultList struct {
	set      *resultSet
	view     scheme.Z3950
	first    int64 // position of the first record of the list
	next     int64 // position of the next record to ask for
	last     int64 // position of the last record of the list
	window   int64
	entries  []access.Entry // not yet returned
	probed   bool           // useDocID is known
	useDocID bool           // the server finds a record by its control number
	isDone   bool           // the last entry was returned
}

// openResults lists at most limit records of a result set, from the position in the URL.
func (a *association) openResults(set *resultSet, limit int64) (*listing, error) {
	l := &resultList{set: set, view: a.view, window: firstWindow}
	l.first = max(int64(a.view.From), 1)
	l.next, l.last = l.first, set.hits
	if set.hits-l.first >= limit {
		l.last = l.first + limit - 1
	}
	if l.next <= l.last {
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
	return a.listing(l.entry), nil
}

// entry returns the next entry. When the fetched entries are used up, it fetches more. The last entry is the link to
// more records, if the result set has more than the list. After it the error is io.EOF.
func (l *resultList) entry() (access.Entry, error) {
	if len(l.entries) == 0 && l.next <= l.last {
		if err := l.fill(); err != nil {
			return access.Entry{}, err
		}
	}
	if len(l.entries) > 0 {
		e := l.entries[0]
		l.entries = l.entries[1:]
		return e, nil
	}
	if l.isDone || l.last >= l.set.hits {
		return access.Entry{}, io.EOF
	}
	l.isDone = true
	return l.more(), nil
}

// more returns the entry that links to the records after the list.
func (l *resultList) more() access.Entry {
	v := l.view
	v.From = uint64(l.last + 1)
	more := &More{Listed: l.last - l.first + 1, Hits: l.set.hits, Next: v.URL()}
	title := fmt.Sprintf("More: these are records %d to %d of %d.", l.first, l.last, l.set.hits)
	return access.Entry{Title: title, URL: more.Next, Kind: access.Directory, Size: -1, Sys: more}
}

// An item is a record of a window, from which its entry is made.
type item struct {
	summary
	record *RetrievalRecord
	kind   string // media type
	size   int64  // -1 if it is unknown until the record is opened
	failed *Diagnostic
}

// fill requests the next window and appends its records to l.entries. The caller checks that records
// are left. The window doubles up to maxWindow, but after a reply of more than preferredMessage bytes
// it is half of the last request, because the whole reply is in memory.
func (l *resultList) fill() error {
	count := min(l.window, l.last-l.next+1)
	records, err := l.set.present(l.next, count)
	if err != nil {
		return err
	}
	var items []item
	position := l.next
	err = records.Each(func(e ber.Element) error {
		if int64(len(items)) == count {
			return fmt.Errorf("%w: more records than asked for", access.ErrProtocol)
		}
		r, err := parseRecord(e)
		if err != nil {
			return err
		}
		items = append(items, itemOf(r, position))
		position++
		return nil
	})
	if err != nil {
		return malformed(err)
	}
	l.next = position
	l.window = min(2*l.window, maxWindow)
	if len(l.set.association.buf.Bytes()) > preferredMessage {
		l.window = max(count/2, 1)
	}
	if err := l.probe(items); err != nil {
		return err
	}
	for _, it := range items {
		l.entries = append(l.entries, l.entryOf(it))
	}
	return nil
}

// itemOf returns the item for the record at position. The item has only the diagnostic if the
// server sent one instead of the record.
func itemOf(r rawRecord, position int64) item {
	if r.diagnostic != nil {
		return item{failed: r.diagnostic}
	}
	it := item{summary: r.summary(), kind: contentType(syntaxes[r.syntax].mediaType, r.data), size: int64(len(r.data))}
	if r.isASN1 {
		it.size = -1
		if r.syntax == syntaxSUTRS {
			it.size = int64(len(r.value.Content))
		}
	}
	it.record = &RetrievalRecord{Database: r.database, Syntax: r.name(), Position: position, Author: it.author, Date: it.date}
	return it
}

// probe searches for the first record that has a control number, and sets useDocID if the
// server finds exactly this record by the number. Only the first such search counts; later
// calls do nothing. It searches only if the server has named result sets, because a search
// would otherwise replace the result set.
func (l *resultList) probe(items []item) error {
	if l.probed || !l.set.association.server.canName || l.view.DocID.Present {
		return nil
	}
	for _, it := range items {
		if it.number == "" {
			continue
		}
		l.probed = true
		found, err := l.set.association.findDocID("docid", l.set.databases, it.number)
		if err != nil && diagnosticOf(err) == nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errAmbiguous) {
			return err
		}
		l.useDocID = found != nil
		return nil
	}
	return nil
}

// entryOf returns the entry of an item. If the server sent a diagnostic instead of the record, the
// kind is Failure, and there is no URL. Otherwise the URL names the record by its control number, if
// the server can find records by it (useDocID), or else by its position in the query.
func (l *resultList) entryOf(it item) access.Entry {
	if it.failed != nil {
		return access.Entry{Title: it.failed.String(), Kind: access.Failure, Size: -1, Sys: it.failed}
	}
	v := l.view
	v.Scheme, v.From = "z39.50r", 0
	switch {
	case l.useDocID && it.number != "":
		v.DocID, v.Query, v.Sort = url.Some(it.number), url.Part{}, ""
	case v.DocID.Present && l.set.hits == 1:
	default:
		v.Record = uint64(it.record.Position)
	}
	return access.Entry{
		Title: cmp.Or(it.title, "Record "+strconv.FormatInt(it.record.Position, 10)), URL: v.URL(), Kind: access.Object,
		Type: it.kind, Size: it.size, Header: it.record.fields(), Sys: it.record,
	}
}

// errAmbiguous reports that a docid or a query for one record finds several records.
var errAmbiguous = errors.New("a URL of one record names several")

// docIDQueries returns the queries for a docid: first the query of RFC 2056 §4, then two that
// other servers understand.
func docIDQueries(id string) []*query {
	return []*query{
		termQuery(id, attr(useAttribute, useDocID), attr(structureAttribute, structureURx)),
		termQuery(id, attr(useAttribute, useDocID)),
		termQuery(id, attr(useAttribute, useLocalNumber)),
	}
}

// findDocID searches the databases for the record with the docid id. If it does not find exactly one,
// the error wraps fs.ErrNotExist or errAmbiguous. If the server supports none of the queries for a
// docid, the error is its refusal.
func (a *association) findDocID(name string, databases []string, id string) (*resultSet, error) {
	most := int64(0)
	var refusal error
	for _, q := range docIDQueries(id) {
		set, err := a.search(name, databases, []*query{q})
		switch {
		case err != nil && !isUnsupported(err):
			return nil, err
		case err != nil:
			refusal = err
		case set.hits == 1:
			return set, nil
		default:
			most = max(most, set.hits)
			refusal = nil
		}
	}
	switch {
	case most > 1:
		return nil, fmt.Errorf("%w: %d records have the docid", errAmbiguous, most)
	case refusal != nil:
		return nil, refusal
	}
	return nil, engine.Reason("no record has this docid", fs.ErrNotExist)
}
