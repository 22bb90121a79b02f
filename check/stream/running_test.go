package stream

import (
	"testing"

	"locus/check"
)

// A shard is lost and leased again while the result of its job is being added, and the job
// begins anew. The first shard stays open until the result is added.
func TestBeginWhileFinishing(t *testing.T) {
	j := check.Job{URL: "http://a/"}
	stopped := make(chan struct{})
	close(stopped)
	lost := &shard{content: check.NewShard(nil, false), stopped: stopped, lost: true, running: 1}
	again := &shard{content: check.NewShard(nil, false), stopped: stopped, running: 1}
	q := &Queue{}
	q.running = map[check.Job]*shard{j: lost}
	s := q.finishing(j)
	if s != lost {
		t.Fatalf("finishing() = %p, want %p", s, lost)
	}
	q.endLocked(j) // as Begin does
	q.running[j] = again
	if lost.running != 1 {
		t.Fatalf("%d jobs of the first shard are running, want 1: it is closed", lost.running)
	}
	q.unuse(s)
	q.all.Wait()
	if lost.running != 0 || again.running != 1 || q.running[j] != again {
		t.Errorf("%d and %d jobs are running, want 0 and 1", lost.running, again.running)
	}
	if s := q.finishing(check.Job{URL: "http://b/"}); s != nil {
		t.Errorf("finishing() of a job that is not running is %v", s)
	}
}
