package list

import (
	"net"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
	"locus/demo"
)

// If search results may be incomplete, ls says so, and the hint is to raise --max-hits.
func TestMaxHits(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	search := d.Service("wais").URL + "library?documents"
	for _, test := range []struct {
		args   []string
		lines  int
		stdout string
		stderr string
	}{
		{[]string{"--max-hits=2", search}, 3, "This list has the first 2 documents. There may be more.", "locus: hint: to list more documents, use --max-hits N, such as --max-hits 4\n"},
		{[]string{"--max-hits=100", search}, -1, "", ""},
	} {
		status, stdout, stderr := clitest.Run(t, Ls(), clitest.Input{}, test.args...)
		n := strings.Count(stdout, "\n")
		if status != 0 || stderr != test.stderr || !strings.Contains(stdout, test.stdout) || test.lines >= 0 && n != test.lines || n < 3 {
			t.Errorf("ls %q = %d, %q, %q, want %q and %q", test.args, status, stdout, stderr, test.stdout, test.stderr)
		}
	}
	clitest.Table(t, Ls(), []clitest.Case{{Args: []string{"--max-hits=0", search}, Status: 2, Stderr: "--max-hits"}})
}
