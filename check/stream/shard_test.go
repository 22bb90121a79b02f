package stream

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"locus/check"
	"locus/check/internal/run"
)

// The names of the states of a shard, for messages.
var stateNames = []string{"reading", "open", "leaving", "lost", "closed"}

// shardIn returns a shard in a state, with one job, and so many pending jobs besides.
func shardIn(t *testing.T, state state, pending int) (*shard, check.Job) {
	t.Helper()
	q := offline(0, nil)
	s := lease(q, 0)
	j := check.Job{URL: "http://h/"}
	for _, records := range run.RecordsByShard(check.Policy{}.Sharding(1), check.Source{}, []check.Job{j}) {
		if err := s.content.Apply(slices.Concat(records...)); err != nil {
			t.Fatal(err)
		}
	}
	s.state, s.pending = state, pending
	return s, j
}

// Each method changes the state of a shard as the table says, and refuses every other change.
func TestShardTransitions(t *testing.T) {
	for _, test := range []struct {
		name    string
		pending int // before the call
		call    func(*shard)
		want    [5]state // after reading, open, leaving, lost and closed
	}{
		{"ready", 0, (*shard).ready, [5]state{open, open, leaving, lost, closed}},
		{"ready", 1, (*shard).ready, [5]state{open, open, leaving, lost, closed}},
		{"leave", 0, (*shard).leave, [5]state{leaving, leaving, leaving, lost, closed}},
		{"leave", 1, (*shard).leave, [5]state{leaving, leaving, leaving, lost, closed}},
		{"giveUp", 0, func(s *shard) { s.giveUp() }, [5]state{reading, open, closed, lost, closed}},
		{"giveUp", 1, func(s *shard) { s.giveUp() }, [5]state{reading, open, leaving, lost, closed}},
		{"lose", 0, (*shard).lose, [5]state{closed, closed, closed, lost, closed}},
		{"lose", 1, (*shard).lose, [5]state{lost, lost, lost, lost, closed}},
		{"end", 1, (*shard).end, [5]state{reading, open, leaving, closed, closed}},
		{"end", 2, (*shard).end, [5]state{reading, open, leaving, lost, closed}},
		{"begin", 0, func(s *shard) { s.begin(true) }, [5]state{reading, open, leaving, lost, closed}},
		{"renewed", 0, func(s *shard) { s.renewed(7, time.Now()) }, [5]state{reading, open, leaving, lost, closed}},
		{"begin after the lease", 0, func(s *shard) { s.expires = time.Now(); s.begin(true) }, [5]state{reading, open, leaving, lost, closed}},
		{"regained", 0, func(s *shard) { s.regained(7, time.Now()) }, [5]state{reading, reading, leaving, lost, closed}},
		{"regained, ready", 0, func(s *shard) { s.regained(7, time.Now()); s.ready() }, [5]state{reading, reading, leaving, lost, closed}},
		{"regained, confirmed", 0, func(s *shard) { s.regained(7, time.Now()); s.beginConfirming(); s.ready() }, [5]state{open, open, leaving, lost, closed}},
	} {
		for before, want := range test.want {
			s, _ := shardIn(t, state(before), test.pending)
			test.call(s)
			s.background.all.Wait()
			if s.state != want {
				t.Errorf("%s of a shard that is %s with %d pending jobs makes it %s, want %s", test.name, stateNames[before], test.pending, stateNames[s.state], stateNames[want])
			}
		}
	}
}

// Only an open shard returns jobs and lets them begin. A shard says how far it is only after it has read the log.
func TestShardStates(t *testing.T) {
	for _, test := range []struct {
		state     state
		takes     bool // take returns a job, and begin allows it
		isRead    bool
		isLeaving bool
		givesUp   bool
		releases  bool // release gives the job back
	}{
		{reading, false, false, false, false, true},
		{open, true, true, false, false, true},
		{leaving, false, true, true, true, true},
		{lost, false, false, false, false, false},
		{closed, false, false, false, false, false},
	} {
		name := stateNames[test.state]
		late, _ := shardIn(t, test.state, 0)
		late.expires = time.Now()
		if j, err := late.take(run.PhaseChecks); !errors.Is(err, io.EOF) || late.begin(true) || late.begin(false) || late.pending > 0 {
			t.Errorf("take of a shard that is %s after its lease = %v, %v with %d pending jobs, want %v and 0", name, j, err, late.pending, io.EOF)
		}
		s, want := shardIn(t, test.state, 0)
		if j, err := s.take(run.PhaseChecks); (err == nil) != test.takes || test.takes && j != want || !test.takes && !errors.Is(err, io.EOF) {
			t.Errorf("take of a shard that is %s = %v, %v, want a job: %v", name, j, err, test.takes)
		}
		if got := s.begin(true); got != test.takes || s.pending == 1 != test.takes {
			t.Errorf("begin of a shard that is %s = %v with %d pending jobs, want %v", name, got, s.pending, test.takes)
		}
		if got := s.begin(false); got != test.takes || s.pending == 1 != test.takes {
			t.Errorf("the second begin of a shard that is %s = %v with %d pending jobs, want %v", name, got, s.pending, test.takes)
		}
		if now, isRead := s.status(); isRead != test.isRead || (now.phase == run.PhaseChecks) != (test.state != closed) {
			t.Errorf("status of a shard that is %s = %+v, %v, want %v", name, now, isRead, test.isRead)
		}
		if _, isLeaving := s.lease(); isLeaving != test.isLeaving {
			t.Errorf("lease of a shard that is %s says that it is leaving: %v, want %v", name, isLeaving, test.isLeaving)
		}

		s, j := shardIn(t, open, 0)
		if _, err := s.take(run.PhaseChecks); err != nil {
			t.Fatalf("take before the shard is %s: %v", name, err)
		}
		s.state = test.state
		if err := s.release(j); err != nil {
			t.Errorf("release of a shard that is %s = %v", name, err)
		}
		s.state = open
		if _, err := s.take(run.PhaseChecks); (err == nil) != test.releases {
			t.Errorf("after release of a shard that is %s, take returns the error %v, want the job: %v", name, err, test.releases)
		}

		s, _ = shardIn(t, test.state, 0)
		s.revision = 5
		if revision, ok := s.giveUp(); revision != 5 || ok != test.givesUp {
			t.Errorf("giveUp of a shard that is %s = %d, %v, want 5, %v", name, revision, ok, test.givesUp)
		}
		s.background.all.Wait()
	}
}

// A shard that is lost is forgotten once, and its follower stops.
func TestLoseOnce(t *testing.T) {
	s, _ := shardIn(t, open, 1)
	forgotten, stopped := 0, 0
	s.forget, s.stop = func(*shard) { forgotten++ }, func() { stopped++ }
	s.lose()
	s.lose()
	s.end()
	s.background.all.Wait()
	if forgotten != 1 || stopped != 1 || s.state != closed {
		t.Errorf("after lose, lose and end, the shard was forgotten %d times, its follower stopped %d times, and it is %s", forgotten, stopped, stateNames[s.state])
	}
}
