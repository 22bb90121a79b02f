package list

import (
	"net"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
	"locus/demo"
)

// A list of search results that may be incomplete says so, and --max-hits sets how long
// it may be.
func TestMaxHits(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	search := d.Service("wais").URL + "library?documents"
	for _, tt := range []struct {
		args   []string
		lines  int
		stdout string
		stderr string
	}{
		{[]string{"--max-hits=2", search}, 3, "These are the first 2 documents. There may be more.", "locus: hint: --max-hits N lists more documents, such as --max-hits 4\n"},
		{[]string{"--max-hits=100", search}, -1, "", ""},
	} {
		status, stdout, stderr := clitest.Run(t, Ls(), clitest.Input{}, tt.args...)
		n := strings.Count(stdout, "\n")
		if status != 0 || stderr != tt.stderr || !strings.Contains(stdout, tt.stdout) || tt.lines >= 0 && n != tt.lines || n < 3 {
			t.Errorf("ls %q = %d, %q, %q, want %q and %q", tt.args, status, stdout, stderr, tt.stdout, tt.stderr)
		}
	}
	clitest.Table(t, Ls(), []clitest.Case{{Args: []string{"--max-hits=0", search}, Status: 2, Stderr: "--max-hits"}})
}
