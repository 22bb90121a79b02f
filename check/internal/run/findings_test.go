package run

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"locus/check"
)

// A finding is read as it was written. A finding that is cut off anywhere is an error.
func TestFindingRecord(t *testing.T) {
	for _, want := range []check.Finding{
		{Link: "http://h/", Result: check.Result{URL: "http://h/"}},
		{
			Link: "http://h/a#b", Fails: true,
			Result: check.Result{URL: "http://h/a", Status: check.Dead, Code: 404, Reason: "404 Not Found", Tries: 2, Time: time.Unix(1, 0).UTC(), Hops: []check.Hop{{To: "http://h/b"}}},
			Places: []check.Place{{Document: "a.md", Line: 1, Column: 2}, {Document: "a.md", Line: 3}, {Document: "", Line: 0}},
		},
	} {
		data := findingRecord(want)
		got, err := readFinding(bufio.NewReader(bytes.NewReader(data)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the finding %+v is written and read as %+v, %v", want, got, err)
		}
		for n := range data {
			if got, err := readFinding(bufio.NewReader(bytes.NewReader(data[:n]))); err == nil {
				t.Errorf("the first %d of %d bytes of the finding for %s are read as %+v, want an error", n, len(data), want.Link, got)
			}
		}
	}
}

// The findings of shards are merged in the order of their links. A shard whose findings cannot be read ends the report
// with an error.
func TestMergeFindings(t *testing.T) {
	var l findingLog
	defer l.Close()
	for _, shard := range [][]string{{"b", "e"}, {}, {"a", "c", "d"}} {
		l.starts = append(l.starts, l.Size())
		for _, link := range shard {
			if _, err := l.Append(findingRecord(check.Finding{Link: link})); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func() (links string, err error) {
		for f, err := range l.findings {
			if err != nil {
				return links, err
			}
			links += f.Link
		}
		return links, nil
	}
	if got, err := read(); got != "abcde" || err != nil {
		t.Errorf("the links are %q, %v, want %q", got, err, "abcde")
	}
	for f := range l.findings { // a reader may stop early
		if f.Link == "b" {
			break
		}
	}
	if _, err := l.Append([]byte{100}); err != nil { // a text of 100 bytes that are missing
		t.Fatal(err)
	}
	if got, err := read(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("with a finding that is cut off, the links are %q, %v, want %v", got, err, io.ErrUnexpectedEOF)
	}
}
