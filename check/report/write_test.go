package report_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/url"
)

// hostileReport returns a report whose texts contain the delimiters and control characters of all formats.
func hostileReport(t *testing.T) *check.Report {
	t.Helper()
	q := report.NewQueue(nil)
	doc := "a|b]]>\n\x1b[31m<x>.md"
	bad := check.Link{URL: "http://h/\x1b]0;x\a|`<script>]]>\r\n\"'&\xff\x00", Bad: "it is not a URL:\n<b>|\x1b[0m", Line: 1, Column: 2}
	all := []check.Link{bad, {URL: "http://u:secret@h/", Line: 2}}
	if err := check.Seed(t.Context(), q, check.Source{Document: doc, Links: all}); err != nil {
		t.Fatal(err)
	}
	return run(t, &check.Checker{}, q)
}

// run checks the jobs of q and returns the report with all findings.
func run(t *testing.T, c *check.Checker, q check.Queue) *check.Report {
	t.Helper()
	if err := c.Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	r, err := q.Report(t.Context(), check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every format writes valid output without passwords, one line for each item, whatever links, reasons and documents
// contain.
func TestOutputs(t *testing.T) {
	r := hostileReport(t)
	outputs := make(map[string]string)
	for name, write := range map[string]func(*strings.Builder) error{
		"text": func(b *strings.Builder) error { return report.Text(b, r) }, "json": func(b *strings.Builder) error { return report.JSON(b, r) },
		"junit": func(b *strings.Builder) error { return report.JUnit(b, r) }, "markdown": func(b *strings.Builder) error { return report.Markdown(b, r) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		outputs[name] = b.String()
		if strings.ContainsAny(b.String(), "\x1b\a\x00\r") || strings.Contains(b.String(), "secret") {
			t.Errorf("%s has a control character or a password: %q", name, b.String())
		}
	}
	for name, want := range map[string]int{"text": 4, "json": 2} {
		if got := strings.Count(outputs[name], "\n"); got != want {
			t.Errorf("%s has %d lines, want %d: %q", name, got, want, outputs[name])
		}
	}
	for line := range strings.Lines(outputs["json"]) {
		if !json.Valid([]byte(line)) {
			t.Errorf("JSON writes the invalid line %q", line)
		}
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure string `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(outputs["junit"]), &suites); err != nil || suites.Tests != 2 || suites.Failures != 1 || len(suites.Cases) != 2 {
		t.Errorf("JUnit writes %+v, %v, want 2 tests and 1 failure: %s", suites, err, outputs["junit"])
	}
	rows := 0
	for line := range strings.Lines(outputs["markdown"]) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 5 {
			t.Errorf("a row of the table has %d bars, want 5: %q", n, line)
		}
	}
	if rows != 4 || strings.Contains(strings.ReplaceAll(outputs["markdown"], `\<`, ""), "<script") {
		t.Errorf("the table has %d rows, want 4: %q", rows, outputs["markdown"])
	}
}

// ReadDead returns the failed links of a report, and Since the changes since that report.
func TestSince(t *testing.T) {
	result := func(u string, s check.Status) check.Result {
		return check.Result{URL: u, Status: s, Reason: map[bool]string{true: "gone"}[s == check.Dead]}
	}
	reportOf := func(also []string, all ...check.Result) *check.Report {
		q := report.NewQueue(nil)
		var s check.Source
		for _, r := range all {
			s.Links = append(s.Links, check.Link{URL: r.URL})
		}
		if err := q.Seed(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if err := q.Done(t.Context(), check.Job{URL: r.URL}, r, check.Found{}); err != nil {
				t.Fatalf("Done(%q): %v", r.URL, err)
			}
		}
		r, err := q.Report(t.Context(), check.ReportOptions{Also: also})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var file strings.Builder
	first := reportOf(nil, result("http://u:p@h/back", check.Dead), result("http://h/still", check.Dead), result("http://h/fine", check.Good), result("http://h/lost", check.Dead))
	if err := report.JSON(&file, first); err != nil {
		t.Fatal(err)
	}
	dead, err := report.ReadDead(strings.NewReader(file.String()), url.URL{})
	if err != nil || len(dead) != 3 {
		t.Fatalf("ReadDead = %q, %v, want 3 links", dead, err)
	}
	second := reportOf(dead, result("http://u:p@h/back", check.Good), result("http://h/still", check.Dead), result("http://h/fine", check.Dead), result("http://h/lost", check.Unchecked))
	var got strings.Builder
	if err := report.Text(&got, report.Since(second, dead)); err != nil {
		t.Fatal(err)
	}
	if want := "newly dead  http://h/fine  gone\nrecovered  http://u:xxxxx@h/back\n"; got.String() != want {
		t.Errorf("Since(%q) gives\n%swant\n%s", dead, got.String(), want)
	}
	if failed, err := report.FailedNow(report.Since(second, dead)); !failed || err != nil {
		t.Errorf("FailedNow() = %v, %v, want true, because http://h/fine fails only now", failed, err)
	}
	if failed, _ := report.FailedNow(report.Since(first, dead)); failed {
		t.Error("FailedNow() = true for links that failed before")
	}
	if _, err := report.ReadDead(strings.NewReader("dead  http://h/\n"), url.URL{}); err == nil {
		t.Error("ReadDead of a report in text = nil, want an error")
	}
}

// No format writes a password, even if the text that contains it is not a URL.
func TestNoPassword(t *testing.T) {
	q := report.NewQueue(nil)
	var from check.Source
	from.Document = "http://u:secret@h:x/"
	for _, u := range []string{"http://u:secret@h/", "http://u:secret@[::1/x", "http://u:secret@h:x/", "ftp://u:sec/ret@h/"} {
		from.Links = append(from.Links, check.Link{URL: u, Bad: "not a URL", Line: 1})
	}
	if err := check.Seed(t.Context(), q, from); err != nil {
		t.Fatal(err)
	}
	r := run(t, &check.Checker{}, q)
	for name, write := range map[string]func(io.Writer, *check.Report) error{"text": report.Text, "json": report.JSON, "junit": report.JUnit, "markdown": report.Markdown} {
		var b strings.Builder
		if err := write(&b, r); err != nil {
			t.Fatalf("the report as %s: %v", name, err)
		}
		if strings.Contains(b.String(), "sec") || strings.Count(b.String(), "u:xxxxx@") < 8 {
			t.Errorf("%s shows a password: %s", name, b.String())
		}
	}
}

// The name of a file cannot begin a workflow command. This matters because GitHub Actions ignores the spaces before
// "::".
func TestTextIsNoCommand(t *testing.T) {
	f := check.Finding{Link: "http://h/", Result: check.Result{Status: check.Dead}, Places: []check.Place{{Document: "::stop-commands::x.md", Line: 1}}}
	r := &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(f, nil) }}
	var b strings.Builder
	if err := report.Text(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := "dead  http://h/\n    ./::stop-commands::x.md:1\n"; b.String() != want {
		t.Errorf("Text writes %q, want %q", b.String(), want)
	}
}

// Text lists the first five places of a finding, and counts the others.
func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		places int
		want   string
	}{
		{0, ""}, {5, ""}, {6, "    and 1 more place\n"}, {1460, "    and 1455 more places\n"},
	} {
		f := check.Finding{Link: "http://h/", Result: check.Result{Status: check.Dead}}
		var first, all string
		for i := range test.places {
			p := check.Place{Document: "a.md", Line: i + 1}
			f.Places = append(f.Places, p)
			if all += "    " + p.String() + "\n"; i < 5 {
				first = all
			}
		}
		r := &check.Report{Findings: func(yield func(check.Finding, error) bool) { yield(f, nil) }}
		for name, want := range map[string]string{"Text": first + test.want, "FullText": all} {
			write := report.Text
			if name == "FullText" {
				write = report.FullText
			}
			var b strings.Builder
			if err := write(&b, r); err != nil || b.String() != "dead  http://h/\n"+want {
				t.Errorf("%s of %d places = %v, and writes %q, want %q", name, test.places, err, b.String(), want)
			}
		}
	}
}
