package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"locus/check"
	"locus/internal/spill"
)

// openLog opens the queue whose log is a file.
func openLog(t *testing.T, name string) *Queue {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	q, err := OpenQueue(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// takeAll returns the URLs of the jobs that a queue returns before it must wait for their results.
func takeAll(t *testing.T, q *Queue) (all []string) {
	t.Helper()
	for {
		j, err := q.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j.URL)
	}
}

// A damaged record loses its own result and the results after it, and no others: a resumed run checks their jobs again.
func TestDamagedResult(t *testing.T) {
	const jobs = 5
	name := filepath.Join(t.TempDir(), "log")
	q := openLog(t, name)
	from := check.Source{Document: "list"}
	var all []check.Job
	for n := range jobs {
		u := fmt.Sprintf("http://h/%d", n)
		from.Links, all = append(from.Links, check.Link{URL: u, Line: n + 1}), append(all, check.Job{URL: u})
	}
	if err := q.Seed(t.Context(), from, all); err != nil {
		t.Fatal(err)
	}
	takeAll(t, q)
	var starts []int64 // of the records of results
	for _, j := range all {
		starts = append(starts, q.log.Size())
		if err := q.Done(t.Context(), j, check.Result{URL: j.URL, Status: check.Dead, Reason: "of " + j.URL}, check.Found{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for damaged, start := range starts {
		for _, at := range []int64{0, 4, headSize, headSize + 3} { // the length, the checksum, the kind, the result
			text := append([]byte(nil), whole...)
			text[start+at] ^= 0x40
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			q := openLog(t, name)
			if got := takeAll(t, q); len(got) != jobs-damaged || got[0] != all[damaged].URL {
				t.Errorf("with byte %d of result %d changed, the jobs are %q, want those from %s on", at, damaged, got, all[damaged].URL)
			}
			for _, j := range all[damaged:] {
				if err := q.Done(t.Context(), j, check.Result{URL: j.URL, Status: check.Dead, Reason: "of " + j.URL}, check.Found{}); err != nil {
					t.Fatal(err)
				}
			}
			r, err := q.Report(t.Context(), check.ReportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for f, err := range r.Findings {
				if want := fmt.Sprintf("http://h/%d", n); err != nil || f.Link != want || f.Reason != "of "+want || len(f.Places) != 1 || f.Places[0].Line != n+1 {
					t.Errorf("with byte %d of result %d changed, finding %d is %+v, %v", at, damaged, n, f, err)
				}
				n++
			}
			if n != jobs {
				t.Errorf("with byte %d of result %d changed, the report has %d findings, want %d", at, damaged, n, jobs)
			}
			if err := errors.Join(r.Close(), q.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// If the record of links or jobs is damaged, the run loses everything after it, because results refer to jobs by
// numbers. The file is cut there, so that the next record is written after valid ones.
func TestDamagedJobs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	q := openLog(t, name)
	first, second := check.Job{URL: "http://h/1"}, check.Job{URL: "http://h/2"}
	if err := q.Seed(t.Context(), check.Source{}, []check.Job{first}); err != nil {
		t.Fatal(err)
	}
	cut := q.log.Size()
	if err := q.Seed(t.Context(), check.Source{}, []check.Job{second}); err != nil {
		t.Fatal(err)
	}
	takeAll(t, q)
	if err := errors.Join(q.Done(t.Context(), second, check.Result{}, check.Found{}), q.Done(t.Context(), first, check.Result{}, check.Found{}), q.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[cut+headSize+2] ^= 1
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	q = openLog(t, name)
	defer q.Close()
	if got := takeAll(t, q); len(got) != 1 || got[0] != first.URL {
		t.Errorf("the jobs are %q, want %q alone", got, first.URL)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != cut {
		t.Errorf("the log has %d bytes, %v, want %d", info.Size(), err, cut)
	}
}

// A result that was damaged after it was applied is an error of the report, and not another result.
func TestDamagedWhileRunning(t *testing.T) {
	q := NewQueue(nil)
	j := check.Job{URL: "http://h/"}
	if err := q.Seed(t.Context(), check.Source{Document: "d", Links: []check.Link{{URL: j.URL}}}, []check.Job{j}); err != nil {
		t.Fatal(err)
	}
	if err := q.Done(t.Context(), j, check.Result{Status: check.Dead, Reason: "gone"}, check.Found{}); err != nil {
		t.Fatal(err)
	}
	_, state, ok, err := q.texts.Find(j.URL)
	if !ok || err != nil {
		t.Fatalf("Find(%s) = %v, %v", j.URL, ok, err)
	}
	for _, offset := range []uint64{2, uint64(q.log.Size())} { // inside the result, and its end
		if r, err := q.resultAt(newWindow(&q.log), state&^spill.OffsetMask|offset); err == nil {
			t.Errorf("resultAt of offset %d = %+v, want an error", offset, r)
		}
	}
}
