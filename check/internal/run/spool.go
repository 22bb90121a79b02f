package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"sync"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
	"locus/retry"
)

// A Spool is the Queue of one process. Results are in a log. It is a temporary file, or a
// file that is kept to resume the run (see [OpenSpool]). A kept file also has everything
// else that the resumed run needs. The jobs and the places of links are in temporary files.
// Memory holds about twelve bytes for each URL, and up to 12 MiB of buffers.
// Several goroutines may call its methods at once.
//
// Jobs that crawl come first. When none is left, all links are known, and so is which
// pages need their anchors. So each URL is opened once, and HEAD is enough for most.
// There is no file for less than 128 KiB.
type Spool struct {
	mu      sync.Mutex
	changed sync.Cond
	texts   spill.Texts   // URLs of links and jobs
	places  placeLog      // of links
	log     spill.Log     // results; if isKept, also links and jobs
	isKept  bool          // log is written at once, not only when there is much of it
	noLog   bool          // links and results are not needed
	seeding bool          // Seed may be called while jobs are checked
	decoded decodedResult // by resultAt
	pendingJobs
}

// A decodedResult is a result and its JSON. Many good results of one second have one text.
type decodedResult struct {
	text   string
	result check.Result
}

// pendingJobs are the jobs that are not done.
type pendingJobs struct {
	crawls  jobQueue // jobs that crawl
	others  jobQueue
	open    openJobs
	level   int             // the depth of the crawls that are returned now
	deeper  int64           // position of the first job of crawls that was skipped for its depth
	claimed map[int64]claim // jobs that were returned, by the offsets of their texts
}

// A claim is where in its queue a job is that was returned. More jobs for its text wait
// until it is done.
type claim struct {
	isCrawl       bool
	pos           int64 // in the queue of the job
	crawl, others int64 // of the first job that waits; noJob: there is none
}

const noJob = math.MaxInt64

// files returns create for the containers of package spill; nil for nil.
func files(create func() (check.File, error)) func() (spill.File, error) {
	if create == nil {
		return nil
	}
	return func() (spill.File, error) { return create() }
}

// NewSpool returns an empty queue. It calls create for each temporary file when it
// needs one. Close closes the files. If create is nil, everything stays in memory.
func NewSpool(create func() (check.File, error)) *Spool {
	j := spill.Log{Create: files(create)}
	s := &Spool{
		texts: spill.NewTexts(files(create), spill.RecentTexts, spill.TextsInMemory), places: placeLog{Log: j}, log: j, pendingJobs: pendingJobs{
			crawls: jobQueue{Log: j}, others: jobQueue{Log: j}, claimed: make(map[int64]claim), deeper: math.MaxInt64,
		},
	}
	s.changed.L = &s.mu
	return s
}

// OpenSpool returns a queue whose log is in f. The queue resumes the run in f, and begins
// one if f is empty. After a process was killed, only the jobs that it had not done are
// left. Only one queue may use f at a time. Close closes f. For create see [NewSpool].
func OpenSpool(f check.LogFile, create func() (check.File, error)) (*Spool, error) {
	s := NewSpool(create)
	s.isKept = true
	s.log.Continue(f, 0)
	for at, body := range records(io.NewSectionReader(f, 0, spill.MaxLog), 0) {
		s.log.Continue(f, at)
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
		s.log.Continue(f, at+headSize+int64(len(body.data)))
	}
	if err := f.Truncate(s.log.Size()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// NewMemory returns an empty queue in memory.
func NewMemory() *Spool { return NewSpool(nil) }

// The state of a text. The low bits are the offset of its result + 1, or 0; the high
// bits are the depth of its crawl. Between them are these flags:
const (
	isLink       = 1 << (spill.OffsetBits + iota)
	isPlain      // there is a job in others
	needsAnchors // that job has Anchors
	isCrawl      // there is a job in crawls
	hasDetails   // its result says more than that it is good
	hasAnchors   // its result has anchors
)

const (
	statusBit  = spill.OffsetBits + 7 // Status, 3 bits
	statusMask = 7 << statusBit
	isCrawled  = 1 << (spill.OffsetBits + 10) // the job in crawls is done
	isChecked  = 1 << (spill.OffsetBits + 11) // the job in others was done once
	isRead     = 1 << (spill.OffsetBits + 12) // the job in others was done with Anchors
	depthBit   = spill.OffsetBits + 13
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

// Seeding lets Next return jobs while Seed is still called. Next returns io.EOF only
// after Seeded.
func (s *Spool) Seeding() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seeding = true
}

// Seeded says that Seed will not be called any more.
func (s *Spool) Seeded(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seeding = false
	s.changed.Broadcast()
	return nil
}

// Seed adds a document, and the jobs that were not added before.
func (s *Spool) Seed(_ context.Context, from check.Source, jobs []check.Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isKept { // nothing is written into the log
		defer s.changed.Broadcast()
		if err := s.apply(&entry{kind: linksKind, source: from}, -1); err != nil {
			return err
		}
		return s.apply(&entry{kind: jobsKind, jobs: jobs}, -1)
	}
	jobs, err := s.unseen(jobs)
	if err != nil {
		return err
	}
	return s.add(seedEntries(from, jobs))
}

// unseen returns those of jobs that were not added before. If jobs are not in the log it
// returns all, which makes no difference.
func (s *Spool) unseen(jobs []check.Job) ([]check.Job, error) {
	if !s.isKept {
		return jobs, nil
	}
	var all []check.Job
	for _, j := range jobs {
		_, state, _, err := s.texts.Find(textOf(j.URL, j.Bad))
		if err != nil {
			return nil, err
		}
		if state|stateOf(j) != state {
			all = append(all, j)
		}
	}
	return all, nil
}

// add adds entries to the log and to the queue.
func (s *Spool) add(entries []entry) error {
	defer s.changed.Broadcast()
	for i := range entries {
		var record []byte
		if s.stores(entries[i].kind) {
			record = entries[i].record()
		}
		if err := s.store(&entries[i], record); err != nil {
			return err
		}
	}
	if s.isKept {
		return s.log.Flush()
	}
	return nil
}

// stores reports whether records of a kind are in the log of this Spool.
func (s *Spool) stores(kind byte) bool {
	return s.isKept || !s.noLog && kind == doneKind
}

// store writes an entry into the log, and applies it.
func (s *Spool) store(e *entry, record []byte) error {
	if !s.stores(e.kind) {
		return s.apply(e, -1)
	}
	at, err := s.log.Append(record)
	if err != nil {
		return err
	}
	return s.apply(e, at)
}

// apply applies an entry whose record is at an offset of the log; -1: it is not there.
// An entry may be applied twice, and in another order, with the same outcome.
func (s *Spool) apply(e *entry, at int64) error {
	switch e.kind {
	case linksKind:
		if !s.noLog {
			return s.addLinks(e.source)
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
func (s *Spool) Next(ctx context.Context) (check.Job, error) {
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
			return check.Job{}, context.Cause(ctx)
		case s.isFinished():
			return check.Job{}, io.EOF
		}
		s.changed.Wait()
	}
}

// isFinished reports whether all jobs are done and no more can follow.
func (s *Spool) isFinished() bool { return s.open.crawls+s.open.others == 0 && !s.seeding }

func (s *Spool) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// next returns a job, or io.EOF if there is none now.
func (s *Spool) next() (check.Job, error) {
	s.setLevel(s.open.level())
	j, err := s.nextOf(&s.crawls)
	if !errors.Is(err, io.EOF) || s.open.crawls > 0 {
		return j, err
	}
	return s.nextOf(&s.others)
}

// setLevel sets the depth of the crawls that are returned now.
func (s *Spool) setLevel(level int) {
	if level == s.level {
		return
	}
	s.level = level
	s.crawls.pos = min(s.crawls.pos, s.deeper)
	s.deeper = noJob
}

// nextOf returns the next job of q. It skips jobs that are done, are claimed, or are
// deeper than level.
func (s *Spool) nextOf(q *jobQueue) (check.Job, error) {
	isCrawls := q == &s.crawls
	for {
		pos := q.pos
		at, err := q.next()
		if err != nil {
			return check.Job{}, err
		}
		if c, claimed := s.claimed[at]; claimed {
			if isCrawls {
				c.crawl = min(c.crawl, pos)
			} else {
				c.others = min(c.others, pos)
			}
			s.claimed[at] = c
			continue
		}
		text, state, err := s.texts.Text(at)
		depth := int(state >> depthBit)
		switch {
		case err != nil:
			return check.Job{}, retry.UnexpectedEOF(err)
		case isCrawls && !isOpenCrawl(state), !isCrawls && !isOpenCheck(state):
			continue
		case isCrawls && depth > s.level:
			s.deeper = min(s.deeper, pos)
			continue
		}
		s.claimed[at] = claim{isCrawl: isCrawls, pos: pos, crawl: noJob, others: noJob}
		u, bad := parseText(text)
		return check.Job{URL: u, Bad: bad, Crawl: isCrawls, Anchors: !isCrawls && state&needsAnchors != 0, Depth: depth}, nil
	}
}

// release ends the claim of a job, if there is one.
func (s *Spool) release(j check.Job) error {
	at, _, ok, err := s.texts.Find(textOf(j.URL, j.Bad))
	if ok {
		s.unclaim(at)
	}
	return err
}

// unclaim ends the claim of a text. Jobs that waited for it are returned again.
func (s *Spool) unclaim(at int64) {
	c, ok := s.claimed[at]
	if !ok {
		return
	}
	delete(s.claimed, at)
	s.crawls.pos, s.others.pos = min(s.crawls.pos, c.crawl), min(s.others.pos, c.others)
}

// Begin returns true: a Spool takes no job back.
func (s *Spool) Begin(context.Context, check.Job) bool { return true }

// Done adds the result of a job. It ignores a job that is done already.
func (s *Spool) Done(_ context.Context, j check.Job, r check.Result, found check.Found) error {
	text := resultJSON(withoutAnchors(r)) // others may use the queue meanwhile
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.doneEntry(j, r)
	if err != nil {
		return err
	}
	e.json = text
	if done, err := s.isDone(j); done || err != nil {
		return errors.Join(err, s.release(j))
	}
	jobs, err := s.unseen(found.Jobs)
	if err != nil {
		return err
	}
	return s.add(append(seedEntries(check.Source{Document: j.URL, Links: found.Links}, jobs), e))
}

// doneEntry returns the entry for the result of a job. It refers to the position of a job
// that was returned, and else has the URL.
func (s *Spool) doneEntry(j check.Job, r check.Result) (entry, error) {
	e := entry{kind: doneKind, job: j, result: r}
	at, _, ok, err := s.texts.Find(textOf(j.URL, j.Bad))
	if !ok || err != nil {
		return e, err
	}
	if c, ok := s.claimed[at]; ok && c.isCrawl == j.Crawl {
		e.isRef, e.ref = true, int(c.pos/jobSize)
	}
	return e, nil
}

// resolve sets the job of an entry that refers to its position.
func (s *Spool) resolve(e *entry) error {
	if !e.isRef || e.job.URL != "" {
		return nil
	}
	q := &s.others
	if e.job.Crawl {
		q = &s.crawls
	}
	if int64(e.ref) >= q.Size()/jobSize {
		return invalid(errors.New("a result of no job"))
	}
	at, err := q.read(int64(e.ref) * jobSize)
	if err != nil {
		return err
	}
	text, _, err := s.texts.Text(at)
	e.job.URL, e.job.Bad = parseText(text)
	return err
}

// setDone records the result of a job that is done. Of two results for one URL it keeps
// the one with anchors.
func (s *Spool) setDone(e *entry, at int64) error {
	if err := s.resolve(e); err != nil {
		return err
	}
	text := textOf(e.job.URL, e.job.Bad)
	textAt, before, err := s.texts.Put(text)
	if err != nil {
		return err
	}
	defer s.unclaim(textAt)
	after := before | doneState(e.job)
	if before == after {
		return nil
	}
	if r := e.result; at >= 0 && before&hasAnchors == 0 {
		after = after&^(spill.OffsetMask|statusMask|hasDetails) | uint64(at+e.resultAt+1) | uint64(r.Status)<<statusBit
		if r.Status != check.Good || r.Moved() != "" || r.Anchors != nil {
			after |= hasDetails
		}
		if r.Anchors != nil {
			after |= hasAnchors
		}
	}
	s.open.update(before, after)
	return s.texts.SetState(text, textAt, after)
}

// doneState returns the flags of a job that is done.
func doneState(j check.Job) uint64 {
	switch {
	case j.Crawl:
		return isCrawled
	case j.Anchors:
		return isChecked | isRead
	}
	return isChecked
}

// isDone reports whether a job is done.
func (s *Spool) isDone(j check.Job) (bool, error) {
	_, state, _, err := s.texts.Find(textOf(j.URL, j.Bad))
	return state&isCrawled != 0 || !j.Crawl && state|doneState(j) == state, err
}

// addLinks adds the links of a document, and their places.
func (s *Spool) addLinks(from check.Source) error {
	s.places.begin(from.Document)
	for i := range from.Links {
		l := &from.Links[i]
		at, err := s.addLink(l)
		if err != nil {
			return err
		}
		if err := s.places.add(at, l.Line, l.Column); err != nil {
			return err
		}
	}
	return nil
}

// addLink adds a link to the texts, unless it is there, and returns the offset of its text.
func (s *Spool) addLink(l *check.Link) (at int64, err error) {
	slot := l.Slot()
	if slot != nil && *slot > 0 {
		return *slot - 1, nil
	}
	text := textOf(l.URL, l.Bad)
	at, state, err := s.texts.Put(text)
	if err == nil && state&isLink == 0 {
		err = s.texts.SetState(text, at, state|isLink)
	}
	if err == nil && slot != nil {
		*slot = at + 1
	}
	return at, err
}

func (s *Spool) addJob(j check.Job) error {
	text := textOf(j.URL, j.Bad)
	at, before, err := s.texts.Put(text)
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
	if err := s.texts.SetState(text, at, after); err != nil {
		return err
	}
	switch {
	case j.Crawl:
		if before&isCrawl == 0 {
			return s.crawls.add(at)
		}
		return nil
	}
	return s.others.add(at) // once more if it needs its anchors now, too
}

// stateOf returns the flags of a job.
func stateOf(j check.Job) uint64 {
	switch {
	case j.Crawl:
		return isCrawl
	case j.Anchors:
		return isPlain | needsAnchors
	}
	return isPlain
}

// resultAt reads the result of a text with that state. It has no URL.
func (s *Spool) resultAt(state uint64) (r check.Result, err error) {
	at := int64(state&spill.OffsetMask) - 1
	from := record.Reader{From: bufio.NewReaderSize(io.NewSectionReader(&s.log, at, s.log.Size()-at), 512)}
	text := from.Repeated(s.decoded.text)
	if from.Err() != nil {
		return r, from.Err()
	}
	if text == "" || text != s.decoded.text {
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return r, err
		}
		s.decoded = decodedResult{text, r}
	}
	r = s.decoded.result
	if state&hasAnchors != 0 && r.Anchors == nil { // records of older programs have them in the JSON
		r.Anchors = unpackAnchors(from.Text())
	}
	return r, from.Err()
}

// Close closes the files. The queue cannot be used any more.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for _, j := range []*spill.Log{&s.texts.Log, &s.places.Log, &s.crawls.Log, &s.others.Log, &s.log} {
		all = errors.Join(all, j.Close())
	}
	return all
}
