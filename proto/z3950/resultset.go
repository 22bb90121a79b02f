package z3950

import (
	"errors"
	"fmt"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
)

// A resultSet is what a search found. Its records are asked for in windows.
type resultSet struct {
	association *association
	name        string
	databases   []string
	query       *query // the one that the server accepted
	keys        []sortKey
	hits        int64

	syntaxes   []string // object identifiers that may be asked for, the first one now
	elementSet string   // "": the server decides
	hasRecord  bool     // the server has sent one in this syntax
}

// search makes the result set of the first query that the server supports. It is an
// error if the server supports none of them.
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

// search sends the query.
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

// sort sorts the result set by the keys, if there are any.
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

// present returns records from start on: count of them, or fewer if the server sends
// fewer. They are valid until the next request. If the server lacks a syntax or an
// element set that nobody insists on, present asks for another. If the connection broke
// after it had worked, present connects and searches again.
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
			set.elementSet = fullElements // the server wants one to be named
		default:
			return ber.Element{}, err
		}
	}
}

// diagnosticOf returns the diagnostic that an error is; nil if it is none.
func diagnosticOf(err error) *Diagnostic {
	if r, ok := errors.AsType[*engine.Refusal](err); ok {
		d, _ := r.Sys.(*Diagnostic)
		return d
	}
	return nil
}

// ask sends one present.
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

// repair connects again, and makes the result set again.
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
