package stream

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"locus/check"
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
type writer struct {
	data []byte
	last string
}

func (w *writer) number(n int) { w.data = binary.AppendUvarint(w.data, uint64(max(n, 0))) }

func (w *writer) text(s string) {
	w.number(len(s))
	w.data = append(w.data, s...)
}

func (w *writer) url(s string) {
	n := 0
	for n < min(len(s), len(w.last)) && s[n] == w.last[n] {
		n++
	}
	w.number(n)
	w.text(s[n:])
	w.last = s
}

func (w *writer) json(v any) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it makes URLs longer
	if err := enc.Encode(v); err != nil {
		panic("stream: a record cannot be written as JSON: " + err.Error())
	}
	w.text(b.String())
}

func (w *writer) job(j check.Job) {
	flags := 0
	if j.Crawl {
		flags |= crawlFlag
	}
	if j.Anchors {
		flags |= anchorsFlag
	}
	w.url(j.URL)
	w.number(flags)
	w.number(j.Depth)
	w.text(j.Bad)
}

func policyRecord(p check.Policy) []byte {
	w := writer{data: []byte{policyKind}}
	w.json(p)
	return w.data
}

// doneRecord returns the record of a result. It leaves out the anchors if they make
// the record too long, next to long redirects: then no fragment is checked.
func doneRecord(j check.Job, r check.Result) []byte {
	w := writer{data: []byte{doneKind}}
	w.job(j)
	head := len(w.data)
	if w.json(r); len(w.data) > doneSize && r.Anchors != nil {
		w.data, r.Anchors = w.data[:head], nil
		w.json(r)
	}
	return w.data
}

// linkRecords returns the records for the links of a document.
func linkRecords(s check.Source) (all [][]byte) {
	return records(linksKind, s.Document, s.Links, func(w *writer, l check.Link) {
		w.url(l.URL)
		w.number(l.Line)
		w.number(l.Column)
		w.text(l.Bad)
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
		for n < len(list) && len(w.data) < recordSize {
			write(&w, list[n])
			n++
		}
		list = list[n:]
		head := writer{data: []byte{kind}}
		if kind == linksKind {
			head.text(document)
		}
		head.number(n)
		all = append(all, append(head.data, w.data...))
	}
	return all
}

// A reader reads records. After the first error it returns zero values.
type reader struct {
	data []byte
	last string
	err  error
}

var errRecord = errors.New("the log has an invalid record")

func (r *reader) fail() {
	r.data, r.err = nil, errRecord
}

func (r *reader) number() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > 1<<40 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.number()
	if n > len(r.data) {
		r.fail()
		return nil
	}
	p := r.data[:n]
	r.data = r.data[n:]
	return p
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) url() string {
	n := r.number()
	rest := r.bytes()
	if n > len(r.last) {
		r.fail()
		return ""
	}
	r.last = r.last[:n] + string(rest)
	return r.last
}

func (r *reader) json(v any) {
	data := r.bytes()
	if r.err != nil {
		return
	}
	if err := json.Unmarshal(data, v); err != nil {
		r.data, r.err = nil, fmt.Errorf("%w: %w", errRecord, err)
	}
}

func (r *reader) job() (j check.Job) {
	j.URL = r.url()
	flags := r.number()
	j.Crawl, j.Anchors = flags&crawlFlag != 0, flags&anchorsFlag != 0
	j.Depth = r.number()
	j.Bad = r.text()
	return j
}

func (r *reader) jobs() (all []check.Job) {
	for n := r.number(); n > 0 && r.err == nil; n-- {
		all = append(all, r.job())
	}
	return all
}

func (r *reader) links() (s check.Source) {
	s.Document = r.text()
	for n := r.number(); n > 0 && r.err == nil; n-- {
		s.Links = append(s.Links, check.Link{URL: r.url(), Line: r.number(), Column: r.number(), Bad: r.text()})
	}
	return s
}

// A record has the fields of all kinds.
type record struct {
	kind   byte
	policy check.Policy
	source check.Source
	jobs   []check.Job
	job    check.Job
	result check.Result
}

// next reads a record.
func (r *reader) next() (v record, err error) {
	v.kind, r.data, r.last = r.data[0], r.data[1:], ""
	switch v.kind {
	case policyKind:
		r.json(&v.policy)
	case seededKind:
	case linksKind:
		v.source = r.links()
	case jobsKind:
		v.jobs = r.jobs()
	case doneKind:
		v.job = r.job()
		r.json(&v.result)
	default:
		r.fail()
	}
	return v, r.err
}
