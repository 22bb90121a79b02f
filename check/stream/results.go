package stream

import (
	"bytes"
	"sync"

	"locus/check/internal/run"
	"locus/internal/record"
)

// A result is one that was not published yet.
type result struct {
	shard *shard
	done  *run.Done
}

// doneSubject returns the subject for the results of a worker.
func doneSubject(worker string) string { return "done." + worker }

// publishResults adds results to the log, and then to their shards. Those of all shards
// share messages.
func (q *Queue) publishResults(all []result) {
	records := make([][]byte, len(all))
	for i, r := range all {
		var w record.Writer
		w.Number(r.shard.number)
		w.Text(string(r.done.Record))
		records[i] = w.Data
	}
	err := q.publisher(map[string][][]byte{doneSubject(q.worker): records})
	for _, r := range all {
		if err == nil {
			err = r.shard.content.AddDone(r.done)
		}
	}
	if err != nil {
		q.stop(err)
	}
	var shards []*shard
	for _, r := range all {
		shards = append(shards, r.shard)
	}
	q.unuse(shards...)
	signal(q.moved) // a shard may be done
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

// A holder is a worker that has held a shard. Its results of the shard come after its mark.
type holder struct {
	worker string
	mark   uint64
}

// A takeover is a shard whose jobs were read up to the mark of its new holder. It needs the
// results that were added before that.
type takeover struct {
	shard *shard
	mark  uint64
	read  chan error // has the outcome
}

// takeovers are those that wait. Those that wait at the same time read results together.
type takeovers struct {
	mu        sync.Mutex
	waiting   []takeover
	isReading bool
}

// takeOver applies the results of earlier holders to a shard. It waits for readTakeovers, which
// reads the results once for all shards that wait.
func (q *Queue) takeOver(s *shard, mark uint64) error {
	if len(s.holders) < 2 {
		return nil // this worker is the first one
	}
	t := takeover{s, mark, make(chan error, 1)}
	q.takeovers.mu.Lock()
	q.waiting = append(q.waiting, t)
	if !q.isReading {
		q.isReading = true
		q.all.Go(q.readTakeovers)
	}
	q.takeovers.mu.Unlock()
	return <-t.read
}

// readTakeovers reads the results for all takeovers that wait, until none does.
func (q *Queue) readTakeovers() {
	for {
		q.takeovers.mu.Lock()
		all := q.waiting
		q.waiting = nil
		q.isReading = len(all) > 0
		q.takeovers.mu.Unlock()
		if len(all) == 0 {
			return
		}
		err := q.readHolders(all)
		for _, t := range all {
			t.read <- err
		}
	}
}

// readHolders reads the results of all earlier holders.
func (q *Queue) readHolders(all []takeover) error {
	first := make(map[string]uint64) // the first mark of each worker
	for _, t := range all {
		for _, h := range t.shard.holders {
			if at, ok := first[h.worker]; h.mark < t.mark && (!ok || h.mark < at) {
				first[h.worker] = h.mark
			}
		}
	}
	for worker, pos := range first {
		if err := q.readHolder(all, worker, pos); err != nil {
			return err
		}
	}
	return nil
}

// readHolder reads the results of a worker after a position. It adds a mark to them: whoever
// reads as far has all before it.
func (q *Queue) readHolder(all []takeover, worker string, pos uint64) error {
	end, err := q.addMark(q.ctx, doneSubject(worker))
	if err != nil {
		return err
	}
	for pos < end {
		messages, err := q.read(q.ctx, doneSubject(worker), pos)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := applyResults(all, m); err != nil {
				return err
			}
			pos = m.sequence
		}
	}
	return nil
}

// applyResults applies the results in a message to the shards that are taken over, unless
// the message was added after their marks.
func applyResults(all []takeover, m message) error {
	records := make(map[int][]byte)
	err := readResults(m.data, func(n int, record []byte) error {
		records[n] = append(records[n], record...)
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range all {
		if m.sequence < t.mark {
			if err := t.shard.content.Apply(records[t.shard.number]); err != nil {
				return err
			}
		}
	}
	return nil
}
