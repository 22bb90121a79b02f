package report_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"locus/check"
	"locus/check/report"
)

// A report is recognized in every format, unless it is an empty file.
func TestIsReport(t *testing.T) {
	for name, format := range map[string]func(io.Writer, *check.Report) error{
		"JSON": report.JSON, "JUnit": report.JUnit, "SARIF": report.SARIF, "HTML": report.HTML, "Markdown": report.Markdown, "Text": report.Text, "FullText": report.FullText,
		"WritePart":  func(w io.Writer, r *check.Report) error { return report.WritePart(w, r, report.Part{Number: 1, Of: 2}) },
		"Since":      func(w io.Writer, r *check.Report) error { return report.Text(w, report.Since(r, nil)) },
		"JSON Since": func(w io.Writer, r *check.Report) error { return report.JSON(w, report.Since(r, nil)) },
	} {
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

// Other texts are not reports, even if they look like one.
func TestIsNoReport(t *testing.T) {
	for _, text := range []string{
		"", "# Links\n\n- [a](b.md)\n", "\n# Links\n\n1 link: 1 good, 0 dead.\n",
		`{"url":"http://h/","status":"dead","code":404}`, `[{"url":"http://h/","status":"dead","fails":true}]`, `{"part":1,"of":"a box"}`,
		"<?xml version=\"1.0\"?>\n<testsuites tests=\"1\">\n  <testsuite name=\"unit\" tests=\"1\">\n",
		"{\n\"$schema\": \"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n\"version\": \"2.1.0\",\n\"runs\": [{\n\"tool\": {\"driver\": {\"name\": \"other\"",
		"<!doctype html><html lang=\"en\"><title>Links</title>", "<!doctype html>\n<title>Links: 2 links: 0 good</title>",
		"dead  letter\n    box\n", "dead links:\n    a.md:1:2\n",
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
