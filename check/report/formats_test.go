package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"golang.org/x/net/html"

	"locus/check"
	"locus/check/report"
)

// The SARIF file is valid by the schema of SARIF 2.1.0, and has only its fields. It has a result for each place of each
// link that is neither good nor excluded.
func TestSARIF(t *testing.T) {
	for name, results := range map[string][]check.Result{"findings": reportedResults, "nothing": nil} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := report.SARIF(&b, reported(t, check.ReportOptions{All: true}, results...)); err != nil {
				t.Fatal(err)
			}
			var known sarif.Report
			decoder := json.NewDecoder(bytes.NewReader(b.Bytes()))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&known); err != nil {
				t.Fatalf("%v in\n%s", err, b.Bytes())
			}
			log, err := sarif.FromBytes(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			run := log.Runs[0] // the library writes empty values where the schema has defaults
			run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
			if err := log.Validate(); err != nil {
				t.Error(err)
			}
			var got []string
			for _, r := range known.Runs[0].Results {
				at := r.Locations[0].PhysicalLocation
				got = append(got, strings.Join([]string{*r.RuleID, r.Level, *at.ArtifactLocation.URI, *r.Message.Text}, "|"))
			}
			var want []string
			if results != nil {
				for _, finding := range []string{
					"dead|error|FILE|dead  http://h/dead  404 Not Found",
					"dead|error|FILE|dead  http://h/deadmoved  gone; moved permanently to http://h/5",
					"moved|note|FILE|moved  http://h/moved  moved permanently to http://h/2",
					"unchecked|note|FILE|unchecked  http://h/unchecked  nothing opens it",
				} {
					want = append(want, strings.Replace(finding, "FILE", "a.md", 1), strings.Replace(finding, "FILE", "b.md", 1))
				}
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("the results of %s are\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// finding returns a report with one finding.
func finding(f check.Finding) *check.Report {
	return &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(f, nil) }}
}

// A document is written as a valid URI reference.
func TestSARIFArtifact(t *testing.T) {
	for _, test := range []struct{ document, want string }{
		{"doc/a.md", "doc/a.md"},
		{"doc/a b#c?.md", "doc/a%20b%23c%3F.md"},
		{"a:b.md", "./a:b.md"},
		{"ä.md", "%C3%A4.md"},
		{"https://u:secret@h/p", "https://u:xxxxx@h/p"},
	} {
		var b bytes.Buffer
		f := check.Finding{Link: "http://h/", Fails: true, Result: check.Result{Status: check.Dead}, Places: []check.Place{{Document: test.document}}}
		if err := report.SARIF(&b, finding(f)); err != nil {
			t.Fatalf("SARIF of a finding in %q: %v", test.document, err)
		}
		if !strings.Contains(b.String(), `"uri":"`+test.want+`"`) {
			t.Errorf("the document %q is not written as %q in\n%s", test.document, test.want, b.String())
		}
	}
}

// The name of a file and a reason can neither end a workflow command nor begin another one.
func TestAnnotations(t *testing.T) {
	f := check.Finding{
		Link:   "http://u:secret@h/100%",
		Fails:  true,
		Result: check.Result{Status: check.Dead, Reason: "404 Not\nFound"},
		Places: []check.Place{{Document: "a,b:c%.md", Line: 3, Column: 7}, {Document: "d.md"}},
	}
	var b strings.Builder
	if err := report.Annotations(&b, finding(f)); err != nil {
		t.Fatal(err)
	}
	const want = "::error file=a%2Cb%3Ac%25.md,line=3,col=7,title=dead link::http://u:xxxxx@h/100%25  404 Not␊Found\n" +
		"::error file=d.md,title=dead link::http://u:xxxxx@h/100%25  404 Not␊Found\n"
	if b.String() != want {
		t.Errorf("the annotations are\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := report.Annotations(&b, reported(t, check.ReportOptions{All: true}, reportedResults...)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "::error "); got != 4 {
		t.Errorf("Annotations writes %d errors, want 4:\n%s", got, b.String())
	}
	if got := strings.Count(b.String(), "::notice "); got != 4 {
		t.Errorf("Annotations writes %d notices, want 4:\n%s", got, b.String())
	}
}

// The page has a row for each finding. Texts from servers and files are escaped. Only a web URL becomes a link.
func TestReportHTML(t *testing.T) {
	f := check.Finding{
		Link:   `javascript:alert("1")`,
		Result: check.Result{Status: check.Dead, Reason: "<script>alert(2)</script>"},
		Places: []check.Place{{Document: `"><script>alert(3)</script>`, Line: 1}},
	}
	var b bytes.Buffer
	if err := report.HTML(&b, finding(f)); err != nil {
		t.Fatal(err)
	}
	if scripts, links, rows := elements(t, b.Bytes()); scripts != 1 || links != 0 || rows != 2 {
		t.Errorf("for the link %q, the page has %d scripts, %d links and %d rows, want 1, 0 and 2:\n%s", f.Link, scripts, links, rows, b.Bytes())
	}
	b.Reset()
	f.Link = `http://h/"><img src=x onerror='alert(1)'>` + "\x00\xff"
	if err := report.HTML(&b, finding(f)); err != nil {
		t.Fatal(err)
	}
	if scripts, links, rows := elements(t, b.Bytes()); scripts != 1 || links != 1 || rows != 2 || strings.Contains(b.String(), "<img") {
		t.Errorf("for the link %q, the page has %d scripts, %d links and %d rows, want 1, 1 and 2, and no image:\n%s", f.Link, scripts, links, rows, b.Bytes())
	}
	b.Reset()
	if err := report.HTML(&b, reported(t, check.ReportOptions{All: true}, reportedResults...)); err != nil {
		t.Fatal(err)
	}
	if _, links, rows := elements(t, b.Bytes()); links != 6 || rows != 7 {
		t.Errorf("for %d results, the page has %d links and %d rows, want 6 and 7:\n%s", len(reportedResults), links, rows, b.Bytes())
	}
	if strings.Contains(b.String(), "secret") {
		t.Errorf("the page shows a password:\n%s", b.Bytes())
	}
}

// elements counts the script, a and tr elements of a page.
func elements(t *testing.T, page []byte) (scripts, links, rows int) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
		case "a":
			links++
		case "tr":
			rows++
		}
	}
	return scripts, links, rows
}

// A format returns the error of the report or of the writer.
func TestFormatErrors(t *testing.T) {
	broken := errors.New("broken")
	unreadable := &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(check.Finding{}, broken) }}
	readable := reported(t, check.ReportOptions{All: true}, reportedResults...)
	for name, write := range map[string]func(*check.Report, *limitedWriter) error{
		"SARIF":       func(r *check.Report, w *limitedWriter) error { return report.SARIF(w, r) },
		"Annotations": func(r *check.Report, w *limitedWriter) error { return report.Annotations(w, r) },
		"HTML":        func(r *check.Report, w *limitedWriter) error { return report.HTML(w, r) },
	} {
		if err := write(unreadable, &limitedWriter{left: 1 << 20}); !errors.Is(err, broken) {
			t.Errorf("%s of a report that cannot be read = %v, want %v", name, err, broken)
		}
		if err := write(readable, &limitedWriter{left: 10}); !errors.Is(err, errFull) {
			t.Errorf("%s to a writer that is full = %v, want %v", name, err, errFull)
		}
	}
}

var errFull = errors.New("full")

// A limitedWriter accepts left bytes.
type limitedWriter struct{ left int }

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}
