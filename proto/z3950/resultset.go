package z3950

import (
	"errors"
	"fmt"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
)

// A resultSet is the result of a search on the server. Its records are fetched in windows.
type resultSet struct {
	association *association
	name        string
	databases   []string
	query       *query // the query that the server accepted
	keys        []sortKey
	hits        int64

	syntaxes   []string // object identifiers that may be asked for; present asks for the first
	elementSet string   // "": the server decides
	hasRecord  bool     // the server has sent a record in this syntax
}

// search makes a result set of that name with the first query that the server supports. If the
// server supports none of the queries, search returns the first refusal. It returns any other error
// at once.
func (a *association) search(name string, databases []string, queries []*query) (*resultSet, error) {
	set := &resultSet{association: a, name: name, databases: databases}
	var refusal error
	for _, q := range queries {
		set.query = q
		err := set.search()
		if err == nil {
			return set, nil
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

// isUnsupported reports whether err is a diagnostic that another query may avoid.
func isUnsupported(err error) bool {
	r, ok := errors.AsType[*engine.Refusal](err)
	if !ok {
		return false
	}
	d, ok := r.Sys.(*Diagnostic)
	return ok && d.isUnsupported()
}

// search sends set.query, which replaces the result set on the server, and sets hits. A refused
// search is an error.
func (set *resultSet) search() error {
	m, err := set.association.roundTrip(searchRequest(set.name, set.databases, set.query), tagSearchResponse)
	if err != nil {
		return err
	}
	r, err := parseSearch(m)
	switch {
	case err != nil:
		return err
	case r.diagnostic != nil && (!r.succeeded || r.hits == 0):
		return r.diagnostic.refusal()
	case !r.succeeded:
		return errors.New("the search failed, and the server does not say why")
	}
	set.hits = r.hits
	return nil
}

// sort sorts the result set on the server. It does nothing without sort keys, or for fewer than two
// records.
func (set *resultSet) sort() error {
	if len(set.keys) == 0 || set.hits < 2 {
		return nil
	}
	if !set.association.server.CanSort {
		return engine.Reason("the server cannot sort", errors.ErrUnsupported)
	}
	m, err := set.association.roundTrip(sortRequest(set.keys), tagSortResponse)
	if err != nil {
		return err
	}
	return parseSort(m)
}

// fullElements is the element set of whole records.
const fullElements = "F"

// present returns records from position start. It returns count records, or fewer if the server
// sends fewer. They are valid until the next request. If the server lacks the syntax, or wants
// an element set although the URL does not name one, present asks again with another. If the
// connection breaks after it has worked, present connects and searches again.
func (set *resultSet) present(start, count int64) (ber.Element, error) {
	repaired := false
	for {
		r, err := set.ask(start, count)
		if err == nil {
			set.hasRecord = true
			return r, nil
		}
		d := diagnosticOf(err)
		switch {
		case isBroken(err) && set.hasRecord && !repaired:
			if err := set.repair(); err != nil {
				return ber.Element{}, err
			}
			repaired = true
		case d != nil && d.isSyntax() && !set.hasRecord && len(set.syntaxes) > 1:
			set.syntaxes = set.syntaxes[1:]
		case d != nil && d.isElementSet() && set.elementSet == "":
			set.elementSet = fullElements // because the server wants an element set
		default:
			return ber.Element{}, err
		}
	}
}

// diagnosticOf returns the diagnostic in err, or nil if err does not come from a diagnostic.
func diagnosticOf(err error) *Diagnostic {
	if r, ok := errors.AsType[*engine.Refusal](err); ok {
		d, _ := r.Sys.(*Diagnostic)
		return d
	}
	return nil
}

// ask sends one present request for count records from position start, and returns the records of
// the reply. If the first record shows that the server refuses the syntax, that refusal is the
// error.
func (set *resultSet) ask(start, count int64) (ber.Element, error) {
	request := presentRequest{set: set.name, start: start, count: count, elementSet: set.elementSet, syntax: set.syntaxes[0]}
	m, err := set.association.roundTrip(request.message(), tagPresentResponse)
	if err != nil {
		return ber.Element{}, err
	}
	r, err := parsePresent(m)
	if err != nil {
		return ber.Element{}, err
	}
	first, some := r.records.First()
	switch {
	case r.diagnostic != nil && !some:
		return ber.Element{}, r.diagnostic.refusal()
	case !some:
		return ber.Element{}, fmt.Errorf("%w: no records and no reason", access.ErrProtocol)
	case set.hasRecord:
		return r.records, nil
	}
	// Some servers refuse a syntax record by record.
	if record, err := parseRecord(first); err == nil && record.diagnostic != nil && record.diagnostic.isSyntax() {
		return ber.Element{}, record.diagnostic.refusal()
	}
	return r.records, nil
}

// repair connects again and repeats the search and the sort. It returns an error if the search
// finds another number of records.
func (set *resultSet) repair() error {
	set.association.disconnect()
	if err := set.association.connect(); err != nil {
		return err
	}
	hits := set.hits
	if err := set.search(); err != nil {
		return err
	}
	if set.hits != hits {
		return fmt.Errorf("%w: the search found %d records, and after a new connection %d", access.ErrChanged, hits, set.hits)
	}
	return set.sort()
}
