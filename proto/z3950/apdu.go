package z3950

import (
	"fmt"
	"io/fs"

	"locus/access"
	"locus/internal/ber"
)

// The tags of messages (APDUs).
const (
	tagInitRequest     = 20
	tagInitResponse    = 21
	tagSearchRequest   = 22
	tagSearchResponse  = 23
	tagPresentRequest  = 24
	tagPresentResponse = 25
	tagAccessControl   = 28
	tagScanRequest     = 35
	tagScanResponse    = 36
	tagSortRequest     = 43
	tagSortResponse    = 44
	tagClose           = 48
)

// The bits of Options.
const (
	optionSearch          = 0
	optionPresent         = 1
	optionScan            = 7
	optionSort            = 8
	optionNamedResultSets = 14
)

// defaultSet is the name of the result set that every server supports.
const defaultSet = "default"

// message returns an APDU with that tag, encoded in BER. inside writes the elements in it.
func message(tag uint32, inside func(*ber.Builder)) []byte {
	var b ber.Builder
	b.In(tag, inside)
	return b.Bytes()
}

// A login authenticates an Init. The zero login is anonymous.
type login struct {
	user, password string
	isOpen         bool // send it as one text, "user/password"
}

const (
	preferredMessage = 1 << 20  // bytes that a message should not exceed
	largestRecord    = 16 << 20 // maximum number of bytes of a record
	maxMessage       = largestRecord + preferredMessage
)

// initRequest returns the message that begins an association. It has a login unless l is the zero
// login.
func initRequest(l login) []byte {
	return message(tagInitRequest, func(b *ber.Builder) {
		b.Bits(3, 3, 0, 1, 2)
		b.Bits(4, 15, optionSearch, optionPresent, optionScan, optionSort, optionNamedResultSets)
		b.Int(5, preferredMessage)
		b.Int(6, largestRecord)
		if l != (login{}) {
			b.In(7, l.write)
		}
		b.Text(111, "locus")
	})
}

// write writes the login: "user/password" if the login is open, or else both parts in a sequence.
func (l login) write(b *ber.Builder) {
	if l.isOpen {
		b.Primitive(ber.Universal, ber.TagVisible, []byte(l.user+"/"+l.password))
		return
	}
	b.Sequence(func(b *ber.Builder) {
		b.Text(1, l.user)
		b.Text(2, l.password)
	})
}

// A Server is the information that a server sends about itself.
type Server struct {
	Name, Version string
	CanScan       bool // lists the terms of indexes
	CanSort       bool // sorts result sets

	canName bool // keeps several named result sets
}

// An initResponse is the reply to an Init.
type initResponse struct {
	accepted   bool
	server     Server
	diagnostic *Diagnostic // why the server refused; nil if it does not say
}

// parseInit parses the reply to an initRequest. A refusal is not an error; its diagnostic is the
// first that the server sent.
func parseInit(m ber.Element) (r initResponse, err error) {
	err = m.Each(func(e ber.Element) (err error) {
		switch {
		case e.Class != ber.Context:
		case e.Tag == 4:
			r.server.CanScan, r.server.CanSort, r.server.canName = e.Bit(optionScan), e.Bit(optionSort), e.Bit(optionNamedResultSets)
		case e.Tag == 12:
			r.accepted, err = e.Bool()
		case e.Tag == 111:
			r.server.Name = e.Text()
		case e.Tag == 112:
			r.server.Version = e.Text()
		case e.Tag == 11, e.Tag == 201:
			if r.diagnostic == nil {
				r.diagnostic = findDiagnostic(e, 0)
			}
		}
		return err
	})
	return r, malformed(err)
}

// searchRequest returns the message that searches databases with q. The result set gets the name
// set. The reply has no records.
func searchRequest(set string, databases []string, q *query) []byte {
	return message(tagSearchRequest, func(b *ber.Builder) {
		b.Int(13, 0)
		b.Int(14, 1)
		b.Int(15, 0)
		b.Bool(16, true)
		b.Text(17, set)
		writeDatabases(b, 18, databases)
		q.write(b)
	})
}

// writeDatabases writes an element with the names of databases.
func writeDatabases(b *ber.Builder, tag uint32, databases []string) {
	b.In(tag, func(b *ber.Builder) {
		for _, name := range databases {
			b.Text(105, name)
		}
	})
}

// A searchResponse is the reply to a search.
type searchResponse struct {
	hits       int64
	succeeded  bool
	diagnostic *Diagnostic // nil if the server sent none
}

// parseSearch parses the reply to a searchRequest. A refusal is not an error, but a negative number
// of hits is.
func parseSearch(m ber.Element) (r searchResponse, err error) {
	err = m.Each(func(e ber.Element) (err error) {
		switch {
		case e.Class != ber.Context:
		case e.Tag == 23:
			r.hits, err = e.Int()
		case e.Tag == 22:
			r.succeeded, err = e.Bool()
		case e.Tag == 130, e.Tag == 205:
			r.diagnostic, err = nonSurrogate(e)
		}
		return err
	})
	if err == nil && r.hits < 0 {
		err = fmt.Errorf("%w: %d hits", access.ErrProtocol, r.hits)
	}
	return r, malformed(err)
}

// nonSurrogate parses the diagnostic in e, which a reply has in the place of records.
func nonSurrogate(e ber.Element) (*Diagnostic, error) {
	if e.Tag != 205 {
		return parseDiagnostic(e)
	}
	first, ok := e.First()
	if !ok {
		return nil, fmt.Errorf("%w: no diagnostic", access.ErrProtocol)
	}
	return parseDiagRec(first)
}

// A presentRequest asks for records of a result set.
type presentRequest struct {
	set        string
	start      int64 // from 1
	count      int64
	elementSet string // "": the server decides
	syntax     string // an object identifier; "": the server decides
}

// message returns the message of the request. It leaves out an empty element set and an empty
// syntax.
func (r presentRequest) message() []byte {
	return message(tagPresentRequest, func(b *ber.Builder) {
		b.Text(31, r.set)
		b.Int(30, r.start)
		b.Int(29, r.count)
		if r.elementSet != "" {
			b.In(19, func(b *ber.Builder) { b.Text(0, r.elementSet) })
		}
		if r.syntax != "" {
			b.OIDAs(104, r.syntax)
		}
	})
}

// A presentResponse is the reply to a present.
type presentResponse struct {
	records    ber.Element // a sequence of NamePlusRecord
	diagnostic *Diagnostic // nil if the server sent records
}

// parsePresent parses the reply to a presentRequest. The records in it are still encoded. A refusal
// is not an error.
func parsePresent(m ber.Element) (r presentResponse, err error) {
	err = m.Each(func(e ber.Element) (err error) {
		switch {
		case e.Class != ber.Context:
		case e.Tag == 28:
			r.records = e
		case e.Tag == 130, e.Tag == 205:
			r.diagnostic, err = nonSurrogate(e)
		}
		return err
	})
	return r, malformed(err)
}

// sortRequest returns the message that sorts the default result set by keys, the most significant
// first.
func sortRequest(keys []sortKey) []byte {
	return message(tagSortRequest, func(b *ber.Builder) {
		b.In(3, func(b *ber.Builder) { b.Primitive(ber.Universal, ber.TagGeneral, []byte(defaultSet)) })
		b.Text(4, defaultSet)
		b.In(5, func(b *ber.Builder) {
			for _, k := range keys {
				b.Sequence(k.write)
			}
		})
	})
}

// parseSort returns nil if the server sorted the records. Otherwise the error is its diagnostic or
// its status.
func parseSort(m ber.Element) error {
	status := int64(0)
	var d *Diagnostic
	err := m.Each(func(e ber.Element) (err error) {
		switch {
		case e.Is(3):
			status, err = e.Int()
		case e.Is(5):
			if first, ok := e.First(); ok {
				d, err = parseDiagRec(first)
			}
		}
		return err
	})
	switch {
	case err != nil:
		return malformed(err)
	case d != nil:
		return d.refusal()
	case status != 0:
		return fmt.Errorf("the server could not sort (status %d)", status)
	}
	return nil
}

// scanRequest returns the message that asks for count terms of an index. The first is the term of
// q, or the term after it if the index does not have it.
func scanRequest(databases []string, q *query, count int64) []byte {
	return message(tagScanRequest, func(b *ber.Builder) {
		writeDatabases(b, 3, databases)
		b.OID(q.set)
		q.root.term.write(b)
		b.Int(5, 0)
		b.Int(6, count)
		b.Int(7, 1)
	})
}

// closeRequest returns the message that ends an association.
func closeRequest() []byte {
	return message(tagClose, func(b *ber.Builder) { b.Int(211, 0) })
}

// closeReasons are the reasons for which a server closes an association, by their numbers.
var closeReasons = []string{
	"it has finished", "it shuts down", "system problem", "the cost limit is reached", "out of resources", "security violation",
	"protocol error", "it was idle too long", "aborted", "no reason given",
}

// A closedError reports that the server has closed the association.
type closedError struct {
	reason int64
	detail string
}

// Error returns the reason that the server gave, if it is a known one, and the detail.
func (e *closedError) Error() string {
	text := "the server closed the session"
	if e.reason >= 0 && e.reason < int64(len(closeReasons)) {
		text += ": " + closeReasons[e.reason]
	}
	if e.detail != "" {
		text += fmt.Sprintf(" (%q)", e.detail)
	}
	return text
}

// Unwrap returns the error that the reason stands for, such as access.ErrTemporary; nil for other
// reasons.
func (e *closedError) Unwrap() error {
	switch e.reason {
	case 1, 2, 3, 4, 7:
		return access.ErrTemporary
	case 5:
		return fs.ErrPermission
	case 6:
		return access.ErrProtocol
	}
	return nil
}

// parseClose returns the error for a message that closes the association: a *closedError, unless
// the message is malformed.
func parseClose(m ber.Element) error {
	e := &closedError{reason: -1}
	err := m.Each(func(part ber.Element) (err error) {
		switch {
		case part.Is(211):
			e.reason, err = part.Int()
		case part.Is(3):
			e.detail = part.Text()
		}
		return err
	})
	if err != nil {
		return malformed(err)
	}
	return e
}
