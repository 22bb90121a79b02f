package waisd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// The types of APDUs.
const (
	apduInit           = 20
	apduInitResponse   = 21
	apduSearch         = 22
	apduSearchResponse = 23
)

// A conn is one connection.
type conn struct {
	*Server
	name  string // name of this server in document-ids
	limit int    // maximum number of bytes of an answer
}

// An apdu is a request:
//
//	length  type  fixed part  fields  user information
//	 2     | 1   |          |       | the rest
//	       \________________________/ length bytes
type apdu struct {
	kind   byte
	fields []field
	user   []field
}

// parseAPDU parses a request. It returns errFields if the request is malformed, or is neither an
// init nor a search.
func parseAPDU(body []byte) (apdu, error) {
	fixed := map[byte]int{apduInit: 0, apduSearch: 10}
	if len(body) < 3 {
		return apdu{}, errFields
	}
	length, kind := 2+int(body[0])<<8+int(body[1]), body[2]
	skip, known := fixed[kind]
	if !known || length > len(body) || length < 3+skip {
		return apdu{}, errFields
	}
	fields, err := parseFields(string(body[3+skip : length]))
	user, err2 := parseFields(string(body[length:]))
	return apdu{kind, fields, user}, errors.Join(err, err2)
}

// respond returns the APDU of a response: its length, its kind, the fixed fields and the fields
// with tags, followed by the user information.
func respond(kind byte, fixed []byte, fields, user fieldBuffer) []byte {
	length := 1 + len(fixed) + len(fields)
	b := append([]byte{byte(length >> 8), byte(length), kind}, fixed...)
	b = append(b, fields...)
	return append(b, user...)
}

// answer answers the request in body. The answer is empty if the request is malformed or unknown,
// or if the answer would be larger than c.limit.
func (c *conn) answer(body []byte) []byte {
	req, err := parseAPDU(body)
	if err != nil {
		c.Log.Line("malformed request")
		return nil
	}
	var reply []byte
	queryType, _ := find(req.fields, tagQueryType)
	switch {
	case req.kind == apduInit:
		c.Log.Line("init")
		return c.init(req)
	case queryType == "3":
		reply = c.search(req)
	case queryType == "1":
		reply = c.retrieve(req)
	}
	if len(reply) > c.limit {
		return nil
	}
	return reply
}

// init answers an init. It sets c.limit to the size of messages that the client wants, if that is
// smaller. It refuses a client that wants more than searches.
func (c *conn) init(req apdu) []byte {
	const searchOnly = "\x80"
	maximum, _ := find(req.fields, tagMaximum)
	if n := number(maximum, largest); n > 0 {
		c.limit = min(n, largest)
	}
	result := byte(1)
	if options, ok := find(req.fields, tagOptions); ok && options != searchOnly {
		result = 0
	}
	var fields, user, info fieldBuffer
	fields.field(tagVersion, "\x80")
	fields.field(tagOptions, searchOnly)
	fields.numberField(tagPreferred, c.limit)
	fields.numberField(tagMaximum, c.limit)
	fields.field(tagImplementation, "locus")
	fields.field(tagImplementation+1, "demo of locus")
	info.numberField(tagChunkCode, 0)
	info.numberField(tagChunkIDLength, 0)
	user.field(tagUser, string(info))
	return respond(apduInitResponse, []byte{result}, fields, user)
}

// result returns the answer to req, a search or a retrieval, with count records. If said is not
// nil, it is added as a further record, a diagnostic.
//
// works is 1 if a search succeeded. It is always 0 for a retrieval, as in freeWAIS.
func result(req apdu, works byte, records fieldBuffer, count int, said *diagnostic) []byte {
	if said != nil {
		records.diagnostic(said)
		count++
	}
	var fields, user fieldBuffer
	fields.numberField(tagPresentStatus, 0)
	if id, ok := find(req.fields, tagReferenceID); ok {
		fields.field(tagReferenceID, id)
	}
	user.field(tagUser, string(records))
	fixed := []byte{works, 0, 0, 0, 0, byte(count >> 8), byte(count), 0, 0, 0}
	return respond(apduSearchResponse, fixed, fields, user)
}

// database returns the first database that a request names, or INFO if the request does not name
// any. If this server lacks that database, the result is nil and a diagnostic.
func (c *conn) database(req apdu) (*Database, *diagnostic) {
	names, _ := find(req.fields, tagDatabaseNames)
	name, _, _ := strings.Cut(names, "\x1f")
	name = cmp.Or(name, "INFO")
	for _, d := range c.Databases {
		if d.name == strings.TrimSuffix(name, ".src") {
			return d, nil
		}
	}
	return nil, &diagnostic{code: "S1", text: "The following database is not available: " + name}
}

// search answers a search by words and by similar documents, with the best documents: as many as
// the client asks for and as fit into an answer. It returns nil if the query is malformed.
func (c *conn) search(req apdu) []byte {
	info, _ := find(req.user, tagUser)
	query, err := parseFields(info)
	if err != nil {
		return nil
	}
	seed, _ := find(query, tagSeedWords)
	d, said := c.database(req)
	if said != nil {
		c.Log.Line(fmt.Sprintf("search an unknown database: %q", seed))
		return result(req, 0, nil, 0, said)
	}
	c.Log.Line(fmt.Sprintf("search %s: %q", d.name, seed))
	const usual = 40
	most, _ := find(query, tagMaxDocuments)
	var records fieldBuffer
	count := 0
	for _, h := range d.hits(seed, query) {
		var record fieldBuffer
		record.field(tagDocument, string(c.header(d, h)))
		const overhead = 64 // bytes of the answer without the records
		if count == number(most, usual) || len(records)+len(record)+overhead > c.limit {
			break
		}
		records = append(records, record...)
		count++
	}
	return result(req, 1, records, count, nil)
}
