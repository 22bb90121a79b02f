package waisd

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A retrieval is a parsed query of type 1, which asks for bytes or lines of a document.
type retrieval struct {
	docID      string
	kind       string
	lines      bool
	start, end int
}

// parseRetrieval parses a query in postfix notation, which asks for bytes or lines of a document.
// The order of its terms does not matter, because all of them are joined by "and". ok is false if a
// term is malformed or no term names a document.
func parseRetrieval(query []field) (w retrieval, ok bool) {
	w.end, ok = math.MaxInt32, true
	attributes := ""
	for _, f := range query {
		switch f.tag {
		case tagAttributes:
			attributes, _, _ = strings.Cut(f.value, " ig")
		case tagTerm:
			ok = w.set(attributes, f.value) && ok
		}
	}
	return w, ok && w.docID != ""
}

// set stores a term in w. attributes names the meaning of the term: a use and a relation. It
// returns false for unknown attributes and for a malformed offset.
func (w *retrieval) set(attributes, value string) (ok bool) {
	switch attributes {
	case "un re":
		w.docID = value
	case "wt re":
		w.kind = value
	case "wb ro":
		return parseOffset(value, &w.start)
	case "wb rl":
		return parseOffset(value, &w.end)
	case "wl ro":
		w.lines = true
		return parseOffset(value, &w.start)
	case "wl rl":
		w.lines = true
		return parseOffset(value, &w.end)
	default:
		return false
	}
	return true
}

// parseOffset parses digits into n. A number beyond the largest int32 becomes the largest int32. It
// returns false if text is not a number.
func parseOffset(text string, n *int) bool {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return false
	}
	*n = math.MaxInt32
	if long, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = int(min(long, math.MaxInt32))
	}
	return true
}

// outOfRange is the diagnostic of a range that goes beyond the document.
var outOfRange = diagnostic{code: "SF", text: "Request out of range", surrogate: 1}

// retrieve answers a query of type 1 with bytes or lines of a document. It returns nil for a
// malformed query, and for a range that is longer than the reply may be.
func (c *conn) retrieve(req apdu) []byte {
	text, _ := find(req.user, tagQuery)
	query, err := parseFields(text)
	if err != nil {
		return nil
	}
	w, ok := parseRetrieval(query)
	if !ok {
		return nil
	}
	d, said := c.database(req)
	if said != nil {
		c.Log.Line("retrieve from an unknown database")
		return result(req, 0, nil, 0, said)
	}
	l := localOf(w.docID)
	c.Log.Line(fmt.Sprintf("retrieve %s %s %d %d %q", d.name, w.kind, w.start, w.end, l.path))
	doc, start, end, ok := d.find(l)
	if !ok {
		return result(req, 0, nil, 0, &diagnostic{code: "SF", text: "Missing DocID in request", surrogate: 1})
	}
	if min(w.end, end-start)-w.start > c.limit {
		return nil // the part is too large to send
	}
	data, said, err := d.part(doc, start, end, w)
	if err != nil {
		return result(req, 0, nil, 0, &diagnostic{code: "S1", text: "The document cannot be read"})
	}
	if data == nil {
		return result(req, 0, nil, 0, said)
	}
	var record, records fieldBuffer
	record.field(tagDocumentID, w.docID)
	record.numberField(tagDocVersion, 0)
	record.field(tagText, string(data))
	records.field(tagTextGroup, string(record))
	return result(req, 0, records, 1, said)
}

// part returns the bytes or lines for which w asks, counted from offset start of a document that
// ends at offset end. If w asks for bytes beyond the end, part returns the bytes before the end and
// the diagnostic outOfRange. If the range begins beyond the end, the bytes are nil. Lines give no
// diagnostic.
func (d *Database) part(doc document, start, end int, w retrieval) ([]byte, *diagnostic, error) {
	if w.lines {
		data, err := d.slice(doc, start, end)
		return lines(data, w.start, w.end), nil, err
	}
	size := end - start
	if w.start > size {
		return nil, &outOfRange, nil
	}
	var said *diagnostic
	if w.end > size {
		said = &outOfRange
	}
	data, err := d.slice(doc, start+w.start, start+max(w.start, min(w.end, size)))
	if data == nil {
		data = []byte{}
	}
	return data, said, err
}

// lines returns the lines of data from line start up to, but not including, line end, counted from
// 0. The result is never nil.
func lines(data []byte, start, end int) []byte {
	wanted := []byte{}
	n := 0
	for line := range bytes.Lines(data) {
		if start <= n && n < end {
			wanted = append(wanted, line...)
		}
		n++
	}
	return wanted
}
