package stream

import "sync"

// A holder is a worker that held a shard. The log contains its results for the shard after its mark.
type holder struct {
	worker string
	mark   uint64 // the sequence number of its mark
}

// A takeover is a shard whose jobs were read up to the mark of its new holder. It waits for the results that were added
// before the mark.
type takeover struct {
	shard *shard
	mark  uint64     // the sequence number of the new holder's mark
	read  chan error // gets the error of reading, or nil
}

// takeovers keeps the takeovers that wait. All that wait at the same time share one reading of the results.
type takeovers struct {
	log        *runLog
	background *background
	skipper    *skipper

	mu        sync.Mutex
	waiting   []takeover
	isReading bool
}

// takeOver applies the results that earlier holders of s have added before mark, and returns when this is done. It
// shares one reading of the results with the other shards that wait.
func (o *takeovers) takeOver(s *shard, mark uint64) error {
	if len(s.holders) < 2 {
		return nil // this worker is the first holder
	}
	t := takeover{s, mark, make(chan error, 1)}
	o.mu.Lock()
	o.waiting = append(o.waiting, t)
	if !o.isReading {
		o.isReading = true
		o.background.all.Go(o.readAll)
	}
	o.mu.Unlock()
	return <-t.read
}

// readAll reads the results for all takeovers that wait, and tells them the outcome, until none waits.
func (o *takeovers) readAll() {
	for {
		o.mu.Lock()
		all := o.waiting
		o.waiting = nil
		o.isReading = len(all) > 0
		o.mu.Unlock()
		if len(all) == 0 {
			return
		}
		err := o.readHolders(all)
		for _, t := range all {
			t.read <- err
		}
	}
}

// readHolders reads the results of all earlier holders of the shards in all, each from the holder's first mark on, and
// applies them.
func (o *takeovers) readHolders(all []takeover) error {
	first := make(map[string]uint64) // the first mark of each holder
	for _, t := range all {
		for _, h := range t.shard.holders {
			if at, ok := first[h.worker]; h.mark < t.mark && (!ok || h.mark < at) {
				first[h.worker] = h.mark
			}
		}
	}
	for worker, pos := range first {
		if err := o.readHolder(all, worker, pos); err != nil {
			return err
		}
	}
	return nil
}

// readHolder reads the results of a worker after the sequence number pos, and applies them to the shards in all. It
// adds a mark to the results and reads up to it, so that it reads every result that was added before.
func (o *takeovers) readHolder(all []takeover, worker string, pos uint64) error {
	end, err := o.log.addMark(o.background.ctx, doneSubject(worker))
	if err != nil {
		return err
	}
	for pos < end {
		messages, err := o.log.read(o.background.ctx, doneSubject(worker), pos)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := o.skipper.skip(doneSubject(worker), m, applyResults(all, m)); err != nil {
				return err
			}
			pos = m.sequence
		}
	}
	return nil
}

// applyResults applies the results in m to their shards in all. It leaves out a shard whose mark is before m, because
// the new holder may have begun the job.
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
