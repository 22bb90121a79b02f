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
	build := exec.Command("go", "build", "-tags=purego", "-cover", "-covermode=atomic", "-coverpkg=locus/...,bytes,strings", "-o", program, ".")
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

func TestGrow(t *testing.T) {
	blocks := func(n ...uint64) (costs [3]cost) {
		for i := range costs {
			costs[i].blocks = n[i]
		}
		return costs
	}
	for _, test := range []struct {
		name  string
		costs [3]cost
		want  bool
	}{
		{"linear", blocks(10_000, 40_000, 160_000), false},
		{"quadratic", blocks(10_000, 160_000, 2_560_000), true},
		{"a search that ends", blocks(10_000, 60_000, 61_000), false},
		{"too small to tell", blocks(10, 160, 2560), false},
	} {
		if got := grow(test.costs); got != test.want {
			t.Errorf("%s: grow(%+v) = %v, want %v", test.name, test.costs, got, test.want)
		}
	}
}
