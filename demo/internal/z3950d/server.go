// Package z3950d is a small Z39.50 server. It speaks version 3 of the protocol, and searches
// full-text indexes of its own.
//
// It supports Init, Search (type-1 queries with Bib-1), Present (MARC 21, MARCXML and SUTRS),
// Scan, Sort, Delete of result sets, Close, and Explain for the list of databases.
//
// Notable divergences:
//   - Of Bib-1 it supports the use attributes title (4), author (1003), date (30, 31), local
//     number (12), docid (1032) and any (1016, 1035), the relations less, equal and greater,
//     and right truncation. It refuses other attributes with a diagnostic, or ignores them.
//   - It does not support segments, access control, resource control, proximity and extended
//     services.
package z3950d

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"time"

	"locus/demo/internal/serve"
	"locus/internal/ber"
)

const idle = 5 * time.Minute // limit for each Read and Write

// largest is the maximum number of bytes of a request.
const largest = 256 << 10

// A Server serves the records of databases. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Databases []*Database
	Log       serve.Log // called with a description of each request; may be nil
}

// Serve answers the requests of a connection, one after the other. The caller closes c. Serve
// ignores ctx, because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	n := &association{Server: s, sets: map[string]*resultSet{}}
	r := bufio.NewReader(c)
	var b bytes.Buffer
	for !n.isOver {
		if err := ber.Read(r, &b, largest); err != nil {
			return
		}
		m, _, err := ber.Parse(b.Bytes())
		if err != nil {
			return
		}
		if _, err := c.Write(n.answer(m)); err != nil {
			return
		}
	}
}

// An association has the result sets of a connection.
type association struct {
	*Server
	isReady bool // after an Init
	isOver  bool // after a Close
	sets    map[string]*resultSet
}

// maxSets is the maximum number of result sets of an association.
const maxSets = 20

// The tags of messages.
const (
	tagInit    = 20
	tagSearch  = 22
	tagPresent = 24
	tagDelete  = 26
	tagScan    = 35
	tagSort    = 43
	tagClose   = 48
)

// answer executes a request and returns the reply. A request that is unknown, or that comes before
// an Init, closes the association.
func (a *association) answer(m ber.Element) []byte {
	switch {
	case m.Is(tagInit):
		return a.init(m)
	case !a.isReady:
	case m.Is(tagSearch):
		return a.search(m)
	case m.Is(tagPresent):
		return a.present(m)
	case m.Is(tagDelete):
		return a.delete(m)
	case m.Is(tagScan):
		return a.scan(m)
	case m.Is(tagSort):
		return a.sort(m)
	case m.Is(tagClose):
		return a.close(m, 0)
	}
	const protocolError = 6
	return a.close(m, protocolError)
}

// reply returns the message with the tag that answers m. It has the reference of m, and the content
// that inside writes.
func reply(m ber.Element, tag uint32, inside func(*ber.Builder)) []byte {
	var b ber.Builder
	b.In(tag, func(b *ber.Builder) {
		if id, ok := m.Find(2); ok && !id.IsConstructed {
			b.Primitive(ber.Context, 2, id.Content)
		}
		inside(b)
	})
	return b.Bytes()
}

// init answers an Init. It accepts every client, and the message sizes that the client prefers.
func (a *association) init(m ber.Element) []byte {
	a.isReady = true
	a.Log.Line("init")
	preferred, exceptional := number(m, 5), number(m, 6)
	return reply(m, tagInit+1, func(b *ber.Builder) {
		b.Bits(3, 3, 0, 1, 2)
		b.Bits(4, 15, 0, 1, 2, 7, 8, 14) // search, present, delSet, scan, sort, namedResultSets
		b.Int(5, preferred)
		b.Int(6, exceptional)
		b.Bool(12, true)
		b.Text(111, "demo of locus")
	})
}

// delete answers a DeleteResultSetRequest: it removes the result sets that m names, or all of them.
// The reply has the status of each.
func (a *association) delete(m ber.Element) []byte {
	const all = 1
	if number(m, 32) == all {
		clear(a.sets)
		return reply(m, tagDelete+1, func(b *ber.Builder) { b.Int(0, 0) })
	}
	var statuses ber.Builder
	status := int64(0)
	_ = m.Each(func(list ber.Element) error { // a malformed list ends early
		if !list.IsUniversal(ber.TagSequence) {
			return nil
		}
		return list.Each(func(e ber.Element) error {
			if !a.deleteOne(e.Text(), &statuses) {
				const notAllDeleted = 9
				status = notAllDeleted
			}
			return nil
		})
	})
	return reply(m, tagDelete+1, func(b *ber.Builder) {
		b.Int(0, status)
		b.In(1, func(b *ber.Builder) { b.Raw(statuses.Bytes()) })
	})
}

// deleteOne removes a result set, writes its status to statuses, and reports whether it existed.
func (a *association) deleteOne(name string, statuses *ber.Builder) (ok bool) {
	_, ok = a.sets[name]
	delete(a.sets, name)
	status := int64(0)
	if !ok {
		status = 1
	}
	statuses.Sequence(func(b *ber.Builder) {
		b.Text(31, name)
		b.Int(33, status)
	})
	return ok
}

// keep stores a result set under a name, in place of an older one. It returns a diagnostic if the
// name is new and the association has maxSets result sets, and nil otherwise.
func (a *association) keep(name string, set *resultSet) *diagnostic {
	if a.sets[name] == nil && len(a.sets) >= maxSets {
		return &diagnostic{112, ""}
	}
	a.sets[name] = set
	return nil
}

// close ends the association and returns a Close with the reason as the reply to m.
func (a *association) close(m ber.Element, reason int64) []byte {
	a.isOver = true
	return reply(m, tagClose, func(b *ber.Builder) { b.Int(211, reason) })
}

// number returns the integer in the element of m whose tag is tag, or 0 if there is no such
// element.
func number(m ber.Element, tag uint32) int64 {
	e, _ := m.Find(tag)
	n, err := e.Int()
	if err != nil {
		return 0
	}
	return n
}

// text returns the text in the element of m whose tag is tag, or "" if there is no such element.
func text(m ber.Element, tag uint32) string {
	e, _ := m.Find(tag)
	return e.Text()
}

// A diagnostic is the reason for which the server refuses a request.
type diagnostic struct {
	condition int64 // of Bib-1
	detail    string
}

// write writes the content of a DefaultDiagFormat.
func (d *diagnostic) write(b *ber.Builder) {
	b.OID("1.2.840.10003.4.1")
	b.Integer(d.condition)
	b.Primitive(ber.Universal, ber.TagVisible, []byte(d.detail))
}
