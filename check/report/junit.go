package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"locus/check"
	"locus/internal/render"
)

type (
	junitCase struct {
		XMLName xml.Name      `xml:"testcase"`
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a report in the XML format of JUnit (junit-10.xsd of Jenkins), with a test case for each finding. The
// class of the test case is the first document that contains the link. A link that fails is a failure. A link that does
// not fail, but is neither good nor moved, is skipped. The text of both contains the places of the link.
func JUnit(w io.Writer, r *check.Report) error {
	tests, failures, skipped := 0, 0, 0
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		tests++
		switch {
		case f.Fails:
			failures++
		case f.Status != check.Good:
			skipped++
		}
	}
	counts := fmt.Sprintf(`tests="%d" failures="%d" errors="0"`, tests, failures)
	if _, err := fmt.Fprintf(w, "%s<testsuites %s>\n  <testsuite name=\"links\" %s skipped=\"%d\">\n", xml.Header, counts, counts, skipped); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("    ", "  ")
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if err := enc.Encode(caseOf(f)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n  </testsuite>\n</testsuites>\n")
	return err
}

// caseOf returns the test case for a finding: failed if it fails, passed if it is good or moved, and otherwise skipped.
func caseOf(f check.Finding) junitCase {
	c := junitCase{Name: cmp.Or(f.Relative, render.Redacted(f.Link)), Class: "links"}
	var places []string
	for _, p := range f.Places {
		places = append(places, p.String())
	}
	if len(f.Places) > 0 {
		c.Class = render.Redacted(f.Places[0].Document)
	}
	m := &junitMessage{Message: f.Explain(), Text: strings.Join(places, "\n")}
	switch {
	case f.Fails:
		c.Failure = m
	case f.Status != check.Good:
		c.Skipped = m
	}
	return c
}
