package peers

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// JUnitSchema returns the path of a file with version 4 of Jenkins' XML Schema for JUnit
// reports. The schema is in the test data of kubeconform, a Go module, which is fetched if the
// module cache lacks it. If that fails the test is skipped; with CI=true it fails.
func JUnitSchema(t testing.TB) string {
	t.Helper()
	schema, err := os.ReadFile(filepath.Join(module(t, "github.com/yannh/kubeconform@v0.6.7"), "fixtures", "junit.xsd"))
	check(t, err)
	return write(t, Shared(t), "junit.xsd", string(schema)) // the user nobody cannot read the module cache
}

// module returns the folder of a Go module in the module cache, and fetches the module if
// necessary. name is "path@version". The go command checks its sum. If that fails the test is
// skipped; with CI=true it fails.
func module(t testing.TB, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", name)
	cmd.Dir = t.TempDir() // outside of a module, so that a go.sum does not change
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &found); err != nil || jsonErr != nil {
		missing(t, "peers: the module %s cannot be had: %v %s", name, err, found.Error)
	}
	return found.Dir
}
