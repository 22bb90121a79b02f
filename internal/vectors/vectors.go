// Package vectors finds the test suites of other projects and the lists of URLs that tests read.
//
// They are in the folder $LOCUS_VECTORS, by default ../shared/vectors beside the checkout. Without
// that folder, tests read the suites of [Modules], which `make peers` fetches. The other tests are
// skipped then, also in CI, because no registry has their data.
package vectors

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/internal/fetched"
)

// A Module is a version of a Go module whose zip has suites.
type Module struct {
	Path, Version string
	Folder        string   // of the suites in the module
	Files         []string // their names
}

// Modules returns the modules that have suites of the web-platform-tests.
func Modules() []Module {
	return []Module{
		{"github.com/nlnwa/whatwg-url", "v0.6.2", "testdata", []string{"urltestdata.json", "setters_tests.json"}},
		{"github.com/dunglas/go-urlpattern", "v1.0.0", "testdata", []string{"urlpatterntestdata.json"}},
	}
}

// Fetched returns the folder of the suites that `make peers` has fetched. It has the same structure as
// the folder of [Folder].
func Fetched() string { return filepath.Join(fetched.Folder(), "vectors") }

// Suites is the folder of the suites of Modules, below the folder of the vectors.
const Suites = "wpt"

// unpublished marks the reason of a skip if no registry has the data. Command tests accepts it in CI.
const unpublished = "no registry has the data: "

// Folder returns the path of the folder of the vectors. ok is false if the folder does not exist.
func Folder() (folder string, ok bool) {
	folder = os.Getenv("LOCUS_VECTORS")
	if folder == "" {
		folder = filepath.Join(checkout(), "..", "shared", "vectors")
	}
	info, err := os.Stat(folder)
	return folder, err == nil && info.IsDir()
}

// checkout returns the folder of the module: the nearest folder with a go.mod, from the folder of the
// test upwards.
func checkout() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// Path returns the path of a file of the vectors, such as "wpt/toascii.json". name may begin with
// "../", because the folder of the vectors is beside others. Without the folder, it returns the path
// of the file that `make peers` has fetched. If the file does not exist, the test is skipped.
func Path(t testing.TB, name string) string {
	t.Helper()
	folder, ok := Folder()
	if file := filepath.Join(folder, filepath.FromSlash(name)); exists(file) {
		return file
	}
	switch {
	case ok:
		t.Skipf("vectors: %s does not have %s", folder, name)
	case !isPublished(name):
		t.Skipf("vectors: %s%s: set LOCUS_VECTORS", unpublished, name)
	}
	file := filepath.Join(Fetched(), filepath.FromSlash(name))
	if !exists(file) {
		t.Skipf("vectors: %s is not in %s: run `make peers`", name, Fetched())
	}
	return file
}

// Read returns the content of the file of the vectors at [Path]. If it cannot be read, the test fails.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatalf("vectors: %v", err)
	}
	return text
}

// IsFetched reports whether the folder of the vectors is missing, so that tests read the suites of
// [Modules], which are older and have fewer cases.
func IsFetched() bool {
	_, ok := Folder()
	return !ok
}

// isPublished reports whether one of Modules has the file of the vectors with this name.
func isPublished(name string) bool {
	suite, ok := strings.CutPrefix(name, Suites+"/")
	return ok && slices.ContainsFunc(Modules(), func(m Module) bool { return slices.Contains(m.Files, suite) })
}

// exists reports whether there is a file or folder with this path.
func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
