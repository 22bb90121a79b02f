package stream_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
	"locus/check/stream"
)

// damage adds messages that nobody can read to some subjects of the log, and returns these subjects.
func damage(t *testing.T, conn *nats.Conn, parts ...string) (subjects []string) {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "locus_run_log")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestSpeed)
	_, _ = w.Write([]byte("\x05\x00\x00\x00 this is no record of a run"))
	_ = w.Close()
	for _, part := range parts {
		subject := strings.TrimSuffix(log.CachedInfo().Config.Subjects[0], ">") + part
		for _, text := range [][]byte{[]byte("\x93\x17 random bytes \xff\x00"), {0}, packed.Bytes(), packed.Bytes()[:5]} {
			if _, err := js.Publish(t.Context(), subject, text); err != nil {
				t.Fatal(err)
			}
			subjects = append(subjects, subject)
		}
	}
	return subjects
}

// A skips collects the messages that workers have skipped.
type skips struct {
	mu  sync.Mutex
	all map[string]map[uint64]bool // sequences by subject
}

func (s *skips) add(d stream.Damage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make(map[string]map[uint64]bool)
	}
	if s.all[d.Subject] == nil {
		s.all[d.Subject] = make(map[uint64]bool)
	}
	s.all[d.Subject][d.Sequence] = true
}

// check fails unless each subject has so many skipped messages as there are in subjects.
func (s *skips) check(t *testing.T, subjects []string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, subject := range slices.Compact(subjects) {
		if got := len(s.all[subject]); got != 4 {
			t.Errorf("%d messages of %s were skipped, want 4", got, subject)
		}
	}
}

// Messages that cannot be read are skipped and reported. The rest of the run is whole: with one worker, with two, and
// after a worker has ended before the run.
func TestDamagedMessages(t *testing.T) {
	g := graph{size: 60, hosts: 5, opened: func(string) {}}
	want := inMemory(t, g)
	conn := connect(t)
	for _, workers := range []int{1, 2} {
		var skipped skips
		options := stream.Options{Lease: time.Minute, Skipped: skipped.add}
		q, err := stream.Start(t.Context(), conn, "run", stream.Run{Policy: graph{}.policy(), Shards: 4}, options)
		if err != nil {
			t.Fatalf("Start for %d workers: %v", workers, err)
		}
		subjects := damage(t, conn, "jobs.0", "jobs.1", "jobs.2", "jobs.3")
		damage(t, conn, "done.stranger", "odd")
		seed(t, q)
		if err := q.Seeded(t.Context()); err != nil {
			t.Fatalf("Seeded for %d workers: %v", workers, err)
		}
		var joined sync.WaitGroup
		if workers == 2 {
			other, err := stream.Join(t.Context(), conn, "run", stream.Options{Skipped: skipped.add})
			if err != nil {
				t.Fatalf("Join as one of %d workers: %v", workers, err)
			}
			joined.Go(func() {
				defer other.Close()
				if err := (&check.Checker{Engine: g, Policy: g.policy()}).Run(t.Context(), other); err != nil {
					t.Errorf("%d workers: Run of the worker that joined = %v", workers, err)
				}
			})
		}
		walk(t, q, g)
		if got := reportOf(t, q); got != want {
			t.Errorf("with %d workers the report is\n%s\nwant\n%s", workers, got, want)
		}
		skipped.check(t, subjects)
		if err := q.Delete(t.Context()); err != nil {
			t.Errorf("Delete after %d workers: %v", workers, err)
		}
		joined.Wait()
		_ = q.Close()
	}
}

// Damaged results of a worker that has gone are skipped, and the run goes on.
func TestDamagedResults(t *testing.T) {
	want := inMemory(t, graph{size: 60, hosts: 3, opened: func(string) {}})
	conn := connect(t)
	first := begin(t, conn, 2, time.Second)
	seed(t, first)
	if err := first.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	opened := 0
	var mu sync.Mutex
	half := graph{size: 60, hosts: 3, opened: func(string) {
		mu.Lock()
		defer mu.Unlock()
		if opened++; opened == 40 {
			go first.Close()
		}
	}}
	_ = (&check.Checker{Engine: half, Policy: half.policy()}).Run(t.Context(), first)
	_ = first.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "locus_run_log")
	if err != nil {
		t.Fatal(err)
	}
	info, err := log.Info(t.Context(), jetstream.WithSubjectFilter("locus.run.log.*.done.*"))
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for subject := range info.State.Subjects {
		done = append(done, subject[strings.LastIndex(subject, "done."):])
	}
	if len(done) == 0 {
		t.Fatal("the first worker has no results")
	}
	subjects := damage(t, conn, done...)
	var skipped skips
	q, err := stream.Start(t.Context(), conn, "run", stream.Run{Policy: graph{}.policy(), Shards: 2}, stream.Options{Skipped: skipped.add})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	seed(t, q)
	if err := q.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	walk(t, q, graph{size: 60, hosts: 3, opened: func(string) {}})
	if got := reportOf(t, q); got != want {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
	skipped.check(t, subjects)
	for _, text := range []string{fmt.Sprint(stream.Damage{Subject: "a.jobs.1", Sequence: 7}), fmt.Sprint(stream.Damage{Subject: "a.done.x", Sequence: 7})} {
		if !strings.Contains(text, "message 7 of a.") {
			t.Errorf("the damage is %q, want its subject and its sequence", text)
		}
	}
}
