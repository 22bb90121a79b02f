package check

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A host belongs to one part, however it is written.
func TestPart(t *testing.T) {
	s := NewMemory()
	if got := s.Part("http://h/"); got != 0 {
		t.Errorf("Part is %d without parts", got)
	}
	s.Share(Sharing{Parts: 256})
	want := s.Part("http://h.example/")
	for _, u := range []string{"http://H.Example/x", "https://h.example:8080/y?z", "ftp://u:p@h.EXAMPLE/"} {
		if got := s.Part(u); got != want {
			t.Errorf("Part(%q) = %d, want %d", u, got, want)
		}
	}
	parts := make(map[int]bool)
	for _, u := range []string{"http://a/", "http://b/", "http://c/", "mailto:x@y", "http://[::1/y", ""} {
		parts[s.Part(u)] = true
	}
	if len(parts) < 4 {
		t.Errorf("6 hosts are in %d parts", len(parts))
	}
}

// Next returns jobs that no other process has done, and those that were unclaimed once
// their part is owned again.
func TestShare(t *testing.T) {
	s := NewMemory()
	s.Share(Sharing{Parts: 2, Publish: func(context.Context, [][]byte) error { return nil }})
	mine := true
	own := func(is bool) { mine = is; s.Own(func(int) bool { return mine }) }
	a, b, w := Job{URL: "http://a/"}, Job{URL: "http://a/2", Bad: "no URL"}, Job{URL: "http://w/", Crawl: true}
	if err := s.Seed(t.Context(), Source{}, []Job{a, b, w}); err != nil {
		t.Fatal(err)
	}
	next := func(want Job, wantErr error) {
		t.Helper()
		if j, err := s.next(); j != want || !errors.Is(err, wantErr) {
			t.Fatalf("next() = %+v, %v, want %+v, %v", j, err, want, wantErr)
		}
	}
	isDone := func(j Job, want bool) {
		t.Helper()
		if got, err := s.IsDone(j); got != want || err != nil {
			t.Errorf("IsDone(%+v) = %v, %v, want %v", j, got, err, want)
		}
	}
	own(true)
	next(Job{}, io.EOF) // not all is known yet
	if err := s.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	next(w, nil)
	next(Job{}, io.EOF)
	if err := s.Unclaim(w); err != nil {
		t.Fatal(err)
	}
	next(Job{}, io.EOF)
	own(false)
	next(Job{}, io.EOF)
	own(true)
	next(w, nil)
	isDone(w, false)
	if err := s.Done(t.Context(), w, Result{URL: w.URL}, Found{}); err != nil {
		t.Fatal(err)
	}
	isDone(w, true)
	isDone(Job{URL: w.URL}, true) // who walked has looked
	isDone(a, false)
	next(a, nil)
	if err := s.Done(t.Context(), b, Result{URL: b.URL}, Found{}); err != nil { // by another
		t.Fatal(err)
	}
	isDone(b, true)
	isDone(Job{URL: b.URL, Crawl: true, Bad: b.Bad}, false)
	next(Job{}, io.EOF)
	all := []Job{a, {URL: a.URL, Anchors: true}, {URL: a.URL, Crawl: true}, {URL: "http://new/"}, b, {URL: b.URL}}
	unseen, err := s.unseen(all)
	if want := []Job{all[1], all[2], all[3], all[5]}; !slices.Equal(unseen, want) || err != nil {
		t.Errorf("unseen() = %+v, %v, want %+v", unseen, err, want)
	}
}

// Of two results for one URL the one with anchors is kept.
func TestTwoResults(t *testing.T) {
	plain, more := Result{URL: "http://h/", Tries: 1}, Result{URL: "http://h/", Tries: 2, Anchors: []uint64{1}}
	look, walk := Job{URL: "http://h/"}, Job{URL: "http://h/", Crawl: true}
	for _, walkFirst := range []bool{true, false} {
		s := NewMemory()
		err := s.Seed(t.Context(), Source{Document: "d", Links: []Link{{URL: "http://h/"}}}, nil)
		if walkFirst {
			err = errors.Join(err, s.Done(t.Context(), walk, more, Found{}), s.Done(t.Context(), look, plain, Found{}))
		} else {
			err = errors.Join(err, s.Done(t.Context(), look, plain, Found{}), s.Done(t.Context(), walk, more, Found{}))
		}
		// A job that is done already is left as it is.
		err = errors.Join(err, s.Done(t.Context(), look, Result{URL: "http://h/", Status: Dead}, Found{Links: []Link{{URL: "http://no/"}}}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Report(ReportOptions{All: true})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for f := range r.Findings {
			if n++; f.Tries != 2 || f.Status != Good {
				t.Errorf("with the walk first %v: %+v", walkFirst, f.Result)
			}
		}
		if n != 1 {
			t.Errorf("there are %d links, want 1", n)
		}
	}
}

// A task that is cancelled while it waits for a turn at another server keeps no turn.
func TestMoveCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule(func(string) (int, float64) { return 1, 0 })
		for _, server := range []string{"a", "z"} {
			s.add(&task{server: server})
		}
		first, second := s.take(), s.take()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.move(ctx, first, second.server); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("move gives %v", err)
		}
		s.leave(first)
		s.done()
		s.add(&task{server: second.server})
		if len(s.ready) > 0 {
			t.Error("two are to be at a server that takes one")
		}
		s.leave(second)
		s.done()
		s.leave(s.take())
		s.done()
		if len(s.servers) > 0 || s.open != 0 {
			t.Errorf("%d servers are remembered, %d tasks held", len(s.servers), s.open)
		}
	})
}
