package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program finds its library, although the library is not installed.
func TestCompile(t *testing.T) {
	source := filepath.Join(t.TempDir(), "version.c")
	const text = `#include <stdio.h>
#include <uriparser/UriBase.h>
int main(void) { return puts(URI_VER_ANSI) < 0; }
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(Compile(t, "uriparser", source, "uriparser")).Output()
	if err != nil || !strings.Contains(string(out), ".") {
		t.Errorf("the program says %q, %v, want uriparser's version", out, err)
	}
}
