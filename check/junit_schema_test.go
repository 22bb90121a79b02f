//go:build junit_schema

package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/check"
	"locus/internal/peers"
)

// JUnit's XML is valid by the schema of Jenkins, which is in LOCUS_VECTORS as
// junit/junit-10.xsd: src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd of
// github.com/jenkinsci/xunit-plugin. Run it by go test -tags junit_schema.
func TestJUnitSchema(t *testing.T) {
	dir := os.Getenv("LOCUS_VECTORS")
	if dir == "" {
		dir = "../../shared/vectors"
	}
	schema := filepath.Join(dir, "junit", "junit-10.xsd")
	odd := append(slices.Clone(reportedResults), check.Result{URL: "http://h/<&\"'>\x01\xff\n]]>", Status: check.Dead, Reason: "\x00 ]]> <b>"})
	for _, o := range []check.ReportOptions{{All: true}, {}, {All: true, FailOn: []string{"moved", "unchecked"}}} {
		for _, all := range [][]check.Result{odd, nil} {
			var b strings.Builder
			if err := reported(t, o, all...).JUnit(&b); err != nil {
				t.Fatal(err)
			}
			if _, err := peers.XMLLint(t, b.String(), "--noout", "--schema", schema); err != nil {
				t.Errorf("%v of\n%s", err, b.String())
			}
		}
	}
}
