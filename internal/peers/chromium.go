package peers

import (
	"os/exec"
	"testing"
)

// Chromium returns the program of the installed browser, of any version. It is too
// large to be unpacked for tests. Without one the test is skipped; with CI=true it
// fails.
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
