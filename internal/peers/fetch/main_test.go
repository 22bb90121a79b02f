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

// A peer is fetched again only if its list of packages changes.
func TestFetchAllLeavesWhatIsThere(t *testing.T) {
	folder, fetched := t.TempDir(), 0
	fetch := func(folder string, p peers.Peer) ([]string, error) {
		fetched++
		work := t.TempDir()
		if err := os.WriteFile(filepath.Join(work, fmt.Sprint("from-fetch-", fetched)), nil, 0o600); err != nil {
			return nil, err
		}
		return nil, replaceTree(work, folder, p)
	}
	for _, test := range []struct {
		packages string
		fetched  int
	}{{"nginx", 1}, {"nginx", 1}, {"nginx nginx-webdav", 2}, {"nginx nginx-webdav", 2}} {
		all := []peers.Peer{{Name: "server", Packages: strings.Fields(test.packages)}}
		if err := fetchAll(folder, all, fetch); err != nil || fetched != test.fetched {
			t.Errorf("%s: fetched %d times, %v, want %d", test.packages, fetched, err, test.fetched)
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, "server*", "from-*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "from-fetch-2" {
		t.Errorf("the files %q are there, %v, want those of the second time", left, err)
	}
}

// A failed fetch is retried with growing pauses, and is an error in the end. Without apt it
// is an error at once.
func TestFetchAllTriesAgain(t *testing.T) {
	passing := errors.New("the registry is away")
	for _, test := range []struct {
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
					if n++; n <= test.fails {
						return nil, fmt.Errorf("apt-get: %w", test.err)
					}
				}
				return nil, nil
			})
			if got := strings.Join(tried, " "); got != test.want || (err != nil) != test.failed || test.failed && !errors.Is(err, test.err) {
				t.Errorf("%s: it tries %s, %v, want %s", test.name, got, err, test.want)
			}
			if took := time.Since(start); took != test.took {
				t.Errorf("%s: it waits %v, want %v", test.name, took, test.took)
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
