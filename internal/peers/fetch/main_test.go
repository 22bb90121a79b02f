package main

import (
	"os"
	"path/filepath"
	"testing"

	"locus/internal/peers"
)

// What is there already is not fetched again: no package of this name exists.
func TestFetchAllLeavesWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	all := []peers.Peer{{Name: "server", Packages: []string{"no such package"}}}
	if err := os.Mkdir(filepath.Join(folder, "server"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := fetchAll(folder, all); err != nil {
		t.Errorf("fetchAll = %v, want nil", err)
	}
}

// A program that is not there is an error, not a success.
func TestRunFails(t *testing.T) {
	if err := run(filepath.Join(t.TempDir(), "no-such-program"), "x"); err == nil {
		t.Error("run of a program that is not there = nil, want an error")
	}
}
