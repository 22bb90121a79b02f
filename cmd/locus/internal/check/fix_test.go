package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/checkfiles"
	"locus/cmd/locus/internal/clitest"
)

// save rewrites a file only if it is unchanged since the diff was shown, and keeps the file's mode.
func TestSaveRewriting(t *testing.T) {
	for _, test := range []struct {
		now, want string
		isError   bool
	}{{"before", "after", false}, {"changed", "changed", true}, {"", "", true}} {
		dir := write(t, map[string]string{"a.md": test.now})
		name := filepath.Join(dir, "a.md")
		if err := os.Chmod(name, 0o604); err != nil {
			t.Fatalf("%q: %v", test.now, err)
		}
		err := save(testEnv(t, dir), checkfiles.Rewriting{File: "a.md", Before: []byte("before"), After: []byte("after")})
		text, _ := os.ReadFile(name)
		info, _ := os.Stat(name)
		if (err != nil) != test.isError || string(text) != test.want || info.Mode().Perm() != 0o604 {
			t.Errorf("save() of a file with %q = %v; then the file has %q, %v, want %q", test.now, err, text, info.Mode(), test.want)
		}
		if test.isError && !strings.Contains(err.Error(), `"a.md" changed in the meantime`) {
			t.Errorf("save() of a file with %q = %v", test.now, err)
		}
	}
	if err := save(testEnv(t, t.TempDir()), checkfiles.Rewriting{File: "none.md"}); err == nil {
		t.Error("save() of a deleted file = nil, want an error")
	}
}

// Without a terminal, nobody can agree.
func TestAgrees(t *testing.T) {
	if k := (&checker{Env: testEnv(t, t.TempDir())}); k.agrees("Really?") {
		t.Error("agrees() without a terminal = true")
	}
}

// --fix prints no message if no link has moved.
func TestNothingToFix(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "[a](b.md)\n", "b.md": "x"})
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, "--fix", "a.md")
	if status != 0 || stdout != "1 link: 1 good, 0 dead\n" || stderr != "" {
		t.Errorf("check --fix = %d, %q, %q", status, stdout, stderr)
	}
}
