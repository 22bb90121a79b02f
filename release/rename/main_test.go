package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestInSource(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "url"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ in, want string }{
		{`import "locus"`, `import "example.org/locus"`},
		{"import (\n\tx \"locus/url\" // why\n)", "import (\n\tx \"example.org/locus/url\" // why\n)"},
		{`import "locus/gone"`, `import "example.org/locus/gone"`},
		{`import "locust"`, ""},
		{`var name = "locus"`, ""},      // the program
		{`var file = "locus/gone"`, ""}, // not a package
		{`var a, b = "locus/url", "x"`, `var a, b = "example.org/locus/url", "x"`},
		{"// locus/url is a package", ""},
	} {
		in := "package p\n\n" + test.in + "\n"
		want := "package p\n\n" + test.want + "\n"
		if test.want == "" {
			want = in
		}
		got, err := inSource(root, []byte(in), "locus", "example.org/locus")
		if err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v, want %s", in, got, err, want)
		}
	}
}

func TestInModFile(t *testing.T) {
	in := "module locus/bench\n\ngo 1.26\n\nrequire (\n\tlocus v0.0.0\n\texample.com/locus v1.0.0\n)\n\nreplace locus => ../\n"
	want := "module example.org/locus/bench\n\ngo 1.26\n\nrequire (\n\texample.org/locus v0.0.0\n\texample.com/locus v1.0.0\n)\n\nreplace example.org/locus => ../\n"
	if got := inModFile([]byte(in), "locus", "example.org/locus"); string(got) != want {
		t.Errorf("%s becomes\n%s\nwant\n%s", in, got, want)
	}
}

func TestBadName(t *testing.T) {
	for _, name := range []string{"", "a b", "/x", "https://example.org/locus", "-x"} {
		if err := rename("../..", name); err == nil {
			t.Fatalf("the module may be named %q", name)
		}
	}
}

// A renamed copy builds, with its tests and the modules in its folders.
func TestRename(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds everything anew")
	}
	copied := filepath.Join(t.TempDir(), "copy")
	run(t, ".", "git", "clone", "--quiet", "../..", copied)
	if err := rename(copied, "example.org/team/locus"); err != nil {
		t.Fatal(err)
	}
	run(t, copied, "go", "build", "./...")
	run(t, copied, "go", "vet", "./cmd/locus", ".")
	run(t, copied, "go", "test", "-run", "TestImports|TestImporterModules", ".")
	run(t, filepath.Join(copied, "bench"), "go", "vet", ".")
	run(t, filepath.Join(copied, "release"), "go", "vet", "./...")
	if left := run(t, copied, "go", "list", "-deps", "./cmd/locus"); strings.Contains("\n"+left, "\nlocus") {
		t.Errorf("packages have the old name:\n%s", left)
	}
}

func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
