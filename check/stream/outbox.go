package stream

import (
	"bytes"
	"context"

	"locus/check"
	"locus/check/internal/run"
	"locus/internal/record"
)

// An outbox adds results to the log: first the jobs that were found on pages, and then the
// results, so that no job is lost. Results that are added within a short time share messages,
// whatever their shards.
type outbox struct {
	worker  string
	publish publisher
	fail    context.CancelCauseFunc // ends the Queue with an error
	seeds   *seeds
	pending *pending
	moved   chan struct{} // has a value if a shard is further

	pages   *batcher[page]
	results *batcher[result]
}

// A result is a result that was not published yet.
type result struct {
	shard *shard
	done  *run.Done
}

// A page has what was found on it. Its result is added after the rest.
type page struct {
	records map[string][][]byte // by subjects
	jobs    []check.Job
	result  result
}

// init prepares the outbox for so many pending jobs.
func (o *outbox) init(jobs int) {
	o.pages, o.results = newBatcher(jobs, o.publishPages), newBatcher(jobs, o.publishResults)
}

// add adds a result, and records and jobs that were found with it.
func (o *outbox) add(r result, records map[string][][]byte, jobs []check.Job) {
	if len(records) == 0 {
		o.results.add(r, len(r.done.Record))
		return
	}
	size := 0
	for _, some := range records {
		size += sizeOf(some)
	}
	o.pages.add(page{records, jobs, r}, size)
}

// wait waits until all results were published.
func (o *outbox) wait() {
	o.pages.wait() // before results, to which it adds
	o.results.wait()
}

// publishPages adds to the log what was found on pages, and then their results.
func (o *outbox) publishPages(all []page) {
	records := make(map[string][][]byte)
	for _, p := range all {
		for part, some := range p.records {
			records[part] = append(records[part], some...)
		}
	}
	err := o.publish(records)
	if err != nil {
		o.fail(err)
	}
	for _, p := range all {
		if err != nil {
			o.pending.store(p.result.shard)
			continue
		}
		o.seeds.see(p.jobs)
		o.results.add(p.result, len(p.result.done.Record))
	}
}

// publishResults adds results to the log, and then to their shards.
func (o *outbox) publishResults(all []result) {
	records := make([][]byte, len(all))
	for i, r := range all {
		var w record.Writer
		w.Number(r.shard.number)
		w.Text(string(r.done.Record))
		records[i] = w.Data
	}
	err := o.publish(map[string][][]byte{doneSubject(o.worker): records})
	for _, r := range all {
		if err == nil {
			err = r.shard.content.AddDone(r.done)
		}
	}
	if err != nil {
		o.fail(err)
	}
	var shards []*shard
	for _, r := range all {
		shards = append(shards, r.shard)
	}
	o.pending.store(shards...)
	signal(o.moved) // a shard may be done
}

// readResults calls do with the shard and the record of each result in a message. A record
// is valid until the next.
func readResults(data []byte, do func(shard int, record []byte) error) error {
	all, err := decompress(data)
	if err != nil {
		return err
	}
	from := bytes.NewReader(all)
	r := record.Reader{From: from}
	for from.Len() > 0 {
		n, text := r.Number(), r.Text()
		if r.Err() != nil {
			return r.Err()
		}
		if err := do(n, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}
