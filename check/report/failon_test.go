package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
)

// One definition says what fails: the exit status and all formats follow it.
func TestFailOn(t *testing.T) {
	results := []check.Result{
		{URL: "http://h/dead", Status: check.Dead},
		{URL: "http://h/wall", Status: check.BotWall},
		{URL: "http://h/soft", Status: check.SoftNotFound},
		{URL: "http://h/parked", Status: check.Parked},
		{URL: "http://h/unchecked", Status: check.Unchecked},
		{URL: "http://h/good"},
		{URL: "http://h/moved", Hops: []check.Hop{{To: "http://h/x", Permanent: true}}},
	}
	for _, failOn := range append(check.FailOn(), "none") {
		r := reported(t, check.ReportOptions{FailOn: []string{failOn}}, results...)
		want := failOn != "none"
		if r.Failed() != want {
			t.Errorf("with %q Failed() = %v", failOn, r.Failed())
		}
		if now, err := report.FailedNow(report.Since(r, nil)); now != want || err != nil {
			t.Errorf("with %q FailedNow() = %v, %v", failOn, now, err)
		}
		for name, form := range map[string]struct {
			write   func(*bytes.Buffer) error
			failure string
			count   int // for the one link: it is in two documents
		}{
			"JUnit":       {func(b *bytes.Buffer) error { return report.JUnit(b, r) }, "<failure ", 1},
			"SARIF":       {func(b *bytes.Buffer) error { return report.SARIF(b, r) }, `"level":"error"`, 2},
			"Annotations": {func(b *bytes.Buffer) error { return report.Annotations(b, r) }, "::error ", 2},
			"JSON":        {func(b *bytes.Buffer) error { return report.JSON(b, r) }, `"fails":true`, 1},
		} {
			var b bytes.Buffer
			if err := form.write(&b); err != nil {
				t.Fatal(err)
			}
			count := form.count
			if !want {
				count = 0
			}
			if got := strings.Count(b.String(), form.failure); got != count {
				t.Errorf("with %q %s has %d failures, want %d:\n%s", failOn, name, got, count, b.String())
			}
		}
		var b bytes.Buffer
		if err := report.JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if failed, err := report.ReadDead(&b); err != nil || (len(failed) == 1) != want {
			t.Errorf("with %q ReadDead gives %q, %v", failOn, failed, err)
		}
	}
}

// The rules of SARIF are the verdicts.
func TestSARIFRules(t *testing.T) {
	var b bytes.Buffer
	if err := report.SARIF(&b, reported(t, check.ReportOptions{})); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		rules[rule.ID] = true
	}
	for _, verdict := range check.FailOn() {
		if !rules[verdict] {
			t.Errorf("no rule has the id %q", verdict)
		}
	}
}
