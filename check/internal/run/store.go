package run

import (
	"encoding/json"
	"errors"
	"sync"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
)

// A store has the links, the jobs and the results of a Queue or of a Shard. The caller of a method holds mu, except
// that report locks it.
type store struct {
	mu      sync.Mutex
	keeps   keeping
	texts   spill.Texts   // URLs of links and jobs
	places  placeLog      // of links
	log     spill.Log     // the records that keeps asks for
	decoded decodedResult // the last result that resultAt decoded
	pendingJobs
}

// A keeping says what a store keeps besides its jobs.
type keeping int

const (
	keepsResults keeping = iota // the places of links, and in the log the results
	keepsAll                    // the places of links, and in the log all entries, so that the run can be resumed
	keepsJobs                   // the jobs alone, because another process makes the report
)

// A decodedResult is a result and its JSON. It is kept because most good results of one second have the same JSON.
type decodedResult struct {
	text   string
	result check.Result
}

// init makes s empty. recent and inMemory are the sizes of its caches of texts, see spill.NewTexts. The store calls
// create when it needs a temporary file. If create is nil, everything stays in memory.
func (s *store) init(create func() (check.File, error), recent, inMemory int) {
	j := spill.Log{Create: spillFiles(create)}
	s.texts, s.places, s.log = spill.NewTexts(spillFiles(create), recent, inMemory), placeLog{Log: j}, j
	s.pendingJobs = pendingJobs{crawls: jobLog{Log: j}, others: jobLog{Log: j}, claimed: make(map[int64]claim), deeper: noJob}
}

// spillFiles converts create to the type that the containers of package spill call for temporary files; nil to nil.
func spillFiles(create func() (check.File, error)) func() (spill.File, error) {
	if create == nil {
		return nil
	}
	return func() (spill.File, error) { return create() }
}

// logs reports whether the log contains the records of a kind of entries.
func (s *store) logs(kind byte) bool {
	return s.keeps == keepsAll || s.keeps == keepsResults && kind == doneKind
}

// write appends record, the record of e, to the log if the log contains its kind, and applies e.
func (s *store) write(e *entry, record []byte) error {
	if !s.logs(e.kind) {
		return s.apply(e, -1)
	}
	at, err := s.log.Append(record)
	if err != nil {
		return err
	}
	return s.apply(e, at)
}

// apply changes the store by an entry. at is the offset of its record in the log; -1 if the log does not contain it. An
// entry may be applied twice. The order of entries matters only because results with isRef refer to jobs by their
// positions.
func (s *store) apply(e *entry, at int64) error {
	switch e.kind {
	case linksKind:
		if s.keeps != keepsJobs {
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

// doneEntry returns the entry for the result r of j. If j is claimed, because Next or Take has returned it, the entry
// has isRef, and refers to the job by its position. Otherwise the entry contains the URL. The store does not change.
func (s *store) doneEntry(j check.Job, r check.Result) (entry, error) {
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

// resolve sets the URL of the job in an entry with isRef. The error wraps ErrRecord if there is no such job.
func (s *store) resolve(e *entry) error {
	if !e.isRef || e.job.URL != "" {
		return nil
	}
	jobs := s.jobsOf(e.job.Crawl)
	if int64(e.ref) >= jobs.Size()/jobSize {
		return invalid(errors.New("a result refers to a job that does not exist"))
	}
	at, err := jobs.read(int64(e.ref) * jobSize)
	if err != nil {
		return err
	}
	text, _, err := s.texts.Text(at)
	e.job.URL, e.job.Bad = parseText(text)
	return err
}

// setDone records in the state of a text that the job of e is done, and where its result is in the log, and ends the
// claim of the job. at is the offset of e's record; -1 if the log lacks it. If a URL has two results, setDone keeps the
// one with anchors.
func (s *store) setDone(e *entry, at int64) error {
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

// isDone reports whether the job is done, or need not be done because its page was crawled.
func (s *store) isDone(j check.Job) (bool, error) {
	_, state, _, err := s.texts.Find(textOf(j.URL, j.Bad))
	return state&isCrawled != 0 || !j.Crawl && state|doneState(j) == state, err
}

// addLinks adds the links of a document to the texts, and their places to the places.
func (s *store) addLinks(from check.Source) error {
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

// addLink adds the text of a link to the texts, unless they contain it, marks it as a link, and returns its offset. It
// keeps the offset in the Slot of the link.
func (s *store) addLink(l *check.Link) (at int64, err error) {
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

// addJob adds a job. If there is a job for the same URL, addJob adds only what the new one needs in addition: Crawl or
// Anchors.
func (s *store) addJob(j check.Job) error {
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
	return s.others.add(at) // a second time if the job needs its anchors only now
}

// resultAt reads the result to which state, the state of a text, refers. log is a window of s.log. The URL of the
// result is "".
func (s *store) resultAt(log *window, state uint64) (r check.Result, err error) {
	log.seek(int64(state&spill.OffsetMask) - 1)
	from := record.Reader{From: log}
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
	if state&hasAnchors != 0 && r.Anchors == nil { // older programs wrote the anchors into the JSON
		r.Anchors = unpackAnchors(from.Text())
	}
	return r, from.Err()
}

// close closes the files of the store, all of them even after an error.
func (s *store) close() error {
	var all error
	for _, j := range []*spill.Log{&s.texts.Log, &s.places.Log, &s.crawls.Log, &s.others.Log, &s.log} {
		all = errors.Join(all, j.Close())
	}
	return all
}
