package report_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/check"
	"locus/check/report"
)

// Dead links are shown when they are found. If the check ends before the delay, ShowProgress writes nothing.
func TestShowProgress(t *testing.T) {
	for _, test := range []struct {
		name  string
		pause time.Duration
		want  string
	}{
		{"quick", time.Millisecond, ""},
		{
			"slow", 600 * time.Millisecond,
			"\r\x1b[Kdead  http://h/1  gone\n2 checked, 1 dead, 2/s" + "\r\x1b[K3 checked, 1 dead, 2/s" + "\r\x1b[Kdead  http://u:xxxxx@h/3  gone\n4 checked, 2 dead, 2/s" + "\r\x1b[K",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b strings.Builder
				results := make(chan check.Result)
				go func() {
					defer close(results)
					for _, r := range []check.Result{
						{URL: "http://h/1", Status: check.Dead, Reason: "gone"},
						{URL: "http://h/2"},
						{URL: "http://h/2"},
						{URL: "http://u:p@h/3", Status: check.Dead, Reason: "gone"},
					} {
						time.Sleep(test.pause)
						results <- r
					}
				}()
				report.ShowProgress(&b, results, time.Second)
				if got := b.String(); got != test.want {
					t.Errorf("with a pause of %v between results, ShowProgress writes %q, want %q", test.pause, got, test.want)
				}
			})
		})
	}
}
