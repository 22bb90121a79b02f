package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"locus/check"
	"locus/internal/record"
)

// A batch is the name of the worker that adds it, and then records. Each record begins
// with its kind:
//
//	P policy                        JSON
//	S seeded                        nothing
//	L links     document, n, then   n × URL, line, column, Link.Bad
//	J jobs      n, then             n × URL, flags, depth, Job.Bad
//	D done      job, result         a job as in J, and JSON
//
// Numbers are varints. A text is its length and its bytes. A URL is the number of bytes
// that it shares with the last one, and the text of the rest.
const (
	policyKind = 'P'
	seededKind = 'S'
	linksKind  = 'L'
	jobsKind   = 'J'
	doneKind   = 'D'
)

// The flags of a job.
const (
	crawlFlag = 1 << iota
	anchorsFlag
)

// recordSize is about the maximum size of a record, unless one link is larger.
const recordSize = 64 << 10

// doneSize is the size of a done record above which it leaves out the anchors.
const doneSize = 896 << 10

// A writer writes a record.
type writer struct{ record.Writer }

// newWriter returns a writer of a record of that kind.
func newWriter(kind byte) *writer { return &writer{record.Writer{Data: []byte{kind}}} }

func (w *writer) json(v any) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it makes URLs longer
	if err := enc.Encode(v); err != nil {
		panic("stream: a record cannot be written as JSON: " + err.Error())
	}
	w.Text(b.String())
}

func (w *writer) job(j check.Job) {
	flags := 0
	if j.Crawl {
		flags |= crawlFlag
	}
	if j.Anchors {
		flags |= anchorsFlag
	}
	w.Similar(j.URL)
	w.Number(flags)
	w.Number(j.Depth)
	w.Text(j.Bad)
}

func policyRecord(p check.Policy) []byte {
	w := newWriter(policyKind)
	w.json(p)
	return w.Data
}

// doneRecord returns the record of a result. It leaves out the anchors if they make
// the record too long, next to long redirects: then no fragment is checked.
func doneRecord(j check.Job, r check.Result) []byte {
	w := newWriter(doneKind)
	w.job(j)
	head := len(w.Data)
	if w.json(r); len(w.Data) > doneSize && r.Anchors != nil {
		w.Data, r.Anchors = w.Data[:head], nil
		w.json(r)
	}
	return w.Data
}

// linkRecords returns the records for the links of a document.
func linkRecords(s check.Source) (all [][]byte) {
	return records(linksKind, s.Document, s.Links, func(w *writer, l check.Link) {
		w.Similar(l.URL)
		w.Number(l.Line)
		w.Number(l.Column)
		w.Text(l.Bad)
	})
}

func jobRecords(jobs []check.Job) [][]byte {
	return records(jobsKind, "", jobs, (*writer).job)
}

// records returns the records for a list.
func records[T any](kind byte, document string, list []T, write func(*writer, T)) (all [][]byte) {
	for len(list) > 0 {
		var w writer
		n := 0
		for n < len(list) && len(w.Data) < recordSize {
			write(&w, list[n])
			n++
		}
		list = list[n:]
		head := newWriter(kind)
		if kind == linksKind {
			head.Text(document)
		}
		head.Number(n)
		all = append(all, append(head.Data, w.Data...))
	}
	return all
}

// A reader reads records. After the first error it returns zero values.
type reader struct {
	record.Reader
	data *bytes.Reader
}

func newReader(data []byte) *reader {
	from := bytes.NewReader(data)
	return &reader{record.Reader{From: from}, from}
}

var errRecord = errors.New("the log has an invalid record")

func (r *reader) job() (j check.Job) {
	j.URL = r.Similar()
	flags := r.Number()
	j.Crawl, j.Anchors = flags&crawlFlag != 0, flags&anchorsFlag != 0
	j.Depth = r.Number()
	j.Bad = r.Text()
	return j
}

func (r *reader) jobs() (all []check.Job) {
	for n := r.Number(); n > 0 && r.Err() == nil; n-- {
		all = append(all, r.job())
	}
	return all
}

func (r *reader) links() (s check.Source) {
	s.Document = r.Text()
	for n := r.Number(); n > 0 && r.Err() == nil; n-- {
		s.Links = append(s.Links, check.Link{URL: r.Similar(), Line: r.Number(), Column: r.Number(), Bad: r.Text()})
	}
	return s
}

// An entry is a record. It has the fields of all kinds.
type entry struct {
	kind   byte
	policy check.Policy
	source check.Source
	jobs   []check.Job
	job    check.Job
	result check.Result
}

// next reads a record.
func (r *reader) next() (e entry, err error) {
	r.Reader = record.Reader{From: r.data}
	e.kind = r.Byte()
	switch e.kind {
	case policyKind:
		err = json.Unmarshal([]byte(r.Text()), &e.policy)
	case seededKind:
	case linksKind:
		e.source = r.links()
	case jobsKind:
		e.jobs = r.jobs()
	case doneKind:
		e.job = r.job()
		err = json.Unmarshal([]byte(r.Text()), &e.result)
	default:
		err = fmt.Errorf("%q is no kind", e.kind)
	}
	if err = cmp.Or(r.Err(), err); err != nil {
		err = fmt.Errorf("%w: %w", errRecord, err)
	}
	return e, err
}
