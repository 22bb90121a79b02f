package main

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const in = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: no vsftpd: run make peers\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"ImportPath":"q","Action":"build-output","Output":"q.go:1: no such thing\n"}
{"ImportPath":"q","Action":"build-fail"}
{"Action":"output","Package":"r","Output":"?   \tr\t[no test files]\n"}
{"Action":"skip","Package":"r"}
{"Action":"output","Package":"s","Output":"ok  \ts\t0.2s\n"}
{"Action":"pass","Package":"s"}
`
	const want = `    c_test.go:1: wrong
FAIL
 1/12 FAIL	p	0.1s
q.go:1: no such thing
 2/12 ?   	r	[no test files]
 3/12 ok  	s	0.2s

1 tests passed, 1 failed, 1 skipped
failed  p TestC
skipped p TestB: b_test.go:1: no vsftpd: run make peers
`
	var w strings.Builder
	res := result{packages: 12}
	if err := res.read(strings.NewReader(in), &w); err != nil {
		t.Fatal(err)
	}
	res.summarize(&w)
	if w.String() != want {
		t.Errorf("read and summarize wrote\n%s\nwant\n%s", w.String(), want)
	}
}

// The output of an unfinished test is shown, because it says why the package failed.
func TestReadOfTestsThatDoNotEnd(t *testing.T) {
	const in = `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: a word\n"}
{"Action":"output","Package":"p","Test":"TestA/sub","Output":"=== RUN   TestA/sub\n"}
{"Action":"output","Package":"p","Test":"TestA/sub","Output":"panic: test timed out after 3s\n"}
{"Action":"output","Package":"q","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t3.1s\n"}
{"Action":"fail","Package":"p"}
{"Action":"pass","Package":"q","Test":"TestB"}
`
	const want = `1/1 FAIL	p	3.1s
=== RUN   TestA
    a_test.go:1: a word
=== RUN   TestA/sub
panic: test timed out after 3s

1 tests passed, 2 failed, 0 skipped
failed  p TestA
failed  p TestA/sub
`
	var w strings.Builder
	res := result{packages: 1}
	if err := res.read(strings.NewReader(in), &w); err != nil {
		t.Fatal(err)
	}
	res.summarize(&w)
	if w.String() != want {
		t.Errorf("read and summarize wrote\n%s\nwant\n%s", w.String(), want)
	}
}

func TestReadRefusesOtherText(t *testing.T) {
	if err := new(result).read(strings.NewReader("panic: no json\n"), &strings.Builder{}); err == nil {
		t.Error("read took text that is not JSON")
	}
}

// The first line says how many packages there are, because the first result may take minutes.
func TestRunCounts(t *testing.T) {
	t.Chdir("testdata/skips")
	var w strings.Builder
	if err := run([]string{"."}, &w, false); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(w.String(), "1 package to compile and test\n1/1 ok  \t") {
		t.Errorf("run wrote %q, want the number of packages and the first result", w.String())
	}
}

// go test runs for a package with a test that is always skipped.
func TestSkippedFailsInCI(t *testing.T) {
	t.Chdir("testdata/skips")
	for _, ci := range []bool{false, true} {
		var w strings.Builder
		err := run([]string{"."}, &w, ci)
		if (err != nil) != ci || ci && !strings.Contains(err.Error(), "1 skipped") { // not TestForbidden, TestNewest or TestUnpublished
			t.Errorf("CI %v: run = %v, want an error %v", ci, err, ci)
		}
		if !strings.Contains(w.String(), "TestNever: skips_test.go:6: no reason") || !strings.Contains(w.String(), "TestForbidden: skips_test.go:10: peers: the system forbids it: no handles") || !strings.Contains(w.String(), "TestNewest: skips_test.go:14: models: needs the newest programs: no curl") {
			t.Errorf("CI %v: run wrote %q, want the skipped test and its reason", ci, w.String())
		}
	}
}
