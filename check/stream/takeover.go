package stream

import "sync"

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

// takeovers are the takeovers that wait. Those of one moment read results together.
type takeovers struct {
	log  *runLog
	life *life

	mu        sync.Mutex
	waiting   []takeover
	isReading bool
}

// takeOver applies the results of earlier holders to a shard. It waits for readAll, which
// reads the results once for all shards that wait.
func (o *takeovers) takeOver(s *shard, mark uint64) error {
	if len(s.holders) < 2 {
		return nil // this worker is the first one
	}
	t := takeover{s, mark, make(chan error, 1)}
	o.mu.Lock()
	o.waiting = append(o.waiting, t)
	if !o.isReading {
		o.isReading = true
		o.life.all.Go(o.readAll)
	}
	o.mu.Unlock()
	return <-t.read
}

// readAll reads the results for all takeovers that wait, until none does.
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

// readHolders reads the results of all earlier holders.
func (o *takeovers) readHolders(all []takeover) error {
	first := make(map[string]uint64) // the first mark of each worker
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

// readHolder reads the results of a worker after a position. It adds a mark to them: whoever
// reads as far has all before it.
func (o *takeovers) readHolder(all []takeover, worker string, pos uint64) error {
	end, err := o.log.addMark(o.life.ctx, doneSubject(worker))
	if err != nil {
		return err
	}
	for pos < end {
		messages, err := o.log.read(o.life.ctx, doneSubject(worker), pos)
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
