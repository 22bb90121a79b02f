package clitest

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build builds the command as the file "locus" in dir, and returns the path of that file. It builds
// without the race detector, because a process with the race detector needs three times as long to
// start.
//
// It uses go run, because go run keeps the linked program in the build cache, and go build does
// not.
func Build(dir string) (file string, err error) {
	file = filepath.Join(dir, "locus")
	out, err := exec.Command("go", "run", "-trimpath", "-exec", "cp", "locus/cmd/locus", file).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go run: %w\n%s", err, out)
	}
	return file, nil
}
