package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/internal/peers"
)

// skippedMessage matches an element with an attribute that only a later version of the schema allows. The version that
// can be fetched is junit-10.xsd of github.com/jenkinsci/xunit-plugin.
var skippedMessage = regexp.MustCompile(`<skipped message="[^"<]*">`)

// The XML of JUnit is valid by the schema of Jenkins, even if links and reasons contain markup and control characters.
func TestJUnitSchema(t *testing.T) {
	schema := peers.JUnitSchema(t)
	odd := append(slices.Clone(reportedResults), check.Result{URL: "http://h/<&\"'>\x01\xff\n]]>", Status: check.Dead, Reason: "\x00 ]]> <b>"})
	for _, o := range []check.ReportOptions{{All: true}, {}, {All: true, FailOn: []string{"moved", "unchecked"}}} {
		for _, all := range [][]check.Result{odd, nil} {
			var b strings.Builder
			if err := report.JUnit(&b, reported(t, o, all...)); err != nil {
				t.Fatalf("JUnit of %d results with %+v: %v", len(all), o, err)
			}
			if _, err := peers.XMLLint(t, skippedMessage.ReplaceAllString(b.String(), "<skipped>"), "--noout", "--schema", schema); err != nil {
				t.Errorf("with %+v: %v in\n%s", o, err, b.String())
			}
		}
	}
}
