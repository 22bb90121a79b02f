package peers

import (
	"os/exec"
	"testing"
)

// Chromium returns the name of the browser's program, of any version, which is
// installed on the machine: it is too large to be unpacked for tests alone.
// Without one it ends the test: skipped, or failed where CI=true.
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "peers: there is no chromium: apt-get install chromium")
	return ""
}
