package run

import (
	"bytes"
	"errors"
	"io"

	"locus/check"
	"locus/internal/spill"
)

// A Shard is the jobs of some hosts of a run that processes share, see [Sharding]. One
// process at a time works at it. It holds what the records of its log say. All
// processes must apply the same records of jobs in the same order, since results refer
// to the jobs by numbers. Records of results may be applied twice.
type Shard struct {
	spool *Spool
	kept  spill.Log // records of Keep
}

// A Phase is a step of a run that processes share. A phase begins in all shards when the
// one before has ended in all. First come the crawls, a phase for each depth, and then
// PhaseChecks.
type Phase int

const (
	PhaseChecks Phase = maxDepth + 1 // jobs that do not crawl
	PhaseEnd    Phase = maxDepth + 2 // no job is open
)

// shardRecent is how many texts a Shard caches: a process has many shards.
const shardRecent = 256

// NewShard returns an empty Shard. For create see [NewSpool]. If hasReport is set, it also
// stores links and results, and can be given to [JoinReports].
func NewShard(create func() (check.File, error), hasReport bool) *Shard {
	s := NewSpool(create)
	s.noLog = !hasReport
	s.texts = spill.NewTexts(files(create), shardRecent, 0)
	return &Shard{s, spill.Log{Create: files(create)}}
}

// A Done is the result of a job for the log. The caller publishes Record, and then gives
// the Done to AddDone.
type Done struct {
	Record []byte
	entry  entry
}

// Done returns the result of a job that Take has returned; nil if the caller does not have
// that job any more.
func (s *Shard) Done(j check.Job, r check.Result) (*Done, error) {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	e, err := s.spool.doneEntry(j, r)
	if err != nil || !e.isRef {
		return nil, err
	}
	return &Done{e.record(), e}, nil
}

// AddDone adds a result, as Apply would add its record.
func (s *Shard) AddDone(d *Done) error {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	return s.spool.store(&d.entry, d.Record)
}

// Apply adds records of the log.
func (s *Shard) Apply(published []byte) error {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	for at, body := range records(bytes.NewReader(published), 0) {
		e, err := body.parse(s.spool.stores(doneKind))
		if err != nil {
			return err
		}
		if err := s.spool.store(&e, published[at:][:headSize+len(body.data)]); err != nil {
			return err
		}
	}
	return nil
}

// Keep keeps records of results whose jobs are not applied yet, for ApplyKept.
func (s *Shard) Keep(published []byte) error {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	_, err := s.kept.Append(published)
	return err
}

// ApplyKept applies the records that Keep has kept, and removes them.
func (s *Shard) ApplyKept() error {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	for _, body := range records(io.NewSectionReader(&s.kept, 0, s.kept.Size()), 0) {
		e, err := body.parse(s.spool.stores(doneKind))
		if err != nil {
			return err
		}
		if err := s.spool.store(&e, withHead(append(make([]byte, headSize), body.data...))); err != nil {
			return err
		}
	}
	return s.kept.Close()
}

// Take returns an open job of a phase or an earlier one; io.EOF if there is none now. The
// caller has it until a result for it is applied, or until Release.
func (s *Shard) Take(phase Phase) (check.Job, error) {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	s.spool.setLevel(int(min(phase, maxDepth)))
	j, err := s.spool.nextOf(&s.spool.crawls)
	if errors.Is(err, io.EOF) && phase >= PhaseChecks {
		j, err = s.spool.nextOf(&s.spool.others)
	}
	return j, err
}

// Release lets Take return a job again.
func (s *Shard) Release(j check.Job) error {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	at, _, ok, err := s.spool.texts.Find(textOf(j.URL, j.Bad))
	if err != nil || !ok {
		return err
	}
	if c, ok := s.spool.claimed[at]; ok && c.isCrawl == j.Crawl {
		q := &s.spool.others
		if j.Crawl {
			q = &s.spool.crawls
		}
		q.pos = min(q.pos, c.pos)
		s.spool.unclaim(at)
	}
	return nil
}

// Phase returns the phase of the first open job.
func (s *Shard) Phase() Phase {
	s.spool.mu.Lock()
	defer s.spool.mu.Unlock()
	switch open := &s.spool.open; {
	case open.crawls > 0:
		return Phase(open.level())
	case open.others > 0:
		return PhaseChecks
	}
	return PhaseEnd
}

// Close closes the files.
func (s *Shard) Close() error { return errors.Join(s.kept.Close(), s.spool.Close()) }

// Records returns the records of a document and jobs by the shards of a run. A link is in the shard of
// its URL.
func Records(s check.Sharding, from check.Source, jobs []check.Job) map[int][][]byte {
	links, some, all := make(map[int][]check.Link), make(map[int][]check.Job), make(map[int][][]byte)
	for _, l := range from.Links {
		n := s.Of(l.URL)
		links[n], all[n] = append(links[n], l), nil
	}
	for _, j := range jobs {
		n := s.Of(j.URL)
		some[n], all[n] = append(some[n], j), nil
	}
	for n := range all {
		for _, e := range seedEntries(check.Source{Document: from.Document, Links: links[n]}, some[n]) {
			all[n] = append(all[n], e.record())
		}
	}
	return all
}
