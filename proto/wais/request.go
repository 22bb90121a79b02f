package wais

import (
	"strconv"
)

// wantSize is the size of messages that an Init asks for, which is also the
// most that servers of freeWAIS can send.
const wantSize = 100_000

// initRequest is an Init that asks for searches only.
func initRequest() []byte {
	const searchOnly = "\x80"
	var v elements
	v = v.octets(tagProtocolVersion, "\x80")
	v = v.octets(tagOptions, searchOnly)
	v = v.number(tagPreferredSize, wantSize)
	v = v.number(tagMaximumSize, wantSize)
	return apdu{kind: apduInit, variable: v}.message()
}

// searchRequest asks for the headers of documents that fit the words.
func searchRequest(database, words string, most int) []byte {
	const allDates = 1
	var v, query elements
	v = v.octets(tagResultSetName, "")
	v = v.octets(tagDatabaseNames, database)
	v = v.octets(tagQueryType, "3")
	query = query.octets(tagSeedWords, words)
	query = query.number(tagDateFactor, allDates)
	query = query.number(tagMaxDocuments, int64(most))
	a := apdu{kind: apduSearch, fixed: searchBounds(30, 5000, 30), variable: v}
	a.user = a.user.octets(tagUserInformation, string(query))
	return a.message()
}

// A place is where a document is.
type place struct {
	database string
	kind     string // the type: "TEXT"
	docID    string
}

// rangeRequest asks for the octets of a document from start up to end. The
// server reads the seven terms by their place, so they are always these, in
// this order: what the document is and its type and where to start and where
// to end, in postfix notation.
//
// The rest is what the clients of old sent, although some servers do without.
func (p place) rangeRequest(start, end int64) []byte {
	const and = "a"
	var v, query elements
	v = v.octets(tagResultSetName, "FOO")
	v = v.octets(tagDatabaseNames, p.database)
	v = v.octets(tagQueryType, "1")
	v = v.octets(tagElementSetNames, " \x1fDocument Text")
	v = v.octets(tagReferenceID, "3")
	query = query.term("un re", p.docID)
	query = query.term("wt re", p.kind)
	query = query.octets(tagOperator, and)
	query = query.term("wb ro", strconv.FormatInt(start, 10))
	query = query.octets(tagOperator, and)
	query = query.term("wb rl", strconv.FormatInt(end, 10))
	query = query.octets(tagOperator, and)
	a := apdu{kind: apduSearch, fixed: searchBounds(10, 16, 15), variable: v}
	a.user = a.user.octets(tagQuery, string(query))
	return a.message()
}

// searchBounds is the fixed part of a search: three numbers that say how many
// records to send at once, which servers of WAIS do not heed, and whether to
// replace a result set of the same name.
func searchBounds(small, large, medium int) []byte {
	const replace = 1
	var b []byte
	for _, n := range []int{small, large, medium} {
		b = append(b, byte(n>>16), byte(n>>8), byte(n))
	}
	return append(b, replace)
}

// term adds a term of a query of type 1: its use and relation, and its value.
func (e elements) term(attributes, value string) elements {
	e = e.octets(tagAttributeList, attributes+" ig ig ig ig")
	return e.octets(tagTerm, value)
}

// octets adds an element.
func (e elements) octets(tag uint32, value string) elements {
	e = appendCompressed(e, tag)
	e = appendCompressed(e, uint32(len(value)))
	return append(e, value...)
}

// number adds an element that is a number, not negative, in as few octets as
// it takes.
func (e elements) number(tag uint32, n int64) elements {
	var b []byte
	for ; n > 0xff; n >>= 8 {
		b = append([]byte{byte(n)}, b...)
	}
	return e.octets(tag, string(append([]byte{byte(n)}, b...)))
}

func appendCompressed(b []byte, n uint32) []byte {
	shift := 0
	for n>>(shift+7) != 0 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7f)
}
