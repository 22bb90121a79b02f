package house_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program that imports a package needs only these other modules. Each adds two lines to
// its go.sum.
func TestImporterModules(t *testing.T) {
	for _, test := range []struct {
		pkg  string
		want []string
	}{
		{"./url", nil},
		{"./scheme", nil},
		{"./access", nil},
		{".", []string{"golang.org/x/crypto", "golang.org/x/net", "golang.org/x/sys", "golang.org/x/text"}},
	} {
		if got := dependencies(t, test.pkg, "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}"); !slices.Equal(got, test.want) {
			t.Errorf("%s is built from the modules %q, want %q", test.pkg, got, test.want)
		}
	}
}

// dependencies formats each package that pkg is built from, and returns the sorted texts.
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

// The command does not contain packages that are only for tests, or that slow down its
// start.
func TestCommandPackages(t *testing.T) {
	all := dependencies(t, "locus/cmd/locus", "{{.ImportPath}}")
	for _, unwanted := range []string{"golang.org/x/net/html", "golang.org/x/net/webdav", "github.com/yuin/goldmark", "testing", "expvar", "net/http/pprof"} {
		if slices.Contains(all, unwanted) {
			t.Errorf("the command imports %s, which is for tests or slows down its start", unwanted)
		}
	}
}
