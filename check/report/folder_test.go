package report_test

import (
	"bytes"
	"slices"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/url"
)

// The links of a report from one folder are found again in another folder.
func TestInFolder(t *testing.T) {
	there, here := url.MustParse("file:///there/"), url.MustParse("file:///here/")
	for _, test := range []struct {
		link, relative string
		dead           []string
	}{
		{"file:///there/a%20b.md#c", "a%20b.md#c", []string{"file:///there/a%20b.md#c", "file:///here/a%20b.md#c"}},
		{"file:///there/d/a:b.md", "d/a:b.md", []string{"file:///there/d/a:b.md", "file:///here/d/a:b.md"}},
		{"file:///there/", "", []string{"file:///there/"}},
		{"file:///thereabouts/a.md", "", []string{"file:///thereabouts/a.md"}},
		{"file:///else/a.md", "", []string{"file:///else/a.md"}},
		{"http://h/there/a.md", "", []string{"http://h/there/a.md"}},
	} {
		finding := check.Finding{Link: test.link, Fails: true, Result: check.Result{URL: test.link, Status: check.Dead}}
		r := &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(finding, nil) }}
		named := report.InFolder(report.InFolder(r, there), here)
		for f := range named.Findings {
			if f.Relative != test.relative {
				t.Errorf("InFolder: Relative of %q = %q, want %q", test.link, f.Relative, test.relative)
			}
		}
		for f := range report.InFolder(r, url.URL{}).Findings {
			if f.Relative != "" {
				t.Errorf("InFolder of the zero URL: Relative of %q = %q, want none", test.link, f.Relative)
			}
		}
		var file bytes.Buffer
		if err := report.JSON(&file, named); err != nil {
			t.Fatalf("JSON of %q: %v", test.link, err)
		}
		if dead, err := report.ReadDead(&file, here); err != nil || !slices.Equal(dead, test.dead) {
			t.Errorf("ReadDead of %q = %q, %v, want %q", test.link, dead, err, test.dead)
		}
	}
}
