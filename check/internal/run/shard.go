package run

import (
	"bytes"
	"errors"
	"io"

	"locus/check"
	"locus/internal/spill"
)

// A Shard has the jobs of some hosts of a run that processes share (see [check.Sharding]), and the links to their URLs.
// One process at a time takes its jobs. All processes must apply the same records of jobs in the same order, because
// results refer to jobs by numbers. Records of results may be applied twice.
type Shard struct {
	store
	kept spill.Log // the records that Keep was given
}

// A Phase is a step of a run that processes share. A phase begins in all shards when the phase before it has ended in
// all of them. The first phases are the crawls, one for each depth. PhaseChecks follows them.
type Phase int

const (
	PhaseChecks Phase = maxDepth + 1 // jobs that do not crawl
	PhaseEnd    Phase = maxDepth + 2 // all jobs are done
)

// shardRecent is how many texts a Shard caches. It is small, because a process has many shards.
const shardRecent = 256

// NewShard returns an empty Shard. See [NewQueue] for create. If hasReport is set, the Shard also stores links and
// results, and can be given to [JoinReports].
func NewShard(create func() (check.File, error), hasReport bool) *Shard {
	s := &Shard{kept: spill.Log{Create: spillFiles(create)}}
	s.init(create, shardRecent, 0)
	if !hasReport {
		s.keeps = keepsJobs
	}
	return s
}

// A DoneRecord is the record of a result. The caller publishes Data, and then calls AddDone.
type DoneRecord struct {
	Data  []byte
	entry entry
}

// Done returns the record for the result of a job that Take returned. It does not change the Shard; see AddDone. It
// returns nil if the caller no longer has the job, because the job was done or released.
func (s *Shard) Done(j check.Job, r check.Result) (*DoneRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.doneEntry(j, r)
	if err != nil || !e.isRef {
		return nil, err
	}
	return &DoneRecord{e.record(), e}, nil
}

// AddDone stores a result in the Shard. It has the effect of Apply with d.Data, but need not parse the record.
func (s *Shard) AddDone(d *DoneRecord) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(&d.entry, d.Data)
}

// Apply applies records of the shared log, one after the other: it adds their links and jobs, and stores their results.
// After an error, the earlier records are applied.
func (s *Shard) Apply(published []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, body := range records(bytes.NewReader(published)) {
		e, err := body.parse(s.logs(doneKind))
		if err != nil {
			return err
		}
		if err := s.write(&e, published[at:][:headSize+len(body.data)]); err != nil {
			return err
		}
	}
	return nil
}

// Keep keeps records of results until ApplyKept, because the jobs to which they refer are not applied yet.
func (s *Shard) Keep(published []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.kept.Append(published)
	return err
}

// ApplyKept applies the records that Keep kept, and removes them.
func (s *Shard) ApplyKept() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, body := range records(io.NewSectionReader(&s.kept, 0, s.kept.Size())) {
		e, err := body.parse(s.logs(doneKind))
		if err != nil {
			return err
		}
		if err := s.write(&e, withHead(append(make([]byte, headSize), body.data...))); err != nil {
			return err
		}
	}
	return s.kept.Close()
}

// Take returns an open job of phase or an earlier phase. The error is io.EOF if no job can be taken now. The caller has
// the job until a result for it is applied or Release is called.
func (s *Shard) Take(phase Phase) (check.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setLevel(int(min(phase, maxDepth)))
	j, err := s.nextOf(&s.crawls)
	if errors.Is(err, io.EOF) && phase >= PhaseChecks {
		j, err = s.nextOf(&s.others)
	}
	return j, err
}

// Release gives a job back, so that Take returns it again. It has no effect on a job that is done or not taken.
func (s *Shard) Release(j check.Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _, ok, err := s.texts.Find(textOf(j.URL, j.Bad))
	if err != nil || !ok {
		return err
	}
	if c, ok := s.claimed[at]; ok && c.isCrawl == j.Crawl {
		jobs := s.jobsOf(j.Crawl)
		jobs.pos = min(jobs.pos, c.pos)
		s.unclaim(at)
	}
	return nil
}

// Phase returns the earliest phase of an open job, and PhaseEnd if all jobs are done.
func (s *Shard) Phase() Phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch open := &s.open; {
	case open.crawls > 0:
		return Phase(open.level())
	case open.others > 0:
		return PhaseChecks
	}
	return PhaseEnd
}

// Close closes the files of the shard, which cannot be used afterwards.
func (s *Shard) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.kept.Close(), s.close())
}

// RecordsByShard returns the records for the links of a document and for jobs, by the numbers of the shards of their
// URLs.
func RecordsByShard(s check.Sharding, from check.Source, jobs []check.Job) map[int][][]byte {
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
