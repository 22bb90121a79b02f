package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Every parser reads a text of any short piece, repeated, in linear time and memory.
func TestWork(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build it with")
	}
	program := filepath.Join(t.TempDir(), "work.exe")
	build := exec.Command("go", "build", "-tags=purego", "-cover", "-covermode=atomic", "-coverpkg=locus/...", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program)
	run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPieces(t *testing.T) {
	n, seen := 0, map[string]bool{}
	for p := range pieces([]string{"a", "b", "c"}, 3) {
		n, seen[p] = n+1, true
	}
	if n != 3+9+27 || len(seen) != n || !seen["cab"] {
		t.Errorf("%d pieces, %d different, want 39", n, len(seen))
	}
}
