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

// take returns the jobs that Take returns until io.EOF.
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

// apply applies the records of jobs to shards.
func apply(t *testing.T, jobs []check.Job, shards ...*Shard) {
	t.Helper()
	for _, records := range RecordsByShard(check.Policy{}.Sharding(1), check.Source{}, jobs) {
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

// Take returns the crawls in the order of their depth, and then the other jobs.
func TestPhases(t *testing.T) {
	s := NewShard(nil, false)
	if got := s.Phase(); got != PhaseEnd {
		t.Errorf("Phase() of an empty shard = %d, want %d", got, PhaseEnd)
	}
	a, b, c := check.Job{URL: "http://h/a", Crawl: true}, check.Job{URL: "http://h/b", Crawl: true, Depth: 2}, check.Job{URL: "http://h/c"}
	apply(t, []check.Job{c, b, a}, s)
	for _, test := range []struct {
		phase Phase
		want  []check.Job
	}{{0, []check.Job{a}}, {2, []check.Job{b}}, {PhaseChecks, []check.Job{c}}} {
		if got := s.Phase(); got != test.phase {
			t.Errorf("Phase() = %d, want %d", got, test.phase)
		}
		got := take(t, s, test.phase)
		if !slices.Equal(got, test.want) {
			t.Fatalf("Take(%d) returns %+v, want %+v", test.phase, got, test.want)
		}
		done(t, got[0], s)
	}
	if got := s.Phase(); got != PhaseEnd {
		t.Errorf("after all jobs, Phase() = %d, want %d", got, PhaseEnd)
	}
}

// Another process applies results that refer to their jobs by numbers, even twice. It refuses a result that refers to a
// job that does not exist.
func TestNextOwner(t *testing.T) {
	first, next := NewShard(nil, false), NewShard(nil, true)
	a, b := check.Job{URL: "http://h/a", Crawl: true}, check.Job{URL: "x y", Bad: "not a URL"}
	c, d := check.Job{URL: "http://h/c"}, check.Job{URL: "http://h/d", Anchors: true}
	apply(t, []check.Job{c, a, b, d, c}, first, next)
	jobs := take(t, first, PhaseChecks)
	if want := []check.Job{a, c, b, d}; !slices.Equal(jobs, want) {
		t.Fatalf("Take returns %+v, want %+v", jobs, want)
	}
	for _, j := range []check.Job{b, a, a} {
		d, err := first.Done(j, check.Result{})
		if err == nil {
			err = next.Apply(d.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := take(t, next, PhaseChecks); !slices.Equal(got, []check.Job{c, d}) {
		t.Errorf("for the next owner, Take returns %+v, want %+v", got, []check.Job{c, d})
	}
	bad := (&entry{kind: doneKind, isRef: true, ref: 99}).record()
	if err := next.Apply(bad); !errors.Is(err, ErrRecord) {
		t.Errorf("Apply of a result for job 99 = %v, want %v", err, ErrRecord)
	}
	for _, j := range []check.Job{{URL: "http://h/unknown"}, {URL: c.URL, Crawl: true}} {
		if d, err := first.Done(j, check.Result{}); d != nil || err != nil {
			t.Errorf("Done(%+v) = %v, %v, want nil, because Take did not return it", j, d, err)
		}
	}
}

// ApplyKept applies results that were kept before their jobs were known, from memory and from a file. It refuses a
// result that refers to a job that does not exist.
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
			for _, part := range slices.Collect(slices.Chunk(d.Data, len(d.Data)/2+1)) {
				if err := next.Keep(part); err != nil {
					t.Fatal(err)
				}
			}
		}
		links := check.Source{Links: []check.Link{{URL: a.URL}, {URL: b.URL}, {URL: c.URL}}}
		for _, records := range RecordsByShard(check.Policy{}.Sharding(1), links, []check.Job{a, b, c}) {
			if err := next.Apply(slices.Concat(records...)); err != nil {
				t.Fatal(err)
			}
		}
		if err := next.ApplyKept(); err != nil {
			t.Fatal(err)
		}
		if got := take(t, next, PhaseChecks); !slices.Equal(got, []check.Job{c}) {
			t.Errorf("after ApplyKept, Take returns %+v, want %+v", got, c)
		}
		r, err := next.report(check.ReportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Counts[check.Dead] != 2 {
			t.Errorf("the report counts %v, want 2 dead links", r.Counts)
		}
		if err := errors.Join(r.Close(), next.Keep((&entry{kind: doneKind, isRef: true, ref: 99}).record())); err != nil {
			t.Fatal(err)
		}
		if err := next.ApplyKept(); !errors.Is(err, ErrRecord) {
			t.Errorf("ApplyKept of a result for job 99 = %v, want %v", err, ErrRecord)
		}
		if err := next.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Take returns a job again after its release. While a job is taken, Take does not return another job for its URL.
func TestRelease(t *testing.T) {
	s := NewShard(nil, false)
	a, b := check.Job{URL: "http://h/a"}, check.Job{URL: "http://h/b"}
	apply(t, []check.Job{a, b}, s)
	take(t, s, PhaseChecks)
	crawl := check.Job{URL: a.URL, Crawl: true}
	apply(t, []check.Job{crawl}, s)
	if got := take(t, s, PhaseChecks); len(got) > 0 {
		t.Errorf("while %s is checked, Take returns %+v", a.URL, got)
	}
	if err := errors.Join(s.Release(a), s.Release(a), s.Release(check.Job{URL: "http://h/unknown"})); err != nil {
		t.Fatal(err)
	}
	if got := take(t, s, PhaseChecks); !slices.Equal(got, []check.Job{crawl}) {
		t.Errorf("after Release(%+v), Take returns %+v, want %+v", a, got, crawl)
	}
	if err := s.Release(b); err != nil {
		t.Fatal(err)
	}
	if got := take(t, s, PhaseChecks); !slices.Equal(got, []check.Job{b}) {
		t.Errorf("after Release(%+v), Take returns %+v, want %[1]v", b, got)
	}
}

// If a link needs an anchor after its page was checked, or while the page is checked, another job looks for the anchor.
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
				t.Fatalf("while %s is checked, Take returns %+v", plain.URL, got)
			}
			done(t, plain, s)
		}
		if got := take(t, s, PhaseChecks); !slices.Equal(got, []check.Job{anchors}) || s.Phase() != PhaseChecks {
			t.Fatalf("checked before = %v: Take returns %+v in phase %d, want %+v", isChecked, got, s.Phase(), anchors)
		}
		done(t, anchors, s)
		apply(t, []check.Job{plain, anchors}, s)
		if got := take(t, s, PhaseChecks); len(got) > 0 || s.Phase() != PhaseEnd {
			t.Errorf("checked before = %v: after all jobs, Take returns %+v", isChecked, got)
		}
	}
}

// After Seeding, Next returns the jobs that Seed adds, and waits until Seeded.
func TestSeeding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(nil)
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
			t.Errorf("Next() = %v, %v after %v, want %v after 3s", j, err, time.Since(start), io.EOF)
		}
	})
}

// A run that begins while its document is read has the same report as a run that knows all links before it begins.
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
	whole, parts := NewQueue(nil), NewQueue(nil)
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
		t.Errorf("while the document is read, the report is %s\nwant %s", got, want)
	}
}

// wholeOf formats the findings of a report with all fields.
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

// The joined report of shards equals the report of one queue, and its findings can be read twice.
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
	whole := NewQueue(nil)
	err := whole.Seed(t.Context(), s, jobs)
	for _, j := range jobs {
		err = errors.Join(err, whole.Done(t.Context(), j, result(j), check.Found{}))
	}
	if err != nil {
		t.Fatal(err)
	}
	split := func(yield func(*Shard, error) bool) {
		records := RecordsByShard(check.Policy{}.Sharding(shards), s, jobs)
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
				t.Errorf("with All = %v, the findings are %s\nwant %s", o.All, a, b)
			}
		}
		if got.Summary() != want.Summary() || got.Failed() != want.Failed() {
			t.Errorf("with All = %v, the summary is %s, want %s", o.All, got.Summary(), want.Summary())
		}
		if err := errors.Join(got.Close(), want.Close()); err != nil {
			t.Error(err)
		}
	}
	if open != 0 {
		t.Errorf("after Close, %d files are open, want 0", open)
	}
	_, err = JoinReports(check.ReportOptions{}, func(yield func(*Shard, error) bool) { yield(NewShard(nil, true), errFull) })
	if !errors.Is(err, errFull) {
		t.Errorf("JoinReports() = %v, want %v", err, errFull)
	}
}
