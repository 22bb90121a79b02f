package list

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// A file or folder that is typed as a path has a hint with its URL, which works.
func TestPathHint(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b.md"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(dir).String()
	for _, test := range []struct{ arg, hint string }{
		{".", "hint: for the file or folder on this machine, write " + at + "\n"},
		{"./a%20b.md", "hint: a URL starts with its scheme"},
		{"a b.md", "hint: for the file or folder on this machine, write " + at + "/a%20b.md\n"},
		{"none.md", "hint: a URL starts with its scheme"},
	} {
		status, _, stderr := clitest.Run(t, Ls(), clitest.Input{Dir: dir}, test.arg)
		if status != 1 || !strings.Contains(stderr, test.hint) {
			t.Errorf("ls %q = %d, %q, want 1, %q", test.arg, status, stderr, test.hint)
		}
	}
}
