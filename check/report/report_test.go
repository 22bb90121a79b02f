package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"testing"
	"time"

	"locus/check"
	"locus/check/report"
)

// reported returns a report of results. Each link is in two documents.
func reported(t *testing.T, o check.ReportOptions, all ...check.Result) *check.Report {
	t.Helper()
	q := report.NewQueue(nil)
	for _, name := range []string{"b.md", "a.md"} {
		s := check.Source{Document: name}
		for i := len(all) - 1; i >= 0; i-- {
			at := check.Link{URL: all[i].URL, Line: 10 * (i + 1), Column: 1}
			s.Links = append(s.Links, at, at) // twice, because a reader may find a link twice
		}
		if err := q.Seed(t.Context(), s, nil); err != nil {
			t.Fatalf("Seed with the links of %s: %v", name, err)
		}
	}
	for _, r := range all {
		if err := q.Done(t.Context(), check.Job{URL: r.URL}, r, check.Found{}); err != nil {
			t.Fatalf("Done(%q): %v", r.URL, err)
		}
	}
	r, err := q.Report(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

var reportedResults = []check.Result{
	{URL: "http://h/moved", Hops: []check.Hop{{To: "http://u:secret@h/1", Permanent: true}, {To: "http://h/2", Permanent: true}, {To: "http://h/3"}, {To: "http://h/4", Permanent: true}}, Tries: 1},
	{URL: "http://h/good", Code: 204, Tries: 2, Known: true, Anchors: []uint64{}},
	{URL: "http://h/dead", Status: check.Dead, Code: 404, Class: check.ClassStatus, Reason: "404 Not Found", Tries: 3, Time: time.Unix(0, 0).UTC(), Duration: 1500 * time.Millisecond},
	{URL: "http://h/deadmoved", Status: check.Dead, Reason: "gone", Hops: []check.Hop{{To: "http://h/5", Permanent: true}}},
	{URL: "http://h/unchecked", Status: check.Unchecked, Reason: "nothing opens it"},
	{URL: "http://h/excluded", Status: check.Excluded, Reason: "not included"},
}

// The text is in the order of links, documents and lines, and contains each place once.
func TestReportText(t *testing.T) {
	r := reported(t, check.ReportOptions{}, reportedResults...)
	const want = `dead  http://h/dead  404 Not Found
    a.md:30:1
    b.md:30:1
dead  http://h/deadmoved  gone; moved permanently to http://h/5
    a.md:40:1
    b.md:40:1
excluded  http://h/excluded  not included
    a.md:60:1
    b.md:60:1
moved  http://h/moved  moved permanently to http://h/2
    a.md:10:1
    b.md:10:1
unchecked  http://h/unchecked  nothing opens it
    a.md:50:1
    b.md:50:1
`
	for range 2 { // a Report can be read again
		var b strings.Builder
		if err := report.Text(&b, r); err != nil || b.String() != want {
			t.Errorf("Text writes\n%s, %v, want\n%s", b.String(), err, want)
		}
	}
	if got, want := r.Summary(), "6 links: 2 good (1 moved), 2 dead, 1 unchecked, 1 excluded"; got != want {
		t.Errorf("Summary() = %q, want %q", got, want)
	}
	if got := reported(t, check.ReportOptions{}, reportedResults[1]).Summary(); got != "1 link: 1 good, 0 dead" {
		t.Errorf("Summary() of one good link = %q", got)
	}
	moves, err := report.Moves(r)
	if got, want := fmt.Sprint(moves, err), "map[http://h/moved:http://h/2] <nil>"; got != want {
		t.Errorf("Moves() = %s, want %s", got, want)
	}
	var b strings.Builder
	if err := report.Text(&b, report.Without(r, check.Excluded)); err != nil || strings.Contains(b.String(), "excluded") || !strings.Contains(b.String(), "unchecked") {
		t.Errorf("Text of Without(%v) writes %s, %v", check.Excluded, b.String(), err)
	}
}

// Each line of JSON has all members in the same order. Since adds the member "change".
func TestReportJSON(t *testing.T) {
	var b strings.Builder
	if err := report.JSON(&b, reported(t, check.ReportOptions{All: true}, reportedResults...)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(reportedResults) {
		t.Fatalf("JSON writes %d lines, want %d: %s", len(lines), len(reportedResults), b.String())
	}
	for i, want := range map[int]string{
		0: `{"url":"http://h/dead","status":"dead","fails":true,"code":404,"class":"status","reason":"404 Not Found","moved":null,"redirects":[],"final_url":"http://h/dead","archived":null,"tries":3,"known":false,"time":"1970-01-01T00:00:00Z","duration_ms":1500,"places":[{"document":"a.md","line":30,"column":1},{"document":"b.md","line":30,"column":1}]}`,
		3: `{"url":"http://h/good","status":"good","fails":false,"code":204,"class":null,"reason":null,"moved":null,"redirects":[],"final_url":"http://h/good","archived":null,"tries":2,"known":true,"time":"0001-01-01T00:00:00Z","duration_ms":0,"places":[{"document":"a.md","line":20,"column":1},{"document":"b.md","line":20,"column":1}]}`,
		4: `{"url":"http://h/moved","status":"good","fails":false,"code":null,"class":null,"reason":null,"moved":"http://h/2","redirects":[{"to":"http://u:xxxxx@h/1","permanent":true},{"to":"http://h/2","permanent":true},{"to":"http://h/3","permanent":false},{"to":"http://h/4","permanent":true}],"final_url":"http://h/4","archived":null,"tries":1,"known":false,"time":"0001-01-01T00:00:00Z","duration_ms":0,"places":[{"document":"a.md","line":10,"column":1},{"document":"b.md","line":10,"column":1}]}`,
	} {
		if lines[i] != want {
			t.Errorf("line %d of the JSON is\n%s\nwant\n%s", i, lines[i], want)
		}
	}
	b.Reset()
	if err := report.JSON(&b, report.Since(reported(t, check.ReportOptions{Also: []string{"http://h/good"}}, reportedResults...), []string{"http://h/good", "http://h/unchecked", "http://h/deadmoved"})); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		var f struct{ URL, Status, Change string }
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("Unmarshal(%q): %v", line, err)
		}
		got = append(got, fmt.Sprint(f))
	}
	if want := "[{http://h/dead dead newly dead} {http://h/good good recovered}]"; fmt.Sprint(got) != want {
		t.Errorf("Since gives the findings %v, want %s", got, want)
	}
}

// In the XML of JUnit, dead links are failures, and unchecked links are skipped.
func TestReportJUnit(t *testing.T) {
	var b strings.Builder
	if err := report.JUnit(&b, reported(t, check.ReportOptions{All: true}, reportedResults...)); err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Other    []xml.Attr `xml:",any,attr"`
		Suite    struct {
			Skipped int `xml:"skipped,attr"`
			Cases   []struct {
				Name    string    `xml:"name,attr"`
				Class   string    `xml:"classname,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &suites); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	fmt.Fprintln(&got, suites.Tests, suites.Failures, suites.Suite.Skipped, len(suites.Other))
	for _, c := range suites.Suite.Cases {
		fmt.Fprintln(&got, strings.TrimPrefix(c.Name, "http://h/"), c.Class, c.Failure != nil, c.Skipped != nil)
	}
	const want = "6 2 2 0\ndead a.md true false\ndeadmoved a.md true false\nexcluded a.md false true\ngood a.md false false\nmoved a.md false false\nunchecked a.md false true\n"
	if got.String() != want {
		t.Errorf("the cases are\n%swant\n%s", got.String(), want)
	}
}

// The new URL of a link keeps the fragment of the link, unless the redirect has a fragment.
func TestMoves(t *testing.T) {
	q := report.NewQueue(nil)
	s := check.Source{Document: "d", Links: []check.Link{{URL: "http://h/a#x"}, {URL: "http://h/b#x"}, {URL: "http://h/b"}, {URL: "http://h/c#x"}}}
	if err := q.Seed(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range []check.Result{
		{URL: "http://h/a", Hops: []check.Hop{{To: "http://h/new", Permanent: true}}, Anchors: []uint64{anchorOf("x")}},
		{URL: "http://h/b", Hops: []check.Hop{{To: "http://h/new#y", Permanent: true}}, Anchors: []uint64{}},
		{URL: "http://h/c", Hops: []check.Hop{{To: "http://h/new", Permanent: true}}, Anchors: []uint64{}},
	} {
		if err := q.Done(t.Context(), check.Job{URL: r.URL, Anchors: true}, r, check.Found{}); err != nil {
			t.Fatalf("Done(%q): %v", r.URL, err)
		}
	}
	r, err := q.Report(t.Context(), check.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	moves, err := report.Moves(r)
	if got, want := fmt.Sprint(moves, err), "map[http://h/a#x:http://h/new#x http://h/b:http://h/new#y http://h/b#x:http://h/new#y] <nil>"; got != want {
		t.Errorf("Moves() = %s, want %s", got, want)
	}
	for f, err := range r.Findings {
		if f.Anchors != nil || err != nil {
			t.Errorf("the finding for %s has the anchors %v, %v, want nil", f.Link, f.Anchors, err)
		}
	}
}

// findings returns the findings of a report.
func findings(t *testing.T, r *check.Report) (all []check.Finding) {
	t.Helper()
	for f, err := range r.Findings {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// All links to one missing page are one finding, whatever their fragments are. The finding is counted once in every
// report.
func TestFragmentsOfMissingPage(t *testing.T) {
	q := report.NewQueue(nil)
	for _, name := range []string{"a.md", "b.md"} {
		s := check.Source{Document: name}
		for i := range 1007 {
			s.Links = append(s.Links, check.Link{URL: fmt.Sprintf("file:///gone#%d", i), Line: i + 1})
		}
		s.Links = append(s.Links, check.Link{URL: "file:///lost#a", Line: 1}, check.Link{URL: "file:///lost", Line: 2}, check.Link{URL: "file:///lost#b", Line: 3})
		s.Links = append(s.Links, check.Link{URL: "file:///page#a"}, check.Link{URL: "file:///page#b"}, check.Link{URL: "file:///page"})
		if err := q.Seed(t.Context(), s, nil); err != nil {
			t.Fatalf("Seed with the links of %s: %v", name, err)
		}
	}
	for u, r := range map[string]check.Result{
		"file:///gone": {Status: check.Dead, Reason: "no such file"},
		"file:///lost": {Status: check.Dead, Reason: "no such file"},
		"file:///page": {Anchors: []uint64{anchorOf("a")}},
	} {
		r.URL = u
		if err := q.Done(t.Context(), check.Job{URL: u, Anchors: true}, r, check.Found{}); err != nil {
			t.Fatalf("Done(%q): %v", u, err)
		}
	}
	for range 2 {
		r, err := q.Report(t.Context(), check.ReportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, f := range findings(t, r) {
			got = append(got, fmt.Sprint(f.Link, " ", len(f.Places)))
		}
		if want := "[file:///gone 2014 file:///lost 6 file:///page#b 2]"; fmt.Sprint(got) != want {
			t.Errorf("the first of %d findings, with the numbers of their places, are %v, want %v", len(got), got[:min(len(got), 5)], want)
		}
		if got, want := r.Summary(), "5 links: 2 good, 3 dead"; got != want {
			t.Errorf("Summary() = %q, want %q", got, want)
		}
		_ = r.Close()
	}
}

// anchorOf returns the hash of an anchor in Result.Anchors.
func anchorOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name)
	return h.Sum64()
}
