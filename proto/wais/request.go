package wais

import (
	"strconv"
)

// initSize is the message size that an Init requests, because freeWAIS servers cannot send
// more.
const initSize = 100_000

// initRequest returns the Init message, which requests only the search service and messages of
// initSize bytes.
func initRequest() []byte {
	const searchOnly = "\x80"
	var v elements
	v = v.bytes(tagProtocolVersion, "\x80")
	v = v.bytes(tagOptions, searchOnly)
	v = v.number(tagPreferredSize, initSize)
	v = v.number(tagMaximumSize, initSize)
	return apdu{kind: apduInit, variable: v}.message()
}

// searchRequest returns the message that requests the headers of at most limit documents of
// database that match the words.
func searchRequest(database, words string, limit int) []byte {
	const allDates = 1
	var v, query elements
	v = v.bytes(tagResultSetName, "")
	v = v.bytes(tagDatabaseNames, database)
	v = v.bytes(tagQueryType, "3")
	query = query.bytes(tagSeedWords, words)
	query = query.number(tagDateFactor, allDates)
	query = query.number(tagMaxDocuments, int64(limit))
	a := apdu{kind: apduSearch, fixed: searchBounds(30, 5000, 30), variable: v}
	a.user = a.user.bytes(tagUserInformation, string(query))
	return a.message()
}

// A docRef identifies a document of a server.
type docRef struct {
	database string
	wtype    string // "TEXT"
	docID    string
}

// rangeRequest returns the message that requests the bytes of the document from start up to,
// but not including, end. The query has seven terms in postfix notation: document-id, type,
// start, end, and three operators. Servers expect exactly these in this order.
//
// The other elements are the same as in the original clients. Some servers do not need them.
func (p docRef) rangeRequest(start, end int64) []byte {
	const and = "a"
	var v, query elements
	v = v.bytes(tagResultSetName, "FOO")
	v = v.bytes(tagDatabaseNames, p.database)
	v = v.bytes(tagQueryType, "1")
	v = v.bytes(tagElementSetNames, " \x1fDocument Text")
	v = v.bytes(tagReferenceID, "3")
	query = query.term("un re", p.docID)
	query = query.term("wt re", p.wtype)
	query = query.bytes(tagOperator, and)
	query = query.term("wb ro", strconv.FormatInt(start, 10))
	query = query.bytes(tagOperator, and)
	query = query.term("wb rl", strconv.FormatInt(end, 10))
	query = query.bytes(tagOperator, and)
	a := apdu{kind: apduSearch, fixed: searchBounds(10, 16, 15), variable: v}
	a.user = a.user.bytes(tagQuery, string(query))
	return a.message()
}

// searchBounds returns the fixed part of a search request: three numbers that limit how many
// records are sent at once, and the flag to replace a result set of the same name. WAIS
// servers ignore the numbers.
func searchBounds(small, large, medium int) []byte {
	const replace = 1
	var b []byte
	for _, n := range []int{small, large, medium} {
		b = append(b, byte(n>>16), byte(n>>8), byte(n))
	}
	return append(b, replace)
}

// term returns e with a term of a query of type 1: its attributes, which are the use and the
// relation, and its value.
func (e elements) term(attributes, value string) elements {
	e = e.bytes(tagAttributeList, attributes+" ig ig ig ig")
	return e.bytes(tagTerm, value)
}

// bytes returns e with one more element: its tag, the length of value, and value.
func (e elements) bytes(tag uint32, value string) elements {
	e = appendCompressed(e, tag)
	e = appendCompressed(e, uint32(len(value)))
	return append(e, value...)
}

// number returns e with one more element, whose value is n in as few bytes as possible. n must not be negative.
func (e elements) number(tag uint32, n int64) elements {
	var b []byte
	for ; n > 0xff; n >>= 8 {
		b = append([]byte{byte(n)}, b...)
	}
	return e.bytes(tag, string(append([]byte{byte(n)}, b...)))
}

// appendCompressed appends n with 7 bits in a byte. Each byte except the last has its highest bit
// set.
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
