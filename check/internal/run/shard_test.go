package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/check"
	"locus/internal/spill"
)

// take returns the jobs that a shard has now.
func take(t *testing.T, s *Shard, phase Phase) (all []check.Job) {
	t.Helper()
	for {
		j, err := s.Take(phase)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
}

// apply adds jobs to shards, as their log has them.
func apply(t *testing.T, jobs []check.Job, shards ...*Shard) {
	t.Helper()
	for _, records := range Records(check.Policy{}.Sharding(1), check.Source{}, jobs) {
		for _, s := range shards {
			if err := s.Apply(slices.Concat(records...)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// done adds the result of a job.
func done(t *testing.T, j check.Job, of *Shard) {
	t.Helper()
	d, err := of.Done(j, check.Result{URL: j.URL, Anchors: []uint64{}})
	if err != nil || d == nil {
		t.Fatalf("Done(%+v) = %v, %v", j, d, err)
	}
	if err := of.AddDone(d); err != nil {
		t.Fatal(err)
	}
}

// Crawls come in the order of their depth, and then the other jobs.
func TestPhases(t *testing.T) {
	s := NewShard(nil, false)
	if got := s.Phase(); got != PhaseEnd {
		t.Errorf("an empty shard has the phase %d", got)
	}
	a, b, c := check.Job{URL: "http://h/a", Crawl: true}, check.Job{URL: "http://h/b", Crawl: true, Depth: 2}, check.Job{URL: "http://h/c"}
	apply(t, []check.Job{c, b, a}, s)
	for _, tt := range []struct {
		phase Phase
		want  []check.Job
	}{{0, []check.Job{a}}, {2, []check.Job{b}}, {PhaseChecks, []check.Job{c}}} {
		if got := s.Phase(); got != tt.phase {
			t.Errorf("the phase is %d, want %d", got, tt.phase)
		}
		got := take(t, s, tt.phase)
		if !slices.Equal(got, tt.want) {
			t.Fatalf("in phase %d there are %+v, want %+v", tt.phase, got, tt.want)
		}
		done(t, got[0], s)
	}
	if got := s.Phase(); got != PhaseEnd {
		t.Errorf("the phase is %d at the end", got)
	}
}

// A result that refers to its job is applied by another process, also twice. A result of
// no job is refused.
func TestNextOwner(t *testing.T) {
	first, next := NewShard(nil, false), NewShard(nil, true)
	a, b := check.Job{URL: "http://h/a", Crawl: true}, check.Job{URL: "x y", Bad: "not a URL"}
	c, d := check.Job{URL: "http://h/c"}, check.Job{URL: "http://h/d", Anchors: true}
	apply(t, []check.Job{c, a, b, d, c}, first, next)
	jobs := take(t, first, PhaseChecks)
	if want := []check.Job{a, c, b, d}; !slices.Equal(jobs, want) {
		t.Fatalf("the jobs are %+v, want %+v", jobs, want)
	}
	for _, j := range []check.Job{b, a, a} {
		d, err := first.Done(j, check.Result{})
		if err == nil {
			err = next.Apply(d.Record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := take(t, next, PhaseChecks); !slices.Equal(got, []check.Job{c, d}) {
		t.Errorf("the next owner has %+v, want %+v", got, []check.Job{c, d})
	}
	bad := (&entry{kind: doneKind, isRef: true, ref: 99}).record()
	if err := next.Apply(bad); !errors.Is(err, errRecord) {
		t.Errorf("a result of no job: %v, want %v", err, errRecord)
	}
	for _, j := range []check.Job{{URL: "http://h/unknown"}, {URL: c.URL, Crawl: true}} {
		if d, err := first.Done(j, check.Result{}); d != nil || err != nil {
			t.Errorf("Done(%+v) = %v, %v, want none", j, d, err)
		}
	}
}

// Results that are kept count once their jobs are known, in memory and in a file. One of no
// job is refused.
func TestKeep(t *testing.T) {
	a, b, c := check.Job{URL: "http://h/a"}, check.Job{URL: "http://h/b", Crawl: true}, check.Job{URL: "http://h/c"}
	for _, create := range []func() (check.File, error){nil, func() (check.File, error) { return os.CreateTemp(t.TempDir(), "") }} {
		first, next := NewShard(nil, false), NewShard(create, true)
		apply(t, []check.Job{a, b, c}, first)
		take(t, first, PhaseChecks)
		for _, j := range []check.Job{a, b} {
			d, err := first.Done(j, check.Result{Status: check.Dead, Reason: strings.Repeat("x", spill.TailSize)})
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range slices.Collect(slices.Chunk(d.Record, len(d.Record)/2+1)) {
				if err := next.Keep(part); err != nil {
					t.Fatal(err)
				}
			}
		}
		links := check.Source{Links: []check.Link{{URL: a.URL}, {URL: b.URL}, {URL: c.URL}}}
		for _, records := range Records(check.Policy{}.Sharding(1), links, []check.Job{a, b, c}) {
			if err := next.Apply(slices.Concat(records...)); err != nil {
				t.Fatal(err)
			}
		}
		if err := next.ApplyKept(); err != nil {
			t.Fatal(err)
		}
		if got := take(t, next, PhaseChecks); !slices.Equal(got, []check.Job{c}) {
			t.Errorf("open are %+v, want %+v", got, c)
		}
		r, err := next.spool.Report(t.Context(), check.ReportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Counts[check.Dead] != 2 {
			t.Errorf("the report has %v, want 2 dead links", r.Counts)
		}
		if err := errors.Join(r.Close(), next.Keep((&entry{kind: doneKind, isRef: true, ref: 99}).record())); err != nil {
			t.Fatal(err)
		}
		if err := next.ApplyKept(); !errors.Is(err, errRecord) {
			t.Errorf("a result of no job: %v, want %v", err, errRecord)
		}
		if err := next.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A job that was released is returned again, and another one for its URL meanwhile not.
func TestRelease(t *testing.T) {
	s := NewShard(nil, false)
	a, b := check.Job{URL: "http://h/a"}, check.Job{URL: "http://h/b"}
	apply(t, []check.Job{a, b}, s)
	take(t, s, PhaseChecks)
	crawl := check.Job{URL: a.URL, Crawl: true}
	apply(t, []check.Job{crawl}, s)
	if got := take(t, s, PhaseChecks); len(got) > 0 {
		t.Errorf("while %s is checked, there are %+v", a.URL, got)
	}
	if err := errors.Join(s.Release(a), s.Release(a), s.Release(check.Job{URL: "http://h/unknown"})); err != nil {
		t.Fatal(err)
	}
	if got := take(t, s, PhaseChecks); !slices.Equal(got, []check.Job{crawl}) {
		t.Errorf("after the release there are %+v, want %+v", got, crawl)
	}
	if err := s.Release(b); err != nil {
		t.Fatal(err)
	}
	if got := take(t, s, PhaseChecks); !slices.Equal(got, []check.Job{b}) {
		t.Errorf("after the release there are %+v, want %+v", got, b)
	}
}

// An anchor that is needed after its page was checked is looked for by another job. One
// that is needed while the page is checked is not lost.
func TestAnchorLater(t *testing.T) {
	for _, isChecked := range []bool{true, false} {
		s := NewShard(nil, false)
		plain, anchors := check.Job{URL: "http://h/a"}, check.Job{URL: "http://h/a", Anchors: true}
		apply(t, []check.Job{plain}, s)
		take(t, s, PhaseChecks)
		if isChecked {
			done(t, plain, s)
		}
		apply(t, []check.Job{anchors}, s)
		if !isChecked {
			if got := take(t, s, PhaseChecks); len(got) > 0 {
				t.Fatalf("while the page is checked there are %+v", got)
			}
			done(t, plain, s)
		}
		if got := take(t, s, PhaseChecks); !slices.Equal(got, []check.Job{anchors}) || s.Phase() != PhaseChecks {
			t.Fatalf("there are %+v in phase %d, want %+v", got, s.Phase(), anchors)
		}
		done(t, anchors, s)
		apply(t, []check.Job{plain, anchors}, s)
		if got := take(t, s, PhaseChecks); len(got) > 0 || s.Phase() != PhaseEnd {
			t.Errorf("when all is done there are %+v", got)
		}
	}
}

// While Seed may be called, jobs are returned, and Next waits for more.
func TestSeeding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewMemory()
		s.Seeding()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			for _, u := range []string{"http://h/1", "http://h/2"} {
				time.Sleep(time.Second)
				if err := s.Seed(ctx, check.Source{}, []check.Job{{URL: u}}); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Second)
			if err := s.Seeded(ctx); err != nil {
				t.Error(err)
			}
		}()
		start := time.Now()
		for i, want := range []string{"http://h/1", "http://h/2"} {
			j, err := s.Next(ctx)
			if took := time.Since(start); err != nil || j.URL != want || took != time.Duration(i+1)*time.Second {
				t.Fatalf("Next() = %v, %v after %v, want %s", j, err, took, want)
			}
			if err := s.Done(ctx, j, check.Result{}, check.Found{}); err != nil {
				t.Fatal(err)
			}
		}
		if j, err := s.Next(ctx); !errors.Is(err, io.EOF) || time.Since(start) != 3*time.Second {
			t.Errorf("Next() = %v, %v after %v, want %v", j, err, time.Since(start), io.EOF)
		}
	})
}

// A run whose document is read meanwhile has the report of one that knows all links at
// first.
func TestCheckWhileReading(t *testing.T) {
	var s check.Source
	for i := range 500 {
		u := "http://h/" + strings.Repeat("1", i%5)
		if i%3 == 0 {
			u += "#" + strings.Repeat("x", i%7)
		}
		s.Links = append(s.Links, check.Link{URL: u, Line: i + 1})
	}
	run := func(q check.Queue, seed func() error) string {
		t.Helper()
		seeded := make(chan error, 1)
		go func() { seeded <- seed() }()
		c := &check.Checker{Engine: sites(3000)}
		if err := errors.Join(c.Run(t.Context(), q), <-seeded); err != nil {
			t.Fatal(err)
		}
		r, err := q.Report(t.Context(), check.ReportOptions{All: true})
		if err != nil {
			t.Fatal(err)
		}
		return tell(t, r)
	}
	whole, parts := NewMemory(), NewMemory()
	if err := check.Seed(t.Context(), whole, s); err != nil {
		t.Fatal(err)
	}
	want := run(whole, func() error { return nil })
	parts.Seeding()
	got := run(parts, func() error {
		for links := range slices.Chunk(s.Links, 3) {
			if err := check.Seed(t.Context(), parts, check.Source{Links: links}); err != nil {
				return err
			}
		}
		return parts.Seeded(t.Context())
	})
	if got != want || !strings.Contains(want, "no anchor named") {
		t.Errorf("the report is %s\nwant %s", got, want)
	}
}

// wholeOf returns the findings of a report with all fields.
func wholeOf(t *testing.T, r *check.Report) string {
	t.Helper()
	var b strings.Builder
	for f, err := range r.Findings {
		if err == nil {
			err = json.NewEncoder(&b).Encode(f)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// The joined report of shards is that of one queue. Findings can be read twice.
func TestJoinReports(t *testing.T) {
	open := 0
	create := inFolder(t, &open)
	const shards = 5
	s := check.Source{Document: "d"}
	var jobs []check.Job
	for i, host := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		for _, u := range []string{"http://" + host + "/", "http://" + host + "/#x", "http://" + host + "/gone#y"} {
			s.Links = append(s.Links, check.Link{URL: u, Line: i + 1}, check.Link{URL: u, Line: 70 + i})
			page, fragment := cutFragment(u)
			jobs = append(jobs, check.Job{URL: page, Anchors: fragment != ""})
		}
	}
	result := func(j check.Job) check.Result {
		if strings.HasSuffix(j.URL, "gone") {
			return check.Result{URL: j.URL, Status: check.Dead, Reason: "404"}
		}
		return check.Result{URL: j.URL, Hops: []check.Hop{{To: "http://to/", Permanent: strings.Contains(j.URL, "b")}}, Anchors: []uint64{}}
	}
	whole := NewMemory()
	err := whole.Seed(t.Context(), s, jobs)
	for _, j := range jobs {
		err = errors.Join(err, whole.Done(t.Context(), j, result(j), check.Found{}))
	}
	if err != nil {
		t.Fatal(err)
	}
	split := func(yield func(*Shard, error) bool) {
		records := Records(check.Policy{}.Sharding(shards), s, jobs)
		for n := range shards {
			shard := NewShard(create, true)
			err := shard.Apply(slices.Concat(records[n]...))
			for _, j := range take(t, shard, PhaseChecks) {
				d, err2 := shard.Done(j, result(j))
				err = errors.Join(err, err2, shard.AddDone(d))
			}
			if !yield(shard, err) {
				return
			}
		}
	}
	for _, o := range []check.ReportOptions{{}, {All: true, Create: create}} {
		want, err := whole.Report(t.Context(), o)
		got, err2 := JoinReports(o, split)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if a, b := wholeOf(t, got), wholeOf(t, want); a != b || a == "" {
				t.Errorf("the findings are %s\nwant %s", a, b)
			}
		}
		if got.Summary() != want.Summary() || got.Failed() != want.Failed() {
			t.Errorf("the summary is %s, want %s", got.Summary(), want.Summary())
		}
		if err := errors.Join(got.Close(), want.Close()); err != nil {
			t.Error(err)
		}
	}
	if open != 0 {
		t.Errorf("%d files are open", open)
	}
	_, err = JoinReports(check.ReportOptions{}, func(yield func(*Shard, error) bool) { yield(NewShard(nil, true), errFull) })
	if !errors.Is(err, errFull) {
		t.Errorf("JoinReports() = %v, want %v", err, errFull)
	}
}
