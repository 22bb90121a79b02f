package check

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"sync"

	"locus/internal/record"
	"locus/retry"
)

// A Spool is the Queue of one process. Links and results are in a log, which is a
// temporary file, or a file that is kept to resume the run (see [OpenSpool]). The jobs
// are in temporary files. Memory holds about twelve bytes for each URL, and up to 9 MiB of
// buffers.
// Several goroutines may call its methods at once.
//
// Jobs that crawl come first. When none is left, all links are known, and so is which
// pages need their anchors. So each URL is opened once, and HEAD is enough for most.
// There is no file for less than 128 KiB.
type Spool struct {
	mu      sync.Mutex
	changed sync.Cond
	texts   texts   // URLs of links and jobs
	log     journal // links and results; if isKept, also jobs
	isKept  bool    // log is written at once, not only when there is much of it
	pendingJobs
	share share

	hasReport bool // Report was called, so texts are marked
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
		texts: newTexts(create), log: j, pendingJobs: pendingJobs{
			crawls: jobQueue{journal: j}, others: jobQueue{journal: j}, claimed: make(map[int64]struct{}), deeper: math.MaxInt64,
		},
	}
	s.changed.L = &s.mu
	return s
}

// A LogFile is a file that keeps a run, such as an *os.File.
type LogFile interface {
	File
	Truncate(size int64) error
}

// OpenSpool returns a queue whose log is in f. The queue resumes the run in f, and begins
// one if f is empty. After a process was killed, only the jobs that it had not done are
// left. Only one queue may use f at a time. Close closes f. For create see [NewSpool].
func OpenSpool(f LogFile, create func() (File, error)) (*Spool, error) {
	s := NewSpool(create)
	s.isKept, s.log.file = true, f
	for at, body := range records(io.NewSectionReader(f, 0, maxJournal), 0) {
		s.log.base = at
		e, err := body.entry()
		if errors.Is(err, errRecord) {
			break // the process was killed while it wrote
		}
		if err == nil {
			err = s.apply(&e, at)
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.log.base = at + headSize + int64(len(body.data))
	}
	if err := f.Truncate(s.log.base); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
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
	statusBit  = offsetBits + 7 // Status, 3 bits
	statusMask = 7 << statusBit
	isCrawled  = 1 << (offsetBits + 10) // the job in crawls is done
	isChecked  = 1 << (offsetBits + 11) // the job in others is done
	depthBit   = offsetBits + 12
	maxDepth   = 1<<(64-depthBit) - 1
)

// textOf returns the text for a link or a job. A text that is no URL has its reason
// added.
func textOf(u, bad string) string {
	if bad == "" {
		return u
	}
	return u + "\x00" + bad
}

// parseText is the inverse of textOf.
func parseText(s string) (u, bad string) {
	if i := strings.LastIndexByte(s, 0); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// Seed adds a document, and the jobs that were not added before.
func (s *Spool) Seed(ctx context.Context, from Source, jobs []Job) error {
	jobs, err := s.unseen(jobs)
	if err != nil {
		return err
	}
	return s.add(ctx, seedEntries(from, jobs))
}

// add adds entries to the log, and then to the queue.
func (s *Spool) add(ctx context.Context, entries []entry) error {
	all := make([][]byte, len(entries))
	for i := range entries {
		if s.share.Publish != nil || s.stores(entries[i].kind) {
			all[i] = entries[i].record()
		}
	}
	if s.share.Publish != nil {
		if err := s.share.Publish(ctx, all); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	if last := len(entries) - 1; last >= 0 && entries[last].kind == doneKind {
		if done, err := s.isDone(entries[last].job); done || err != nil {
			return errors.Join(err, s.unclaim(entries[last].job))
		}
	}
	for i := range entries {
		if err := s.store(&entries[i], all[i]); err != nil {
			return err
		}
	}
	if s.isKept {
		return s.log.flush()
	}
	return nil
}

// stores reports whether records of a kind are in the log of this Spool.
func (s *Spool) stores(kind byte) bool {
	return s.isKept || !s.share.Helper && (kind == linksKind || kind == doneKind)
}

// store writes an entry into the log, and applies it.
func (s *Spool) store(e *entry, record []byte) error {
	if !s.stores(e.kind) {
		return s.apply(e, -1)
	}
	at, err := s.log.write(record)
	if err != nil {
		return err
	}
	return s.apply(e, at)
}

// apply applies an entry whose record is at an offset of the log; -1: it is not there.
// An entry may be applied twice, and in another order, with the same outcome.
func (s *Spool) apply(e *entry, at int64) error {
	switch e.kind {
	case seededKind:
		s.share.seeding = false
	case linksKind:
		if at < 0 {
			return nil
		}
		for _, l := range e.source.Links {
			if err := s.addLink(textOf(l.URL, l.Bad)); err != nil {
				return err
			}
		}
	case jobsKind:
		for _, j := range e.jobs {
			if err := s.addJob(j); err != nil {
				return err
			}
		}
	case doneKind:
		return s.setDone(e, at)
	}
	return nil
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
		u, bad := parseText(text)
		return Job{URL: u, Bad: bad, Crawl: q == &s.crawls, Anchors: q == &s.others && state&needsAnchors != 0, Depth: depth}, nil
	}
}

// Begin returns true: a Spool takes no job back.
func (s *Spool) Begin(Job) bool { return true }

// Done adds the result of a job. It ignores a job that is done already.
func (s *Spool) Done(ctx context.Context, j Job, r Result, found Found) error {
	jobs, err := s.unseen(found.Jobs)
	if err != nil {
		return err
	}
	r.URL = j.URL // the record of a result has it once
	return s.add(ctx, append(seedEntries(Source{j.URL, found.Links}, jobs), entry{kind: doneKind, job: j, result: r}))
}

// setDone records the result of a job that is done. Of two results for one URL it keeps
// the one with anchors.
func (s *Spool) setDone(e *entry, at int64) error {
	text, bit := textOf(e.job.URL, e.job.Bad), uint64(isChecked)
	if e.job.Crawl {
		bit = isCrawled
	}
	textAt, before, err := s.texts.put(text)
	if err != nil {
		return err
	}
	delete(s.claimed, textAt)
	if before&bit != 0 {
		return nil
	}
	after := before | bit
	if r := e.result; at >= 0 && before&hasAnchors == 0 {
		after = after&^(offsetMask|statusMask|hasDetails) | uint64(at+e.resultAt+1) | uint64(r.Status)<<statusBit
		if r.Status != Good || r.Moved() != "" || r.Anchors != nil {
			after |= hasDetails
		}
		if r.Anchors != nil {
			after |= hasAnchors
		}
	}
	s.open.update(before, after)
	return s.texts.setState(text, textAt, after)
}

// addLink adds the text of a link.
func (s *Spool) addLink(text string) error {
	at, state, err := s.texts.put(text)
	if err != nil || state&isLink != 0 {
		return err
	}
	return s.texts.setState(text, at, state|isLink)
}

func (s *Spool) addJob(j Job) error {
	text := textOf(j.URL, j.Bad)
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
	from := record.Reader{From: bufio.NewReaderSize(io.NewSectionReader(&s.log, at, s.log.size()-at), 512)}
	u, _, text := from.Text(), from.Text(), from.Text()
	if from.Err() != nil {
		return r, from.Err()
	}
	err = json.Unmarshal([]byte(text), &r)
	r.URL = u
	return r, err
}

// Close closes the files. The queue cannot be used any more.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for _, j := range []*journal{&s.texts.journal, &s.crawls.journal, &s.others.journal, &s.log} {
		all = errors.Join(all, j.close())
	}
	return all
}
