package serve

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The documentation is found beside the program as packages and archives install it, also through a
// link to the program.
func TestDocumentation(t *testing.T) {
	for _, test := range []struct {
		program, page string
		want          bool
	}{
		{"usr/bin/locus", "usr/share/doc/locus/html/index.html", true},
		{"locus_0.1.0/locus", "locus_0.1.0/documentation/index.html", true},
		{"usr/bin/locus", "usr/share/doc/locus/html/other.html", false},
		{"usr/bin/locus", "usr/share/doc/index.html", false},
	} {
		dir := t.TempDir()
		for _, name := range []string{test.program, test.page} {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if err := os.WriteFile(name, nil, 0o755); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		program := filepath.Join(dir, filepath.FromSlash(test.program))
		link := filepath.Join(dir, "link")
		if err := os.Symlink(program, link); err != nil {
			link = program // Windows may refuse links
		}
		for _, name := range []string{program, link} {
			pages := documentation(name)
			if (pages != nil) != test.want {
				t.Errorf("documentation(%q) with the page %q = %v, want pages: %t", name, test.page, pages, test.want)
				continue
			}
			if !test.want {
				continue
			}
			if _, err := fs.Stat(pages, "index.html"); err != nil {
				t.Errorf("documentation(%q): %v", name, err)
			}
		}
	}
	if pages := documentation(""); pages != nil {
		t.Errorf(`documentation("") = %v, want nil`, pages)
	}
}
