package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// The script of the GitHub Action fetches a release, checks it, and reports a dead link beside the
// file and in the summary. It does not run a program whose checksum is wrong.
func TestActionScript(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "tar", "shasum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the test needs %s: %v", tool, err)
		}
	}
	script, err := filepath.Abs("../../action/check.sh")
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("locus_0.1.0_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	program, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	// The script must find neither the test's own locus nor one that is installed on this machine.
	folders := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "locus"))
		return err == nil
	})
	path := strings.Join(folders, string(filepath.ListSeparator))
	archive := packed(t, "#!/bin/sh\nexec '"+program+"' \"$@\"\n")
	sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(archive), name)
	for _, test := range []struct {
		what, version, checksums string
		status                   int
		stderr                   string
	}{
		{"a dead link", "v0.1.0", sum, 1, "::error file=a.md,line=1,col=5,title=dead link::"},
		{"a wrong checksum", "v0.1.0", strings.Repeat("0", 64) + "  " + name + "\n", 2, "locus: the checksum of " + name + " is wrong\n"},
		{"no checksum", "v0.1.0", "", 2, "locus: the checksum of " + name + " is wrong\n"},
		{"no release", "v0.2.0", sum, 2, "locus: cannot fetch locus_0.2.0_"},
		{"no version", "main", sum, 2, "locus: no release is named"},
	} {
		t.Run(test.what, func(t *testing.T) {
			files := map[string]string{
				"/o/locus/releases/download/v0.1.0/" + name:                   string(archive),
				"/o/locus/releases/download/v0.1.0/locus_0.1.0_checksums.txt": test.checksums,
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, ok := files[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(text))
			}))
			defer server.Close()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("[a](none.md)\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("[b](b.md)\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "bash", script)
			cmd.Dir = dir
			summary := filepath.Join(dir, "summary")
			cmd.Env = []string{
				"PATH=" + path, "HOME=" + dir, "TMPDIR=" + dir, "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + summary,
				"LOCUS_PATHS=b.md\n  a.md\n", "LOCUS_ARGS=\n--retries 0\n--jobs 1", "LOCUS_VERSION=" + test.version, "LOCUS_REPOSITORY=" + server.URL + "/o/locus",
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // the status is checked below
			if got := cmd.ProcessState.ExitCode(); got != test.status || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("the script ended with %d, want %d, and wrote\n%s%s, want %q", got, test.status, &stdout, &stderr, test.stderr)
			}
			text, _ := os.ReadFile(summary)
			if test.status == 1 && !strings.Contains(string(text), "| dead |") {
				t.Errorf("the script wrote the summary %q", text)
			}
		})
	}
}

// packed returns a release: an archive with a program.
func packed(t *testing.T, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "locus", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Write([]byte(program))
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
