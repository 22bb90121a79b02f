package stream

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"locus/check"
)

var recordTests = []entry{
	{kind: policyKind, policy: check.Policy{Recursive: true, Scope: []string{"http://h/"}, Rate: 0.5, Timeout: time.Second}},
	{kind: seededKind},
	{kind: linksKind, source: check.Source{Document: "a.md", Links: []check.Link{
		{URL: "http://h/a", Line: 1, Column: 2}, {URL: "http://h/b#c"}, {URL: "http:// x", Line: 3, Bad: "it is no URL"}, {URL: "\x00\xff", Bad: "\n"},
	}}},
	{kind: jobsKind, jobs: []check.Job{
		{URL: "http://h/a", Crawl: true}, {URL: "http://h/ab", Anchors: true, Depth: 4095}, {URL: "http://h/ab"}, {URL: "x y", Bad: "no"}, {},
	}},
	{kind: doneKind, job: check.Job{URL: "http://h/a", Crawl: true, Depth: 3}, result: check.Result{
		URL: "http://h/a", Status: check.Dead, Code: 404, Reason: "gone", Hops: []check.Hop{{To: "http://h/b", Permanent: true}}, Anchors: []uint64{},
	}},
}

// data returns a record as it is in the log.
func (v entry) data() []byte {
	switch v.kind {
	case policyKind:
		return policyRecord(v.policy)
	case linksKind:
		return linkRecords(v.source)[0]
	case jobsKind:
		return jobRecords(v.jobs)[0]
	case doneKind:
		return doneRecord(v.job, v.result)
	}
	return []byte{v.kind}
}

// Records are read as they were written, one after the other.
func TestRecords(t *testing.T) {
	var batch []byte
	for _, v := range recordTests {
		batch = append(batch, v.data()...)
	}
	r := newReader(batch)
	for _, want := range recordTests {
		if got, err := r.next(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("next() = %+v, %v, want %+v", got, err, want)
		}
	}
	if r.data.Len() > 0 {
		t.Errorf("%d bytes are left", r.data.Len())
	}
}

// A record that was cut off is an error.
func TestRecordCut(t *testing.T) {
	for _, v := range recordTests {
		data := v.data()
		for n := 1; n < len(data); n++ {
			if _, err := newReader(data[:n]).next(); !errors.Is(err, errRecord) {
				t.Errorf("next() of %d of %d bytes of %c: %v, want an error", n, len(data), v.kind, err)
			}
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, v := range recordTests {
		f.Add(v.data())
	}
	f.Add([]byte("L\x00\xff\xff\xff\xff\x1f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		r := newReader(data)
		got, err := r.next()
		if err != nil || got.kind == policyKind {
			return
		}
		if len(got.source.Links)+len(got.jobs) > len(data) {
			t.Fatalf("%d bytes have %d links and %d jobs", len(data), len(got.source.Links), len(got.jobs))
		}
		if got.kind == jobsKind && len(got.jobs) > 0 && len(data) < recordSize {
			again, err := newReader(got.data()).next()
			if err != nil || !reflect.DeepEqual(again, got) {
				t.Fatalf("%+v, %v, is not %+v", again, err, got)
			}
		}
	})
}

// The longest result fits into a message of 1 MiB, with its head.
func TestLongestResult(t *testing.T) {
	long := "http://h/" + strings.Repeat("&", 64<<10-9)
	r := check.Result{URL: long, Anchors: make([]uint64, 1<<15), Hops: []check.Hop{{To: "http://h/"}}}
	for i := range r.Anchors {
		r.Anchors[i] = 1<<64 - 1
	}
	if data := doneRecord(check.Job{URL: long}, r); len(data) > doneSize || !strings.Contains(string(data), "anchors") {
		t.Errorf("a result is of %d bytes", len(data))
	}
	for range 10 {
		r.Hops = append(r.Hops, check.Hop{To: long})
	}
	if data := doneRecord(check.Job{URL: long}, r); len(data) > 1<<20-4<<10 {
		t.Errorf("a result with long redirects is of %d bytes", len(data))
	}
}

// A number that no worker writes is an error, and does not become negative.
func TestHugeNumber(t *testing.T) {
	for _, n := range []uint64{1<<40 + 1, 1 << 63, 1<<64 - 1} {
		job, count, line := newWriter(jobsKind), newWriter(jobsKind), newWriter(linksKind)
		job.Number(1)
		job.Similar("http://h/")
		job.Number(0)
		job.Uint(n) // its depth
		job.Text("")
		count.Uint(n)
		line.Text("document")
		line.Number(1)
		line.Similar("http://h/")
		line.Uint(n)
		line.Number(1)
		line.Text("")
		for name, w := range map[string]*writer{"depth": job, "count": count, "line": line} {
			if e, err := newReader(w.Data).next(); !errors.Is(err, errRecord) {
				t.Errorf("%s of %d: next() = %+v, %v, want %v", name, n, e, err, errRecord)
			}
		}
	}
}
