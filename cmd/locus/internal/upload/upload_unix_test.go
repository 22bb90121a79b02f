//go:build linux || darwin || freebsd

package upload

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"locus/access"
	"locus/cmd/locus/internal/cli"
)

// A named pipe is uploaded to its end. The size that the system gives for it is 0.
func TestPutPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, to := filepath.Join(dir, "pipe"), filepath.Join(dir, "to")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var written sync.WaitGroup
	defer written.Wait()
	written.Go(func() {
		if err := os.WriteFile(pipe, []byte("text"), 0o600); err != nil {
			t.Error(err)
		}
	})
	e := cli.NewEnv(os.Stdin, os.Stdout, os.Stderr)
	if err := Run(t.Context(), e, access.Put, []string{pipe, e.FileURL(to).String()}, cli.Access{}, Options{}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "text" {
		t.Errorf("the file has %q, %v, want %q", got, err, "text")
	}
}
