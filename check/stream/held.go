package stream

import (
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"locus/check"
	"locus/check/internal/run"
)

// held contains the shards whose leases this worker holds. A shard that is lost is removed.
type held struct {
	count  int // the number of shards of the run
	create func(number int, revision uint64, expires time.Time) *shard

	mu        sync.Mutex
	shards    map[int]*shard // by their numbers
	next      int            // the shard that take asks first
	sinceNext int            // how many jobs were taken since next changed
}

// hold adds the shard with this number, whose lease was acquired, and starts its follower. If the shard was held
// before, its lease has expired, and the old shard is lost.
func (h *held) hold(number int, revision uint64, expires time.Time) {
	s := h.create(number, revision, expires)
	h.mu.Lock()
	last := h.shards[number]
	h.shards[number] = s
	h.mu.Unlock()
	if last != nil {
		last.lose() // because its lease has expired
	}
	s.start()
}

// forget removes s, unless this worker has acquired the lease again, so that another shard has its number.
func (h *held) forget(s *shard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shards[s.number] == s {
		delete(h.shards, s.number)
	}
}

// get returns the shard with this number; nil if this worker does not hold it.
func (h *held) get(number int) *shard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shards[number]
}

// all returns the held shards, in any order.
func (h *held) all() []*shard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.shards))
}

// numbers returns the numbers of the held shards, in any order.
func (h *held) numbers() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.shards))
}

// takeAtOnce is how many jobs take returns from one shard before it asks the next one. It is not 1, because it takes
// time to ask shards that have no jobs.
const takeAtOnce = 64

// take returns a job of phase or an earlier phase, and its shard. The error is io.EOF if no shard has a job now.
func (h *held) take(phase run.Phase) (check.Job, *shard, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range h.count + 1 { // the first shard is asked again at the end, because the other shards may have no jobs
		if s := h.shards[h.next]; s != nil && h.sinceNext < takeAtOnce {
			j, err := s.take(phase)
			if !errors.Is(err, io.EOF) {
				h.sinceNext++
				return j, s, err
			}
		}
		h.next, h.sinceNext = (h.next+1)%h.count, 0
	}
	return check.Job{}, nil, io.EOF
}

// leaveExtra makes the shards that exceed the fair share leave. It loses the leaving shards without pending jobs, and
// returns the revisions of their leases, which the caller releases.
func (h *held) leaveExtra(fair int) (free []uint64) {
	kept := make(map[int]*shard)
	all := h.all()
	for _, s := range all {
		if _, isLeaving := s.lease(); !isLeaving {
			kept[s.number] = s
		}
	}
	for _, n := range mostCrowded(max(len(kept)-fair, 0), slices.Collect(maps.Keys(kept)), h.count) {
		kept[n].leave()
	}
	for _, s := range all {
		if revision, ok := s.giveUp(); ok {
			free = append(free, revision)
		}
	}
	return free
}

// handOver removes the shard with this number, which must be held, and returns its content. The caller closes the
// content.
func (h *held) handOver(number int) *run.Shard {
	h.mu.Lock()
	defer h.mu.Unlock()
	content := h.shards[number].content
	delete(h.shards, number)
	return content
}

// close closes the content of all shards. The goroutines of the Queue must have ended.
func (h *held) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all error
	for n, s := range h.shards {
		all = errors.Join(all, s.content.Close())
		delete(h.shards, n)
	}
	return all
}
