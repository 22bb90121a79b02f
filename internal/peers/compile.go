package peers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Compile builds a program of one source file, C or C++ by its name, with libraries
// that `make peers` unpacked for the named peer, and returns the program's file.
// Without a compiler the test is skipped; with CI=true it fails.
func Compile(t testing.TB, name, source string, libs ...string) string {
	t.Helper()
	dir := tree(t, name)
	compiler, args := "cc", []string{"-O1"}
	if strings.HasSuffix(source, ".cpp") {
		compiler, args = "c++", []string{"-O1", "-std=c++17"}
	}
	if _, err := exec.LookPath(compiler); err != nil {
		missing(t, "peers: no compiler to use %s with: %v", name, err)
	}
	program := filepath.Join(t.TempDir(), name)
	args = append(args, "-o", program, "-I"+filepath.Join(dir, "usr/include"), source)
	for _, d := range libraries(dir) {
		args = append(args, "-L"+d, "-Wl,-rpath,"+d)
	}
	for _, lib := range libs {
		args = append(args, "-l"+lib)
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("peers: %s %s: %v\n%s", compiler, source, err, out)
	}
	return program
}
