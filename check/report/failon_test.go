package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/url"
)

// FailOn says which links fail, for Failed and for all formats.
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
			t.Errorf("with FailOn %q, Failed() = %v, want %v", failOn, r.Failed(), want)
		}
		if now, err := report.FailedNow(report.Since(r, nil)); now != want || err != nil {
			t.Errorf("with FailOn %q, FailedNow() = %v, %v, want %v", failOn, now, err, want)
		}
		for name, test := range map[string]struct {
			write   func(*bytes.Buffer) error
			failure string
			count   int // of the failures for the one link, which is in two documents
		}{
			"JUnit":       {func(b *bytes.Buffer) error { return report.JUnit(b, r) }, "<failure ", 1},
			"SARIF":       {func(b *bytes.Buffer) error { return report.SARIF(b, r) }, `"level":"error"`, 2},
			"Annotations": {func(b *bytes.Buffer) error { return report.Annotations(b, r) }, "::error ", 2},
			"JSON":        {func(b *bytes.Buffer) error { return report.JSON(b, r) }, `"fails":true`, 1},
		} {
			var b bytes.Buffer
			if err := test.write(&b); err != nil {
				t.Fatalf("%s with FailOn %q: %v", name, failOn, err)
			}
			count := test.count
			if !want {
				count = 0
			}
			if got := strings.Count(b.String(), test.failure); got != count {
				t.Errorf("with FailOn %q, %s has %d failures, want %d:\n%s", failOn, name, got, count, b.String())
			}
		}
		var b bytes.Buffer
		if err := report.JSON(&b, r); err != nil {
			t.Fatalf("JSON with FailOn %q: %v", failOn, err)
		}
		if failed, err := report.ReadDead(&b, url.URL{}); err != nil || (len(failed) == 1) != want {
			t.Errorf("with FailOn %q, ReadDead = %q, %v, want a failed link: %v", failOn, failed, err, want)
		}
	}
}

// Every verdict that may fail is a rule in the SARIF file.
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
			t.Errorf("the SARIF file has no rule with the id %q", verdict)
		}
	}
}
