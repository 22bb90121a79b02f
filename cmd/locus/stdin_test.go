package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command that reads stdin obeys --max-time and interrupts while it waits for input.
func TestStdinStalls(t *testing.T) {
	for _, test := range []struct {
		args      string
		begun     string // the input before the silence
		interrupt bool
		want      string
	}{
		{"send --dry-run --max-time 20ms", "", false, "not sent after 20ms"},
		{"send --dry-run --max-time 20ms -", "From: a@b.example\n", false, "not sent after 20ms"},
		{"send --dry-run --max-time 20ms -", "From: a@b.example\nTo: c@d.example\n\nhalf\n", false, "not sent after 20ms"},
		{"put --max-time 20ms - nntp://127.0.0.1:1119/misc.test", "Subject: x\n", false, "timed out after 20ms"},
		{"send --dry-run", "", true, "interrupted"},
		{"put - nntp://127.0.0.1:1119/misc.test", "", true, "interrupted"},
		{"check -", "", true, "interrupted"},
	} {
		stdin, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		w.WriteString(test.begun)
		stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if test.interrupt {
			cancel()
		}
		status := program().Run(ctx, testEnv(stdin, stderr, stderr), append([]string{"locus"}, strings.Fields(test.args)...))
		cancel()
		got, err := os.ReadFile(stderr.Name())
		if status != 1 || err != nil || !bytes.Contains(got, []byte(test.want)) {
			t.Errorf("locus %s ends with %d, %q, %v, want %q", test.args, status, got, err, test.want)
		}
		w.Close() // so that the goroutine that reads stdin ends
		stdin.Close()
		stderr.Close()
	}
}
