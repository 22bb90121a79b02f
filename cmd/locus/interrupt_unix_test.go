//go:build unix

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An interrupted verb cleans up and then dies by the signal, because a shell goes on with its loop if
// the program exits.
func TestDiesBySignal(t *testing.T) {
	asked := make(chan bool, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
	}))
	defer s.Close()
	for _, args := range [][]string{{"get"}, {"cp"}, {"check"}, {"mirror", "tree"}} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			words := append([]string{args[0], s.URL + "/x"}, args[1:]...)
			if args[0] == "cp" {
				words = []string{"cp", s.URL + "/x", filepath.Join(t.TempDir(), "x")}
			}
			command := exec.CommandContext(ctx, "locus", words...)
			command.Dir = t.TempDir()
			var text bytes.Buffer
			command.Stderr = &text
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			<-asked
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait()
			status, _ := command.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != signal || !strings.Contains(text.String(), "locus: interrupted") {
				t.Errorf("locus %q ends with %v after %v, and says %q; want that it dies by the signal", words, command.ProcessState, signal, &text)
			}
		}
	}
}
