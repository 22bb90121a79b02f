package stream

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The servers did not answer for longer than a lease lasts. A worker continues with a shard if no other worker had it
// meanwhile. It checks only the jobs that it did not begin before, and the results of the others count.
func TestRegain(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(t *testing.T, q *Queue, subject string)
		isKept bool // the worker keeps the shard
	}{
		{"the lease has expired", purge, true},
		{"a renewal has succeeded without an answer", func(t *testing.T, q *Queue, subject string) {
			store(t, q, subject, q.log.worker)
		}, true},
		{"another worker has the lease", func(t *testing.T, q *Queue, subject string) { store(t, q, subject, "other") }, false},
		{"another worker had the lease", func(t *testing.T, q *Queue, subject string) {
			purge(t, q, subject)
			other := *q.log
			other.worker = "other"
			if _, err := other.addMark(t.Context(), jobsSubject(numberOf(hosts[0]))); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := twoHosts(t)
			jobs := take(t, q, 4)
			a := jobs[hosts[0]]
			if !q.Begin(t.Context(), a) {
				t.Fatalf("Begin(%s) = false for a job whose shard is leased", a.URL)
			}
			s := shardOf(q, a.URL)
			expire(q, a.URL)
			if q.Begin(t.Context(), jobs[hosts[0]+"2"]) {
				t.Errorf("Begin(%s) = true after its lease has expired", hosts[0]+"2")
			}
			test.before(t, q, q.leases.shard(s.number))
			q.leases.renew(t.Context())
			if !test.isKept {
				await(t, "the shard is lost", func() bool { return shardOf(q, a.URL) == nil })
				return
			}
			if j := take(t, q, 1)[hosts[0]+"2"]; j.URL == "" || !q.Begin(t.Context(), j) || shardOf(q, a.URL) != s {
				t.Errorf("after the lease was acquired again, the worker gets %+v, want %s", j, hosts[0]+"2")
			}
			for _, u := range []string{hosts[1], hosts[1] + "2"} {
				if !q.Begin(t.Context(), jobs[u]) {
					t.Errorf("Begin(%s) = false", u)
				}
			}
			for _, j := range jobs {
				finish(t, q, j)
			}
			if j, err := q.Next(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("after all results, Next() = %v, %v, want %v", j, err, io.EOF)
			}
		})
	}
}

// purge removes the message of a lease, as if it had expired.
func purge(t *testing.T, q *Queue, subject string) {
	t.Helper()
	if err := q.leases.stream.Purge(t.Context(), jetstream.WithPurgeSubject(subject)); err != nil {
		t.Fatal(err)
	}
}

// store writes the message of a lease in the name of a worker.
func store(t *testing.T, q *Queue, subject, worker string) {
	t.Helper()
	if _, err := q.log.js.Publish(t.Context(), subject, []byte(worker)); err != nil {
		t.Fatal(err)
	}
}

// await waits until a condition is true.
func await(t *testing.T, name string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !isTrue(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute, it is not true that %s", name)
		}
	}
}

// While the servers do not answer, a worker tries to renew its leases more often. After that, it leaves the leases of
// other workers to them for half the time of a lease. A worker that has just started acquires leases at once.
func TestRecovering(t *testing.T) {
	const lasts = time.Minute
	synctest.Test(t, func(t *testing.T) {
		q := offline(2, func(map[string][][]byte) error { return nil })
		q.held.count = 4
		q.held.create = func(number int, revision uint64, expires time.Time) *shard {
			s := q.newShard(number, revision, expires)
			s.start = func() { close(s.stopped) }
			return s
		}
		servers := busyServers{silent: "info", outage: new(bool)}
		*servers.outage = true
		l := leases{log: &runLog{name: "run", worker: "w", js: servers}, stream: busyStream{servers: servers, maxAge: lasts}, held: &q.held, time: lasts, changed: &q.changed}
		step := func(isSilent bool, wait time.Duration, want int) {
			t.Helper()
			*servers.outage = isSilent
			time.Sleep(wait)
			if l.update(t.Context()); len(q.held.all()) != want {
				t.Errorf("after %v, with silent servers (%t), the worker has %d shards, want %d", wait, isSilent, len(q.held.all()), want)
			}
		}
		step(true, 0, 0)
		step(false, 0, 4) // a failure before the first answer does not count
		for _, s := range q.held.all() {
			s.lose()
		}
		step(true, lasts/4, 0)
		if !l.isRecovering() {
			t.Error("isRecovering() = false after an update that failed")
		}
		step(false, lasts/4, 0)
		step(false, lasts/4, 4)
		if l.isRecovering() {
			t.Error("isRecovering() = true after half the time of a lease")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		l.releaseAll(ctx)
		q.background.end()
		if err := q.held.close(); err != nil {
			t.Error(err)
		}
	})
}
