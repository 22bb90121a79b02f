package run

import (
	"bufio"
	"container/heap"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"locus/check"
	"locus/internal/record"
	"locus/internal/spill"
)

// JoinReports returns the report of all shards of a run. It asks for one shard after the other, and closes each before
// it asks for the next. The caller closes the Report.
func JoinReports(o check.ReportOptions, shards iter.Seq2[*Shard, error]) (*check.Report, error) {
	j := &findingLog{Log: spill.Log{Create: spillFiles(o.Create)}}
	all := &check.Report{Findings: j.findings, Release: j.Close}
	for s, err := range shards {
		if err == nil {
			err = errors.Join(j.add(all, s, o), s.Close())
		}
		if err != nil {
			return nil, errors.Join(err, j.Close())
		}
	}
	return all, nil
}

// A findingLog contains the findings of all shards. The findings of each shard are together, in the order of their
// links.
type findingLog struct {
	spill.Log
	starts []int64 // the offset of the first finding of each shard
}

// add appends the findings of a shard's report to the log, and adds the counts of the report to all.
func (j *findingLog) add(all *check.Report, s *Shard, o check.ReportOptions) error {
	r, err := s.report(o)
	if err != nil {
		return err
	}
	defer r.Close()
	for status, n := range r.Counts {
		all.Counts[status] += n
	}
	all.Moved += r.Moved
	all.NotCrawled += r.NotCrawled
	all.Failures += r.Failures
	j.starts = append(j.starts, j.Size())
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if _, err := j.Append(findingRecord(f)); err != nil {
			return err
		}
	}
	return nil
}

// findings yields the findings of all shards in the order of their links. An error is the last that it yields.
func (j *findingLog) findings(yield func(check.Finding, error) bool) {
	var shards findingHeap
	for i, start := range j.starts {
		end := j.Size()
		if i+1 < len(j.starts) {
			end = j.starts[i+1]
		}
		s := &shardFindings{from: bufio.NewReaderSize(io.NewSectionReader(j, start, end-start), spill.RunBuffer), hasNext: true}
		if s.next(); s.hasNext {
			shards = append(shards, s)
		}
	}
	heap.Init(&shards)
	for len(shards) > 0 {
		s := shards[0]
		if !yield(s.finding, s.err) || s.err != nil {
			return
		}
		if s.next(); s.hasNext {
			heap.Fix(&shards, 0)
		} else {
			heap.Pop(&shards)
		}
	}
}

// shardFindings reads the findings of one shard.
type shardFindings struct {
	from    *bufio.Reader
	finding check.Finding // the next finding
	err     error         // why the next finding cannot be read
	hasNext bool          // finding or err is set
}

// next reads the next finding into finding, or sets err. At the end of the findings it sets hasNext to false.
func (s *shardFindings) next() {
	if _, err := s.from.Peek(1); err != nil {
		if s.hasNext = err != io.EOF; s.hasNext {
			s.err = err
		}
		return
	}
	s.finding, s.err = readFinding(s.from)
}

// A findingHeap orders shards by their next links. A shard with an error comes first.
type findingHeap []*shardFindings

func (h findingHeap) Len() int      { return len(h) }
func (h findingHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h findingHeap) Less(i, j int) bool {
	return h[i].err != nil || h[j].err == nil && h[i].finding.Link < h[j].finding.Link
}
func (h *findingHeap) Push(x any) { *h = append(*h, x.(*shardFindings)) }

func (h *findingHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// findingRecord formats a finding as a record for readFinding.
func findingRecord(f check.Finding) []byte {
	var w record.Writer
	w.Text(f.Link)
	w.Text(f.URL)
	w.Text(resultJSON(f.Result))
	w.Number(oneIf(f.Fails))
	w.Number(len(f.Places))
	for _, p := range f.Places {
		w.Similar(p.Document)
		w.Number(p.Line)
		w.Number(p.Column)
	}
	return w.Data
}

// readFinding reads a finding that findingRecord has written.
func readFinding(from record.Source) (f check.Finding, err error) {
	r := record.Reader{From: from}
	f.Link = r.Text()
	u, text := r.Text(), r.Text()
	f.Fails = r.Number() > 0
	for n := r.Number(); n > 0 && r.Err() == nil; n-- {
		f.Places = append(f.Places, check.Place{Document: r.Similar(), Line: r.Number(), Column: r.Number()})
	}
	if r.Err() != nil {
		return f, r.Err()
	}
	err = json.Unmarshal([]byte(text), &f.Result)
	f.URL = u
	return f, err
}
