package file

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"locus/url"
)

// A directory has one path, whatever links lead to it, even if the last part of the path does not
// exist.
func TestRealPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{"link": "real", "link/new/deep": "real/new/deep", "real": "real", "none/x": "none/x"} {
		if got := RealPath(filepath.Join(dir, name)); got != filepath.Join(dir, want) {
			t.Errorf("RealPath(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPathOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of Unix")
	}
	for text, want := range map[string]string{
		"file:///a/b%20c/": "/a/b c/", "file://localhost/a": "/a", "file:/a": "/a", "file://other/a": "", "ftp://h/a": "", "file:///a%00": "",
	} {
		if got := PathOf(url.MustParse(text)); filepath.Clean("/"+got) != filepath.Clean("/"+want) || (got == "") != (want == "") {
			t.Errorf("PathOf(%s) = %q, want %q", text, got, want)
		}
	}
}
