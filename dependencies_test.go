package locus_test

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
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", test.pkg).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", test.pkg, err)
		}
		got := strings.Fields(string(out))
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, test.want) {
			t.Errorf("%s is built from the modules %q, want %q", test.pkg, got, test.want)
		}
	}
}
