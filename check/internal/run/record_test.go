package run

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"locus/check"
	"locus/internal/record"
)

func recordTests() []entry {
	return []entry{
		{kind: linksKind, source: check.Source{Document: "a.md", Links: []check.Link{
			{URL: "http://h/a", Line: 1, Column: 2}, {URL: "http://h/b#c"}, {URL: "http:// x", Line: 3, Bad: "it is not a URL"}, {URL: "\x00\xff", Bad: "\n"},
		}}},
		{kind: jobsKind, jobs: []check.Job{
			{URL: "http://h/a", Crawl: true}, {URL: "http://h/ab", Anchors: true, Depth: 4095}, {URL: "http://h/ab"}, {URL: "x y", Bad: "no"}, {},
		}},
		{kind: doneKind, job: check.Job{Anchors: true}, isRef: true, ref: 70_000, result: check.Result{Status: check.Good, Tries: 1}},
		{kind: doneKind, job: check.Job{URL: "http://h/a", Crawl: true}, result: check.Result{
			Status: check.Dead, Code: 404, Reason: "gone", Hops: []check.Hop{{To: "http://h/b", Permanent: true}}, Anchors: []uint64{},
		}},
	}
}

// readRecord reads the first record of a log.
func readRecord(log []byte) (entry, error) {
	for _, body := range records(bytes.NewReader(log)) {
		return body.entry()
	}
	return entry{}, ErrRecord
}

// Records are read as they were written.
func TestRecords(t *testing.T) {
	var log []byte
	want := recordTests()
	for i := range want {
		log = append(log, want[i].record()...)
	}
	i := 0
	for _, body := range records(bytes.NewReader(log)) {
		if got, err := body.entry(); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("record %d: entry() = %+v, %v, want %+v", i, got, err, want[i])
		}
		i++
	}
	if i != len(want) {
		t.Errorf("records yields %d records, want %d", i, len(want))
	}
}

// Every record that is cut off, or has a changed byte, is an error.
func TestRecordCut(t *testing.T) {
	for _, e := range recordTests() {
		data := e.record()
		for n := 1; n < len(data); n++ {
			if _, err := readRecord(data[:n]); !errors.Is(err, ErrRecord) {
				t.Errorf("readRecord of the first %d of %d bytes of kind %c: %v, want %v", n, len(data), e.kind, err, ErrRecord)
			}
			changed := bytes.Clone(data)
			changed[n] ^= 1
			if _, err := readRecord(changed); !errors.Is(err, ErrRecord) {
				t.Errorf("readRecord of kind %c with byte %d changed: %v, want %v", e.kind, n, err, ErrRecord)
			}
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, e := range recordTests() {
		f.Add(e.record()[headSize:])
	}
	f.Add([]byte("L\x00\xff\xff\xff\xff\x1f"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := recordBody{data: body}.entry()
		if err != nil {
			return
		}
		if len(got.source.Links)+len(got.jobs) > len(body) {
			t.Fatalf("entry of %q has %d links and %d jobs, which is more than the body has bytes", body, len(got.source.Links), len(got.jobs))
		}
		if got.kind == jobsKind || got.kind == linksKind {
			again, err := readRecord(got.record())
			if err != nil || !reflect.DeepEqual(again, got) {
				t.Fatalf("%+v is written and read as %+v, %v", got, again, err)
			}
		}
	})
}

// The longest result fits, with its head, into a message of 1 MiB.
func TestLongestResult(t *testing.T) {
	const maxURL, maxHops, maxAnchors = 64 << 10, 256 << 10, 1 << 15 // the limits of package check, which its TestLimits also has
	long := "http://h/" + strings.Repeat("&", maxURL-len("http://h/"))
	r := check.Result{URL: long, Anchors: make([]uint64, maxAnchors)}
	for i := range r.Anchors {
		r.Anchors[i] = 1<<64 - 1
	}
	for range maxHops / maxURL {
		r.Hops = append(r.Hops, check.Hop{To: long})
	}
	data := (&entry{kind: doneKind, job: check.Job{URL: long}, result: r}).record()
	if len(data) > 1<<20-4<<10 {
		t.Errorf("the record of the longest result has %d bytes, want at most %d", len(data), 1<<20-4<<10)
	}
	got, err := readRecord(data)
	if err != nil || !slices.Equal(got.result.Anchors, r.Anchors) {
		t.Errorf("the longest result is read with %d anchors, %v, want %d", len(got.result.Anchors), err, len(r.Anchors))
	}
}

// A record keeps the difference between nil and empty anchors. The JSON of an older program may contain the anchors.
func TestResultAnchors(t *testing.T) {
	for _, want := range [][]uint64{nil, {}, {1, 1<<64 - 1}} {
		got, err := readRecord((&entry{kind: doneKind, job: check.Job{URL: "http://h/"}, result: check.Result{Anchors: want}}).record())
		if err != nil || !reflect.DeepEqual(got.result.Anchors, want) {
			t.Errorf("the anchors %v are written and read as %v, %v", want, got.result.Anchors, err)
		}
	}
	var w record.Writer
	w.Byte(doneKind)
	w.Number(0)
	w.Text("http://h/")
	w.Text("")
	w.Text(resultJSON(check.Result{Anchors: []uint64{7}}))
	got, err := recordBody{data: w.Data}.entry()
	if err != nil || !slices.Equal(got.result.Anchors, []uint64{7}) {
		t.Errorf("the anchors [7] in JSON are read as %v, %v", got.result.Anchors, err)
	}
	cut := (&entry{kind: doneKind, job: check.Job{URL: "http://h/"}, result: check.Result{Anchors: []uint64{1}}}).record()
	if _, err := (recordBody{data: cut[headSize : len(cut)-1]}).entry(); !errors.Is(err, ErrRecord) {
		t.Errorf("entry of a record that ends in its anchors: %v, want %v", err, ErrRecord)
	}
}

// A number that is larger than any number of a queue is an error. It does not become negative.
func TestHugeNumber(t *testing.T) {
	for _, n := range []uint64{1<<40 + 1, 1 << 63, 1<<64 - 1} {
		var job, count, line record.Writer
		job.Byte(jobsKind)
		job.Number(1)
		job.Similar("http://h/")
		job.Number(0)
		job.Uint(n) // its depth
		job.Text("")
		count.Byte(jobsKind)
		count.Uint(n)
		line.Byte(linksKind)
		line.Text("document")
		line.Number(1)
		line.Similar("http://h/")
		line.Uint(n)
		line.Number(1)
		line.Text("")
		for name, data := range map[string][]byte{"depth": job.Data, "count": count.Data, "line": line.Data} {
			if e, err := (recordBody{data: data}).entry(); !errors.Is(err, ErrRecord) {
				t.Errorf("entry of a record with the %s %d = %+v, %v, want %v", name, n, e, err, ErrRecord)
			}
		}
	}
}

// CheckRecords finds every damage, because no record after a damaged one could be found.
func TestCheckRecords(t *testing.T) {
	all := seedEntries(check.Source{Document: "d", Links: []check.Link{{URL: "http://h/a"}}}, []check.Job{{URL: "http://h/a"}})
	var text []byte
	for i := range all {
		text = append(text, all[i].record()...)
	}
	for _, whole := range [][]byte{nil, all[0].record(), text} {
		if err := CheckRecords(whole); err != nil {
			t.Errorf("CheckRecords of %d whole bytes = %v, want nil", len(whole), err)
		}
	}
	first := len(all[0].record())
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x80
		if err := CheckRecords(damaged); !errors.Is(err, ErrRecord) {
			t.Errorf("CheckRecords with damage at byte %d = %v, want %v", i, err, ErrRecord)
		}
		if err := CheckRecords(text[:i]); i > 0 && i != first && !errors.Is(err, ErrRecord) {
			t.Errorf("CheckRecords of the first %d of %d bytes = %v, want %v", i, len(text), err, ErrRecord)
		}
	}
}
