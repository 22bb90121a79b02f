package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// api.sh compares the stable packages with the last tag. Without a tag it prints a message.
func TestAPI(t *testing.T) {
	folder := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := write(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=test", "-c", "user.email=test@example.org"}, args...)
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	compare := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "release/api.sh"))
		cmd.Env = append(os.Environ(), "APIDIFF="+apidiff(t), "GOFLAGS=")
		out, err := cmd.Output() // stderr may have the downloads of the go command
		return string(out), err
	}
	script, err := os.ReadFile("api.sh")
	if err != nil {
		t.Fatal(err)
	}
	put("release/api.sh", string(script))
	put("go.mod", "module locus\n\ngo 1.26\n")
	for _, name := range []string{"url", "scheme", "access"} {
		put(name+"/"+name+".go", "package "+name+"\n\nfunc F() {}\n")
	}
	put("locus.go", "package locus\n\nfunc F() {}\n")
	git("init", "--quiet")
	git("add", "--all")
	git("commit", "--quiet", "--message", "first")
	if out, err := compare(); err != nil || !strings.Contains(out, "there is no tag") {
		t.Errorf("without a tag: %v, %s", err, out)
	}

	git("tag", "v0.1.0")
	put("locus.go", "package locus\n\nfunc F() {}\n\nfunc G() {}\n")
	if out, err := compare(); err != nil || out != "" {
		t.Errorf("with a new function: %v, %s", err, out)
	}
	put("locus.go", "package locus\n\nfunc G() {}\n")
	put("scheme/scheme.go", "package scheme\n\nfunc F(int) {}\n")
	out, err := compare()
	for _, want := range []string{"scheme, since v0.1.0:\n", "locus, since v0.1.0:\n", "F: removed"} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("without a function: %v, %s; want %q", err, out, want)
		}
	}
}

// apidiff returns the command for apidiff in Makefile.
func apidiff(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, command, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "APIDIFF" {
			return strings.TrimSpace(command)
		}
	}
	t.Fatal("Makefile has no APIDIFF")
	return ""
}
