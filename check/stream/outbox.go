package stream

import (
	"bytes"
	"context"
	"fmt"

	"locus/check"
	"locus/check/internal/run"
	"locus/internal/record"
)

// An outbox adds results to the log. It adds the jobs that were found on a page before the result of the page, so that
// no job is lost if the process is killed between them. Results that are added within a short time share messages, even
// if they belong to different shards.
type outbox struct {
	worker  string
	publish publisher
	fail    context.CancelCauseFunc // ends the Queue with an error
	seeds   *seeds
	pending *pending
	moved   chan struct{} // gets a value when a shard may have finished a phase

	pages   *batcher[page]
	results *batcher[result]
}

// A result is the record of a result that the log does not contain yet, and its shard.
type result struct {
	shard  *shard
	record *run.DoneRecord
}

// A page is a result with the links and jobs that were found on the page. The log gets the result after them.
type page struct {
	records map[string][][]byte // the links and jobs, by the parts of their subjects
	jobs    []check.Job         // the jobs in records
	result  result
}

// init creates the batchers. jobs is the maximum number of pending jobs.
func (o *outbox) init(jobs int) {
	o.pages, o.results = newBatcher(jobs, o.publishPages), newBatcher(jobs, o.publishResults)
}

// add adds the result of a job, and returns at once. records has the links and jobs that were found on its page, and
// jobs has only the jobs.
func (o *outbox) add(r result, records map[string][][]byte, jobs []check.Job) {
	if len(records) == 0 {
		o.results.add(r, len(r.record.Data))
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
	o.pages.wait() // first, because publishPages adds to results
	o.results.wait()
}

// publishPages adds the records of pages to the log. Then it remembers their jobs in seeds, and passes the results of
// the pages to results. After an error, it ends the Queue, drops the results, and frees the slots of their jobs.
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
		o.results.add(p.result, len(p.result.record.Data))
	}
}

// publishResults adds results to the log, applies them to their shards, frees the slots of their jobs, and wakes the
// watcher. An error ends the Queue.
func (o *outbox) publishResults(all []result) {
	records := make([][]byte, len(all))
	for i, r := range all {
		var w record.Writer
		w.Number(r.shard.number)
		w.Text(string(r.record.Data))
		records[i] = w.Data
	}
	err := o.publish(map[string][][]byte{doneSubject(o.worker): records})
	for _, r := range all {
		if err == nil {
			err = r.shard.content.AddDone(r.record)
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
	signal(o.moved) // because a shard may have finished its phase
}

// readResults calls do for each result in a message of publishResults, with the number of the shard and the record. It
// returns the first error of do, and an error that wraps errBatch if the message is invalid.
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
			return fmt.Errorf("%w: %w", errBatch, r.Err())
		}
		if err := do(n, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}
