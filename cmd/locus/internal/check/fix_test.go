package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/checkfiles"
	"locus/cmd/locus/internal/clitest"
)

// A file is rewritten only if it is still as it was shown, and keeps its mode.
func TestSaveRewriting(t *testing.T) {
	for _, tt := range []struct {
		now, want string
		isError   bool
	}{{"before", "after", false}, {"changed", "changed", true}, {"", "", true}} {
		dir := write(t, map[string]string{"a.md": tt.now})
		name := filepath.Join(dir, "a.md")
		if err := os.Chmod(name, 0o604); err != nil {
			t.Fatal(err)
		}
		err := save(testEnv(t, dir), checkfiles.Rewriting{File: "a.md", Before: []byte("before"), After: []byte("after")})
		text, _ := os.ReadFile(name)
		info, _ := os.Stat(name)
		if (err != nil) != tt.isError || string(text) != tt.want || info.Mode().Perm() != 0o604 {
			t.Errorf("save() of a file with %q = %v, and it has %q, %v, want %q", tt.now, err, text, info.Mode(), tt.want)
		}
		if tt.isError && !strings.Contains(err.Error(), `"a.md" has changed meanwhile`) {
			t.Errorf("the error is %v", err)
		}
	}
	if err := save(testEnv(t, t.TempDir()), checkfiles.Rewriting{File: "none.md"}); err == nil {
		t.Error("a file that is gone is saved")
	}
}

// Without a terminal nobody can agree.
func TestAgrees(t *testing.T) {
	if k := (&checker{Env: testEnv(t, t.TempDir())}); k.agrees("Really?") {
		t.Error("without a terminal the answer is yes")
	}
}

// Nothing is said of a fix if no link has moved.
func TestNothingToFix(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "[a](b.md)\n", "b.md": "x"})
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, "--fix", "a.md")
	if status != 0 || stdout != "1 link: 1 good, 0 dead\n" || stderr != "" {
		t.Errorf("check --fix = %d, %q, %q", status, stdout, stderr)
	}
}
