package report_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
)

// formats write reports in the formats that IsReport recognizes.
var formats = map[string]func(io.Writer, *check.Report) error{
	"JSON": report.JSON, "JUnit": report.JUnit, "SARIF": report.SARIF, "HTML": report.HTML, "Markdown": report.Markdown, "Text": report.Text, "FullText": report.FullText,
	"WritePart":  func(w io.Writer, r *check.Report) error { return report.WritePart(w, r, report.Part{Number: 1, Of: 2}) },
	"Since":      func(w io.Writer, r *check.Report) error { return report.Text(w, report.Since(r, nil)) },
	"JSON Since": func(w io.Writer, r *check.Report) error { return report.JSON(w, report.Since(r, nil)) },
}

// A report is recognized in every format, unless it is an empty file.
func TestIsReport(t *testing.T) {
	for name, format := range formats {
		for _, results := range [][]check.Result{nil, reportedResults[:1], reportedResults} {
			var b bytes.Buffer
			if err := format(&b, reported(t, check.ReportOptions{All: true}, results...)); err != nil {
				t.Fatalf("%s of %d results: %v", name, len(results), err)
			}
			if got, want := report.IsReport(b.Bytes()), b.Len() > 0; got != want {
				t.Errorf("IsReport of %s with %d results = %v, want %v\n%s", name, len(results), got, want, b.Bytes())
			}
		}
	}
}

// A report is recognized whatever its first finding is, also after another program has changed its line ends or has
// put a byte order mark before it.
func TestIsReportOfFinding(t *testing.T) {
	placed := []check.Place{{Document: "a b.md", Line: 1, Column: 2}}
	for name, f := range map[string]check.Finding{
		"dead, without a place":       {Link: "http://h/a", Result: check.Result{Status: check.Dead, Reason: "404 Not Found"}},
		"good, without a place":       {Link: "mailto:a@h.example"},
		"in a document without lines": {Link: "http://h/a", Result: check.Result{Status: check.Parked, Reason: "for sale"}, Places: []check.Place{{Document: "a.epub!/b"}}},
		"changed":                     {Link: "http://h/a", Change: "newly soft-404", Result: check.Result{Status: check.SoftNotFound, Reason: "gone"}, Places: placed},
		"recovered":                   {Link: "http://h/a", Change: "recovered"},
		"not a URL":                   {Link: "/a", Result: check.Result{Status: check.Unchecked, Reason: "its root is unknown"}, Places: placed},
		"a text with a space":         {Link: "[[a b]]", Result: check.Result{Status: check.Dead, Reason: "no page has this name"}, Places: placed},
		"a URL with a space":          {Link: "http://h/a b", Result: check.Result{Status: check.Dead, Reason: "it is not a URL"}, Places: placed},
	} {
		r := &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(f, nil) }, Moved: 1}
		for status := range r.Counts {
			r.Counts[status] = status + 1
		}
		for format, write := range formats {
			var b bytes.Buffer
			if err := write(&b, r); err != nil {
				t.Fatalf("%s of a finding that is %s: %v", format, name, err)
			}
			if b.Len() == 0 {
				continue // Since leaves the finding out
			}
			crlf := strings.ReplaceAll(b.String(), "\n", "\r\n")
			for _, text := range []string{b.String(), "\ufeff" + b.String(), crlf, "\ufeff" + crlf} {
				if !report.IsReport([]byte(text)) {
					t.Errorf("IsReport of %s with a finding that is %s = false, want true\n%.300q", format, name, text)
				}
			}
		}
	}
}

// Other texts are not reports, even if they look like one.
func TestIsNoReport(t *testing.T) {
	for _, text := range []string{
		"", "# Links\n\n- [a](b.md)\n", "\n# Links\n\n1 link: 1 good, 0 dead.\n",
		`{"url":"http://h/","status":"dead","code":404}`, `[{"url":"http://h/","status":"dead","fails":true}]`, `{"part":1,"of":"a box"}`,
		"<?xml version=\"1.0\"?>\n<testsuites tests=\"1\">\n  <testsuite name=\"unit\" tests=\"1\">\n",
		"{\n\"$schema\": \"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n\"version\": \"2.1.0\",\n\"runs\": [{\n\"tool\": {\"driver\": {\"name\": \"other\"",
		"<!doctype html><html lang=\"en\"><title>Links</title>", "<!doctype html>\n<title>Links: 2 links: 0 good</title>",
		"dead  letter\n    box\n", "dead links:\n    a.md:1:2\n",
		"# Links\n\n3 links: 2 goodies and a puzzle.\n\n- [a](gone.md)\n", "# Links\n\n3 links: 2 good, 1 bad.\n", "# Links\n\n3 links: 2 good, 1 dead, and a puzzle.\n",
		"<!doctype html><title>Links: 3 links: 2 goodies</title>", "<!doctype html><title>Links: 3 links: 2 good, 1 dead, and a puzzle</title>",
		"dead  letter office\n    open at 10:30:00\n", "dead  letter  office\n    box\n", "dead  letter: an office\n    open at 10:30:00\n", "moved  on\n",
	} {
		if report.IsReport([]byte(text)) {
			t.Errorf("IsReport(%q) = true", text)
		}
	}
}

func ExampleIsReport() {
	fmt.Println(report.IsReport([]byte("dead  http://h/a  404 Not Found\n    README.md:7:9\n")))
	fmt.Println(report.IsReport([]byte("# Links\n\n- [a](http://h/a)\n")))
	// Output:
	// true
	// false
}
