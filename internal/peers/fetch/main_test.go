package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/internal/peers"
)

// A peer with a folder is not fetched again: no package of this name exists.
func TestFetchAllLeavesWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	all := []peers.Peer{{Name: "server", Packages: []string{"no such package"}}}
	if err := os.Mkdir(filepath.Join(folder, "server"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fetchAll(folder, all, fetch); err != nil {
		t.Errorf("fetchAll = %v, want nil", err)
	}
}

// A failed fetch is retried with growing pauses, and at last is an error. Without apt
// it is one at once.
func TestFetchAllTriesAgain(t *testing.T) {
	passing := errors.New("the registry is away")
	for _, tt := range []struct {
		name   string
		fails  int // how often b cannot be fetched
		err    error
		want   string
		failed bool
		took   time.Duration
	}{
		{"never", 0, passing, "a b c", false, 0},
		{"twice", 2, passing, "a b c b b", false, 15 * time.Second},
		{"always", 9, passing, "a b c b b b b", true, 75 * time.Second},
		{"no apt", 9, exec.ErrNotFound, "a b c", true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var tried []string
			n, start := 0, time.Now()
			err := fetchAll(t.TempDir(), []peers.Peer{{Name: "a"}, {Name: "b"}, {Name: "c"}}, func(_ string, p peers.Peer) ([]string, error) {
				tried = append(tried, p.Name)
				if p.Name == "b" {
					if n++; n <= tt.fails {
						return nil, fmt.Errorf("apt-get: %w", tt.err)
					}
				}
				return nil, nil
			})
			if got := strings.Join(tried, " "); got != tt.want || (err != nil) != tt.failed || tt.failed && !errors.Is(err, tt.err) {
				t.Errorf("%s: it tries %s, %v, want %s", tt.name, got, err, tt.want)
			}
			if took := time.Since(start); took != tt.took {
				t.Errorf("%s: it waits %v, want %v", tt.name, took, tt.took)
			}
		})
	}
}

// A missing program is an error.
func TestRunFails(t *testing.T) {
	if err := run(filepath.Join(t.TempDir(), "no-such-program"), "x"); err == nil {
		t.Error("run of a program that is not there = nil, want an error")
	}
}
