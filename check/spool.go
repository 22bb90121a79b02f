package check

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"strings"
	"sync"

	"locus/internal/record"
	"locus/retry"
)

// A Spool is the Queue of one process. Jobs, links and results are in temporary files.
// Memory holds about twelve bytes for each URL, and buffers. Several goroutines may
// call its methods at once.
//
// Jobs that crawl come first. When none is left, all links are known, and so is which
// pages need their anchors. So each URL is opened once, and HEAD is enough for most.
// There is no file for less than 128 KiB.
type Spool struct {
	mu      sync.Mutex
	changed sync.Cond
	texts   texts // URLs of links and jobs, and names of documents
	links   journal
	results journal
	pendingJobs
	share share
}

// pendingJobs are the jobs that are not done.
type pendingJobs struct {
	crawls  jobQueue // jobs that crawl
	others  jobQueue
	open    openJobs
	level   int                // the depth of the crawls that are returned now
	deeper  int64              // position of the first job of crawls that was skipped for its depth
	claimed map[int64]struct{} // offsets of the texts of jobs that were returned
}

// NewSpool returns an empty queue. It calls create for each temporary file when it
// needs one. Close closes the files. If create is nil, everything stays in memory.
func NewSpool(create func() (File, error)) *Spool {
	j := journal{create: create}
	s := &Spool{
		texts: newTexts(create), links: j, results: j, pendingJobs: pendingJobs{
			crawls: jobQueue{journal: j}, others: jobQueue{journal: j}, claimed: make(map[int64]struct{}), deeper: math.MaxInt64,
		},
	}
	s.changed.L = &s.mu
	return s
}

// NewMemory returns an empty queue in memory.
func NewMemory() *Spool { return NewSpool(nil) }

// The state of a text. The low bits are the offset of its result + 1, or 0; the high
// bits are the depth of its crawl. Between them are these flags:
const (
	isLink       = 1 << (offsetBits + iota)
	isPlain      // there is a job in others
	needsAnchors // that job has Anchors
	isCrawl      // there is a job in crawls
	isReported   // it is in the last report
	hasDetails   // its result says more than that it is good
	hasAnchors   // its result has anchors
)

const (
	statusBit  = offsetBits + 7 // Status, 2 bits
	statusMask = 3 << statusBit
	isCrawled  = 1 << (offsetBits + 9)  // the job in crawls is done
	isChecked  = 1 << (offsetBits + 10) // the job in others is done
	depthBit   = offsetBits + 12
	maxDepth   = 1<<(64-depthBit) - 1
)

// entry returns the text for a link or a job. A text that is no URL has its reason
// added.
func entry(u, bad string) string {
	if bad == "" {
		return u
	}
	return u + "\x00" + bad
}

// parseEntry is the inverse of entry.
func parseEntry(s string) (u, bad string) {
	if i := strings.LastIndexByte(s, 0); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// Seed adds a document, and the jobs that were not added before.
func (s *Spool) Seed(_ context.Context, from Source, jobs []Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	return s.add(from.Document, Found{from.Links, jobs})
}

// Next returns the jobs that crawl and then the others, in the order in which they
// were added.
func (s *Spool) Next(ctx context.Context) (Job, error) {
	stop := context.AfterFunc(ctx, s.broadcast)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		j, err := s.next()
		switch {
		case !errors.Is(err, io.EOF):
			return j, err
		case ctx.Err() != nil:
			return Job{}, context.Cause(ctx)
		case s.isFinished():
			return Job{}, io.EOF
		}
		s.changed.Wait()
	}
}

// isFinished reports whether all jobs are done and no more can follow.
func (s *Spool) isFinished() bool { return s.open.crawls+s.open.others == 0 && !s.share.seeding }

func (s *Spool) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// next returns a job, or io.EOF if there is none now.
func (s *Spool) next() (Job, error) {
	if s.share.seeding {
		return Job{}, io.EOF
	}
	if level := s.open.level(); level != s.level {
		s.level = level
		s.crawls.pos = min(s.crawls.pos, s.deeper)
		s.deeper = math.MaxInt64
	}
	j, err := s.nextOf(&s.crawls, isCrawled)
	if !errors.Is(err, io.EOF) || s.open.crawls > 0 {
		return j, err
	}
	return s.nextOf(&s.others, isCrawl|isChecked)
}

// nextOf returns the next job of q. It skips jobs that have a bit of done in their
// state, are claimed, are not in an owned part, or are deeper than level.
func (s *Spool) nextOf(q *jobQueue, done uint64) (Job, error) {
	for {
		pos := q.pos
		at, part, err := q.next()
		if err != nil {
			return Job{}, err
		}
		if _, claimed := s.claimed[at]; claimed || !s.share.owns(part) {
			continue
		}
		text, state, err := s.texts.text(at)
		depth := int(state >> depthBit)
		switch {
		case err != nil:
			return Job{}, retry.UnexpectedEOF(err)
		case state&done != 0:
			continue
		case q == &s.crawls && depth > s.level:
			s.deeper = min(s.deeper, pos)
			continue
		}
		s.claimed[at] = struct{}{}
		u, bad := parseEntry(text)
		return Job{URL: u, Bad: bad, Crawl: q == &s.crawls, Anchors: q == &s.others && state&needsAnchors != 0, Depth: depth}, nil
	}
}

// Begin returns true: a Spool takes no job back.
func (s *Spool) Begin(Job) bool { return true }

// Done adds the result of a job. It ignores a job that is done already. It does not
// keep a Result without a URL.
func (s *Spool) Done(_ context.Context, j Job, r Result, found Found) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	text, bit := entry(j.URL, j.Bad), uint64(isChecked)
	if j.Crawl {
		bit = isCrawled
	}
	at, before, err := s.texts.put(text)
	if err != nil {
		return err
	}
	delete(s.claimed, at)
	if before&bit != 0 {
		return nil
	}
	if err := s.add(j.URL, found); err != nil {
		return err
	}
	if at, before, err = s.texts.put(text); err != nil { // a page may link to itself
		return err
	}
	after := before | bit
	if r.URL != "" {
		if after, err = s.addResult(after, r); err != nil {
			return err
		}
	}
	s.open.update(before, after)
	return s.texts.setState(text, at, after)
}

// addResult writes a result, and returns the state with its offset. Of two results for
// one URL it keeps the one with anchors.
func (s *Spool) addResult(state uint64, r Result) (uint64, error) {
	if state&hasAnchors != 0 {
		return state, nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return state, err
	}
	var w record.Writer
	w.Text(string(data))
	at, err := s.results.write(w.Data)
	if err != nil {
		return state, err
	}
	state = state&^(offsetMask|statusMask|hasDetails) | uint64(at+1) | uint64(r.Status)<<statusBit
	if r.Status != Good || r.Moved() != "" || r.Anchors != nil {
		state |= hasDetails
	}
	if r.Anchors != nil {
		state |= hasAnchors
	}
	return state, nil
}

// add adds the links of a document, and jobs that were not added before.
func (s *Spool) add(document string, found Found) error {
	if err := s.addLinks(document, found.Links); err != nil {
		return err
	}
	for _, j := range found.Jobs {
		if err := s.addJob(j); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spool) addLinks(document string, links []Link) error {
	if len(links) == 0 {
		return nil
	}
	from, _, err := s.texts.put(document)
	if err != nil {
		return err
	}
	var w record.Writer
	w.Uint(uint64(from))
	w.Uint(uint64(len(links)))
	for _, l := range links {
		to, err := s.putLink(entry(l.URL, l.Bad))
		if err != nil {
			return err
		}
		w.Uint(uint64(to))
		w.Number(l.Line)
		w.Number(l.Column)
	}
	_, err = s.links.write(w.Data)
	return err
}

// putLink adds the text of a link, and returns its offset.
func (s *Spool) putLink(text string) (at int64, err error) {
	at, state, err := s.texts.put(text)
	if err != nil || state&isLink != 0 {
		return at, err
	}
	return at, s.texts.setState(text, at, state|isLink)
}

func (s *Spool) addJob(j Job) error {
	text := entry(j.URL, j.Bad)
	at, before, err := s.texts.put(text)
	if err != nil {
		return err
	}
	after := before | stateOf(j)
	if before&isCrawl == 0 && j.Crawl {
		after |= uint64(min(max(j.Depth, 0), maxDepth)) << depthBit
	}
	if after == before {
		return nil
	}
	s.open.update(before, after)
	if err := s.texts.setState(text, at, after); err != nil {
		return err
	}
	switch {
	case j.Crawl:
		return s.crawls.add(at, s.Part(j.URL))
	case before&isPlain == 0:
		return s.others.add(at, s.Part(j.URL))
	}
	return nil // it only needs its anchors now, too
}

// stateOf returns the flags of a job.
func stateOf(j Job) uint64 {
	switch {
	case j.Crawl:
		return isCrawl
	case j.Anchors:
		return isPlain | needsAnchors
	}
	return isPlain
}

// openJobs counts the jobs that are not done.
type openJobs struct {
	crawls, others int
	levels         []int // crawls by depth
	lowest         int   // no level below has any
}

// update counts the jobs of a text whose state changes.
func (o *openJobs) update(before, after uint64) {
	o.others += countOpen(after, isPlain, isChecked|isCrawl) - countOpen(before, isPlain, isChecked|isCrawl)
	more := countOpen(after, isCrawl, isCrawled) - countOpen(before, isCrawl, isCrawled)
	if more == 0 {
		return
	}
	depth := int(after >> depthBit)
	for len(o.levels) <= depth {
		o.levels = append(o.levels, 0)
	}
	o.crawls += more
	o.levels[depth] += more
	o.lowest = min(o.lowest, depth)
}

// countOpen returns 1 if a job exists and is not done, else 0.
func countOpen(state, exists, done uint64) int {
	if state&exists != 0 && state&done == 0 {
		return 1
	}
	return 0
}

// level returns the smallest depth of the open crawls.
func (o *openJobs) level() int {
	for o.lowest < len(o.levels)-1 && o.levels[o.lowest] == 0 {
		o.lowest++
	}
	return o.lowest
}

// A jobQueue is a journal of jobs, read from its start.
type jobQueue struct {
	journal
	pos int64 // offset of the next record
}

// A record of a jobQueue is the offset of a text, in 40 bits, and a part.
const jobSize = offsetBits/8 + 1

func (q *jobQueue) add(text int64, part int) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(text)|uint64(part)<<offsetBits)
	_, err := q.write(b[:jobSize])
	return err
}

// next reads the next job; io.EOF if there is none.
func (q *jobQueue) next() (text int64, part int, err error) {
	if q.pos == q.size() {
		return 0, 0, io.EOF
	}
	var b [8]byte
	if _, err := q.ReadAt(b[:jobSize], q.pos); err != nil {
		return 0, 0, retry.UnexpectedEOF(err)
	}
	q.pos += jobSize
	n := binary.LittleEndian.Uint64(b[:])
	return int64(n & offsetMask), int(n >> offsetBits), nil
}

// resultAt reads the result of a text with that state.
func (s *Spool) resultAt(state uint64) (r Result, err error) {
	at := int64(state&offsetMask) - 1
	from := record.Reader{From: bufio.NewReaderSize(io.NewSectionReader(&s.results, at, s.results.size()-at), 512)}
	text := from.Text()
	if from.Err() != nil {
		return r, from.Err()
	}
	return r, json.Unmarshal([]byte(text), &r)
}

// A linkGroup is the links of a document, as offsets of texts.
type linkGroup struct {
	document int64
	links    []linkAt
}

type linkAt struct {
	text         int64
	line, column int
}

// groups yields the links of all documents. A group is valid until the next.
func (s *Spool) groups() iter.Seq2[linkGroup, error] {
	return func(yield func(linkGroup, error) bool) {
		var g linkGroup
		from := bufio.NewReaderSize(io.NewSectionReader(&s.links, 0, s.links.size()), 64<<10)
		for {
			if _, err := from.Peek(1); errors.Is(err, io.EOF) {
				return
			}
			r := record.Reader{From: from}
			g.document, g.links = int64(r.Uint()), g.links[:0]
			for n := r.Uint(); n > 0 && r.Err() == nil; n-- {
				g.links = append(g.links, linkAt{int64(r.Uint()), r.Number(), r.Number()})
			}
			if !yield(g, r.Err()) || r.Err() != nil {
				return
			}
		}
	}
}

// Close closes the files. The queue cannot be used any more.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for _, j := range []*journal{&s.texts.journal, &s.crawls.journal, &s.others.journal, &s.links, &s.results} {
		all = errors.Join(all, j.close())
	}
	return all
}
