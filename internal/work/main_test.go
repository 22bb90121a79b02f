package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"locus/extract/document"
)

// A text of any short piece, repeated, is read in linear time.
func TestWork(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build it with")
	}
	program := filepath.Join(t.TempDir(), "work.exe")
	build := exec.Command("go", "build", "-tags=purego", "-cover", "-covermode=atomic",
		"-coverpkg=locus/internal/work,locus/extract/...,locus/url", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for m := range alphabets {
		t.Run(m.String(), func(t *testing.T) {
			depth := 1
			if m == document.Text {
				depth = 2
			}
			run := exec.Command(program, "-mode", m.String(), "-depth", strconv.Itoa(depth))
			run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
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
