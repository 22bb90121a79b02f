package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/internal/clitest"
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
		err := rewriting{"a.md", []byte("before"), []byte("after")}.save(testEnv(t, dir))
		text, _ := os.ReadFile(name)
		info, _ := os.Stat(name)
		if (err != nil) != tt.isError || string(text) != tt.want || info.Mode().Perm() != 0o604 {
			t.Errorf("save() of a file with %q = %v, and it has %q, %v, want %q", tt.now, err, text, info.Mode(), tt.want)
		}
		if tt.isError && !strings.Contains(err.Error(), `"a.md" has changed meanwhile`) {
			t.Errorf("the error is %v", err)
		}
	}
	if err := (rewriting{file: "none.md"}).save(testEnv(t, t.TempDir())); err == nil {
		t.Error("a file that is gone is saved")
	}
}

// A file is rewritten once, whatever the number of its names.
func TestFilesOnce(t *testing.T) {
	dir := write(t, map[string]string{"b.md": "x", "c/d.md": "x"})
	if err := os.Symlink("b.md", filepath.Join(dir, "a.md")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	if err := os.Symlink("c", filepath.Join(dir, "e")); err != nil {
		t.Fatal(err)
	}
	k := &checker{Env: testEnv(t, dir)}
	k.reader.files = []string{"c/d.md", "b.md", "gone.md", "e/d.md", "a.md"}
	if got, want := k.filesOnce(), []string{"a.md", "c/d.md", "gone.md"}; !slices.Equal(got, want) {
		t.Errorf("filesOnce() = %q, want %q", got, want)
	}
	if k.agrees("Really?") {
		t.Error("without a terminal the answer is yes")
	}
}

// The diff has no escape sequences of the file, and only lines that change.
func TestShowRewriting(t *testing.T) {
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	k := &checker{Env: testEnv(t, t.TempDir())}
	k.Stderr = stderr
	if err := k.showRewriting([]rewriting{{"a\x1b[2J.md", []byte("1\n2\x1b[2J\n3\n"), []byte("1\n2\n3\n")}, {"b.md", []byte("x"), []byte("y")}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(stderr.Name())
	if got := string(text); err != nil || strings.Contains(got, "\x1b") || !strings.Contains(got, "@@ -2 +2 @@\n") || !strings.HasSuffix(got, "--- b.md\n+++ b.md\n@@ -1 +1 @@\n-x\n+y\n") || strings.Contains(got, "-3") {
		t.Errorf("the diff is %q, %v", got, err)
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
