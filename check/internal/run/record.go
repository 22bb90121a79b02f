package run

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"strings"

	"locus/check"
	"locus/internal/record"
)

// A log is a sequence of records. A record consists of a head and a body. The head is the length and the checksum of
// the body, in four bytes each. The body begins with its kind:
//
//	L links     document, n, then   n × URL, line, column, Link.Bad
//	J jobs      n, then             n × URL, flags, depth, Job.Bad
//	R done      flags, job, the result as JSON without its URL and its anchors, and
//	            with packedFlag the anchors, in 8 bytes each
//
// With refFlag, the job of a result is its number among the crawls or the other jobs, in the order of the log. Without
// it, the job is the URL and Job.Bad.
//
// Numbers are varints. A text is its length and its bytes. A URL is the number of bytes that it shares with the last
// URL, and the rest as a text.
const (
	linksKind = 'L'
	jobsKind  = 'J'
	doneKind  = 'R'
)

// The flags of a job.
const (
	crawlFlag = 1 << iota
	anchorsFlag
	refFlag    // the job of a result is a number
	packedFlag // the anchors of a result follow it
)

const (
	headSize = 8

	// recordSize is about the maximum size of a record of links or jobs. A link that is larger has a record of its own.
	recordSize = 64 << 10

	// maxRecord limits the length of a record that is read, so that a damaged length does not fill the memory.
	maxRecord = 16 << 20
)

// An entry is the content of a record. It has the fields of all kinds.
type entry struct {
	kind   byte
	source check.Source
	jobs   []check.Job
	job    check.Job // Depth is not set
	result check.Result
	json   string // resultJSON of the result; if it is "", record calls resultJSON

	// isRef means that ref is the number of the job. An entry that was read then has no URL until resolve sets it.
	isRef bool
	ref   int

	// resultAt is the offset of the result in the record. store.resultAt reads from there.
	resultAt int64
}

// seedEntries returns the entries for the links of a document and for jobs. There are several of a kind if the record
// of one would be too large.
func seedEntries(s check.Source, jobs []check.Job) (all []entry) {
	for links := range chunks(s.Links, func(l check.Link) int { return len(l.URL) + len(l.Bad) }) {
		all = append(all, entry{kind: linksKind, source: check.Source{Document: s.Document, Links: links}})
	}
	for jobs := range chunks(jobs, func(j check.Job) int { return len(j.URL) + len(j.Bad) }) {
		all = append(all, entry{kind: jobsKind, jobs: jobs})
	}
	return all
}

// chunks yields list in consecutive chunks whose items have at most recordSize bytes together. A larger item is a chunk
// alone. size returns the number of bytes of an item.
func chunks[T any](list []T, size func(T) int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		start, sum := 0, 0
		for i, item := range list {
			n := size(item) + 8
			if sum += n; sum > recordSize && i > start {
				if !yield(list[start:i]) {
					return
				}
				start, sum = i, n
			}
		}
		if start < len(list) {
			yield(list[start:])
		}
	}
}

// record returns the record of e, with its head, and sets e.resultAt.
func (e *entry) record() []byte {
	w := record.Writer{Data: make([]byte, headSize, 256)}
	w.Byte(e.kind)
	switch e.kind {
	case linksKind:
		w.Text(e.source.Document)
		w.Number(len(e.source.Links))
		for _, l := range e.source.Links {
			w.Similar(l.URL)
			w.Number(l.Line)
			w.Number(l.Column)
			w.Text(l.Bad)
		}
	case jobsKind:
		w.Number(len(e.jobs))
		for _, j := range e.jobs {
			w.Similar(j.URL)
			w.Number(flagsOf(j))
			w.Number(j.Depth)
			w.Text(j.Bad)
		}
	case doneKind:
		flags := flagsOf(e.job)
		if e.result.Anchors != nil {
			flags |= packedFlag
		}
		if e.isRef {
			w.Number(flags | refFlag)
			w.Number(e.ref)
		} else {
			w.Number(flags)
			w.Text(e.job.URL)
			w.Text(e.job.Bad)
		}
		e.resultAt = int64(len(w.Data))
		text := e.json
		if text == "" {
			text = resultJSON(withoutAnchors(e.result))
		}
		w.Text(text)
		if e.result.Anchors != nil {
			w.Text(packAnchors(e.result.Anchors))
		}
	}
	return withHead(w.Data)
}

// withHead writes the length and the checksum of the body into the first headSize bytes of record, and returns record.
func withHead(record []byte) []byte {
	binary.LittleEndian.PutUint32(record, uint32(len(record)-headSize))
	binary.LittleEndian.PutUint32(record[4:], crc32.ChecksumIEEE(record[headSize:]))
	return record
}

// flagsOf returns the bits crawlFlag and anchorsFlag for the fields Crawl and Anchors of j.
func flagsOf(j check.Job) (flags int) {
	if j.Crawl {
		flags |= crawlFlag
	}
	if j.Anchors {
		flags |= anchorsFlag
	}
	return flags
}

// resultJSON formats r as JSON, without its URL and with a line end.
func resultJSON(r check.Result) string {
	r.URL = ""
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // because escapes make URLs longer
	if err := enc.Encode(r); err != nil {
		panic("check: a result cannot be written as JSON: " + err.Error())
	}
	return b.String()
}

// withoutAnchors returns r without its anchors.
func withoutAnchors(r check.Result) check.Result {
	r.Anchors = nil
	return r
}

// packAnchors returns the anchors as a text, with 8 bytes for each.
func packAnchors(anchors []uint64) string {
	b := make([]byte, 0, 8*len(anchors))
	for _, a := range anchors {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	return string(b)
}

// unpackAnchors returns the anchors that packAnchors has packed into text. For an empty text it returns an empty slice,
// not nil.
func unpackAnchors(text string) []uint64 {
	anchors := make([]uint64, 0, len(text)/8)
	for b := []byte(text); len(b) >= 8; b = b[8:] {
		anchors = append(anchors, binary.LittleEndian.Uint64(b))
	}
	return anchors
}

// ErrRecord says that a record is cut off or damaged. Errors of the file that has it do not wrap ErrRecord.
var ErrRecord = errors.New("the log has an invalid record")

// records yields the offset and the body of each record of a log. The data of a body is valid until the next body is
// yielded. If a record is cut off or its checksum is wrong, the last body has an error that wraps ErrRecord.
func records(from io.Reader) iter.Seq2[int64, recordBody] {
	return func(yield func(int64, recordBody) bool) {
		size := 64 << 10
		if b, ok := from.(*bytes.Reader); ok {
			size = min(size, b.Len())
		}
		r := bufio.NewReaderSize(from, size)
		var body []byte
		for at := int64(0); ; {
			head, err := r.Peek(headSize + 1)
			if errors.Is(err, io.EOF) && len(head) == 0 {
				return
			}
			if err != nil {
				yield(at, recordBody{err: invalid(err)})
				return
			}
			n, sum := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
			if n == 0 || n > maxRecord {
				yield(at, recordBody{err: invalid(errors.New("a record has an invalid length"))})
				return
			}
			_, _ = r.Discard(headSize) // these bytes are in the buffer
			body = append(body[:0], make([]byte, n)...)
			if _, err = io.ReadFull(r, body); err == nil && crc32.ChecksumIEEE(body) != sum {
				err = errors.New("a record has a wrong checksum")
			}
			if err != nil {
				yield(at, recordBody{err: invalid(err)})
				return
			}
			if !yield(at, recordBody{data: body}) {
				return
			}
			at += headSize + int64(n)
		}
	}
}

// CheckRecords returns an error that wraps ErrRecord if one of the records in published is cut off or damaged, and nil
// otherwise.
func CheckRecords(published []byte) error {
	for _, body := range records(bytes.NewReader(published)) {
		if body.err != nil {
			return body.err
		}
	}
	return nil
}

// A recordBody is the body of a record, or an error.
type recordBody struct {
	data []byte
	err  error
}

// invalid returns err wrapped in ErrRecord. It returns an error of the file unchanged, because the log may be valid.
func invalid(err error) error {
	if err == io.EOF { // Peek and ReadFull return it as it is
		err = io.ErrUnexpectedEOF
	}
	if _, isFile := errors.AsType[*fs.PathError](err); isFile {
		return err
	}
	return fmt.Errorf("%w: %w", ErrRecord, err)
}

// entry parses the body of a record, with the result of a job.
func (b recordBody) entry() (entry, error) { return b.parse(true) }

// parse parses the body of a record. If withResult is false, it leaves result empty in the entry of a result, because
// parsing the result takes most of the time. The error wraps ErrRecord for an invalid body.
func (b recordBody) parse(withResult bool) (e entry, err error) {
	if b.err != nil {
		return e, b.err
	}
	from := bytes.NewReader(b.data)
	r := record.Reader{From: from}
	e.kind = r.Byte()
	switch e.kind {
	case linksKind:
		e.source.Document = r.Text()
		for n := r.Number(); n > 0 && r.Err() == nil; n-- {
			e.source.Links = append(e.source.Links, check.Link{URL: r.Similar(), Line: r.Number(), Column: r.Number(), Bad: r.Text()})
		}
	case jobsKind:
		for n := r.Number(); n > 0 && r.Err() == nil; n-- {
			j := jobWith(r.Similar(), r.Number())
			j.Depth, j.Bad = r.Number(), r.Text()
			e.jobs = append(e.jobs, j)
		}
	case doneKind:
		flags := r.Number()
		if e.isRef = flags&refFlag != 0; e.isRef {
			e.job, e.ref = jobWith("", flags), r.Number()
		} else {
			e.job = jobWith(r.Text(), flags)
			e.job.Bad = r.Text()
		}
		e.resultAt = headSize + from.Size() - int64(from.Len())
		if withResult && r.Err() == nil {
			err = json.Unmarshal([]byte(r.Text()), &e.result)
			if flags&packedFlag != 0 {
				e.result.Anchors = unpackAnchors(r.Text())
			}
		}
	default:
		err = fmt.Errorf("%q is not a kind of record", e.kind)
	}
	if r.Err() != nil {
		err = r.Err()
	}
	if err != nil {
		err = invalid(err)
	}
	return e, err
}

// jobWith returns the job for u with the fields that flagsOf has put into flags.
func jobWith(u string, flags int) check.Job {
	return check.Job{URL: u, Crawl: flags&crawlFlag != 0, Anchors: flags&anchorsFlag != 0}
}
