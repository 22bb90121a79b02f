package z3950

import (
	"cmp"
	"errors"
	"io"
	"strconv"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
	"locus/scheme"
	"locus/url"
)

// A Term is the Sys of an entry for a term of an index.
type Term struct {
	Records int64 // number of records that have the term; -1 if unknown
}

// fields returns the number of records as a header field; nil if the number is unknown.
func (t *Term) fields() access.Header {
	if t.Records < 0 {
		return nil
	}
	return access.Header{{Name: "Records", Value: strconv.FormatInt(t.Records, 10)}}
}

// scanWindow is the number of terms that one request asks for.
const scanWindow = 100

// A scanList lists the terms of an index.
type scanList struct {
	association *association
	databases   []string
	query       *query // starts at the next term
	isLater     bool   // the term of query is already in the list, because a scan begins with its start term
	left        int64  // maximum number of further terms
	isAtEnd     bool
	entries     []access.Entry // not yet returned
	more        access.Entry   // the last entry, if the list is not complete
}

// openScan lists at most limit terms, from the term in the URL. It tries the queries in order until
// the server supports one.
func (a *association) openScan(queries []*query, limit int64) (*listing, error) {
	if !a.server.CanScan {
		return nil, engine.Reason("the server does not list the terms of its indexes", errors.ErrUnsupported)
	}
	var refusal error
	for _, q := range queries {
		if q.root.op != 0 || q.root.set != "" {
			return nil, errors.New("a scan starts at one term, without operators")
		}
		l := &scanList{association: a, databases: databasesOf(a.view), query: q, left: limit}
		err := l.fill()
		if err == nil {
			return a.listing(l.next), nil
		}
		if !isUnsupported(err) {
			return nil, err
		}
		if refusal == nil {
			refusal = err
		}
	}
	return nil, refusal
}

// next returns the next term. When the received terms are used up, it asks for more. The last entry
// is the link to the next page, if there is one. After it the error is io.EOF.
func (l *scanList) next() (access.Entry, error) {
	if len(l.entries) == 0 && l.left > 0 && !l.isAtEnd {
		if err := l.fill(); err != nil {
			return access.Entry{}, err
		}
	}
	if len(l.entries) == 0 {
		if more := l.more; more.Kind != access.Unknown {
			l.more = access.Entry{}
			return more, nil
		}
		return access.Entry{}, io.EOF
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

// fill asks for at most scanWindow more terms, and appends them to entries. A later request starts
// with the last term of the reply before, and fill skips this term. If the reply is short, the list
// is at its end.
func (l *scanList) fill() error {
	count := min(l.left, scanWindow)
	if l.isLater {
		count++
	}
	m, err := l.association.roundTrip(scanRequest(l.databases, l.query, count), tagScanResponse)
	if err != nil {
		return err
	}
	got, last := int64(0), ""
	err = l.eachTerm(m, func(text, shown string, records int64) {
		got++
		if got == 1 && l.isLater && text == l.query.root.term.text || int64(len(l.entries)) >= l.left {
			return
		}
		l.entries = append(l.entries, l.entry(text, shown, records))
		last = text
	})
	if err != nil {
		return err
	}
	if l.isAtEnd = got < count || len(l.entries) == 0; l.isAtEnd {
		return nil
	}
	l.left -= int64(len(l.entries))
	l.query, l.isLater = l.withTerm(last), true
	if l.left == 0 {
		l.more = l.nextPage()
	}
	return nil
}

// eachTerm calls f for each term of m, a ScanResponse. shown is the text to show for the term, and
// records the number of records that have it; -1 if the server does not say. A diagnostic in m is
// an error, unless it means the end of the index.
func (l *scanList) eachTerm(m ber.Element, f func(text, shown string, records int64)) error {
	list, _ := m.Find(7)
	if diagnostics, ok := list.Find(2); ok {
		first, _ := diagnostics.First()
		d, err := parseDiagRec(first)
		const endOfList = 241
		if err != nil {
			return err
		}
		if d.Condition != endOfList {
			return d.refusal()
		}
	}
	entries, _ := list.Find(1)
	return malformed(entries.Each(func(e ber.Element) error {
		if !e.Is(1) {
			return nil // a diagnostic in place of a term
		}
		text, shown, records := "", "", int64(-1)
		err := e.Each(func(part ber.Element) (err error) {
			switch {
			case part.Is(45), part.Is(uint32(termText)):
				text = part.Text()
			case part.Is(0):
				shown = part.Text()
			case part.Is(2):
				records, err = part.Int()
			}
			return err
		})
		f(text, cmp.Or(shown, text), records)
		return err
	}))
}

// withTerm returns a query for text in the index of l, with the attributes of l.query.
func (l *scanList) withTerm(text string) *query {
	t := l.query.root.term
	t.text, t.kind = text, termGeneral
	return &query{set: l.query.set, root: &node{term: t}}
}

// entry returns the entry of the term text, which links to the search for the term. shown is its
// title, and records the number of records with the term; -1 if it is unknown.
func (l *scanList) entry(text, shown string, records int64) access.Entry {
	v := l.view()
	v.Query = url.Some(l.withTerm(text).String())
	if len(l.query.root.term.attributes) == 0 {
		v.Query = url.Some(quotePQF(text))
	}
	t := &Term{records}
	return access.Entry{Title: shown, URL: v.URL(), Kind: access.Directory, Size: -1, Header: t.fields(), Sys: t}
}

// nextPage returns the entry for the terms after the last one.
func (l *scanList) nextPage() access.Entry {
	v := l.view()
	v.Scan = url.Some(l.query.String())
	return access.Entry{Title: "More terms", URL: v.URL(), Kind: access.Directory, Size: -1, Sys: &More{Next: v.URL()}}
}

// view returns the view of a z39.50s URL for the databases, without a query or scan.
func (l *scanList) view() scheme.Z3950 {
	v := l.association.view
	v.Scheme, v.Scan, v.Query = "z39.50s", url.Part{}, url.Part{}
	return v
}
