package house_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The modules that a program needs if it imports a package. Each is two lines of its
// go.sum.
func TestImporterModules(t *testing.T) {
	for _, test := range []struct {
		pkg  string
		want []string
	}{
		{"./url", nil},
		{"./scheme", nil},
		{"./access", nil},
		{".", []string{"golang.org/x/net", "golang.org/x/sys", "golang.org/x/text"}},
	} {
		if got := dependencies(t, test.pkg, "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}"); !slices.Equal(got, test.want) {
			t.Errorf("%s is built from the modules %q, want %q", test.pkg, got, test.want)
		}
	}
}

// dependencies returns what a format makes of each package that a package is built from,
// sorted.
func dependencies(t *testing.T, pkg, format string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, pkg).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	all := strings.Fields(string(out))
	slices.Sort(all)
	return slices.Compact(all)
}

// The command is not built from packages that are for tests, or take long to start.
func TestCommandPackages(t *testing.T) {
	all := dependencies(t, "locus/cmd/locus", "{{.ImportPath}}")
	for _, unwanted := range []string{"golang.org/x/net/html", "github.com/yuin/goldmark", "testing", "expvar", "net/http/pprof"} {
		if slices.Contains(all, unwanted) {
			t.Errorf("the command is built from %s", unwanted)
		}
	}
}
