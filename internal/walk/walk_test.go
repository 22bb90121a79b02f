package walk_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/internal/glob"
	"locus/internal/walk"
)

func ExampleWalker_Files() {
	w := walk.Walker{Filter: glob.Filter{Include: []string{"*.txt"}}}
	err := w.Files("testdata", func(name string, err error) error {
		fmt.Println(filepath.ToSlash(name), err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// testdata/a.txt <nil>
	// testdata/sub/b.txt <nil>
	// <nil>
}

// newFolder returns a folder with files, whose names are the keys.
func newFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return dir
}

// Files obeys the .gitignore files of the folder, of the folders above and below in the
// repository, and .git/info/exclude. It ignores files outside the repository.
func TestFiles(t *testing.T) {
	dir := newFolder(t, map[string]string{
		".gitignore":             "*.txt\n",
		"repo/.git/info/exclude": "excluded\n",
		"repo/.git/config":       "",
		"repo/.gitignore":        "*.o\nbuild/\n",
		"repo/a.txt":             "",
		"repo/a.o":               "",
		"repo/excluded":          "",
		"repo/build/b.txt":       "",
		"repo/sub/.gitignore":    "!keep.o\n/c.txt\n",
		"repo/sub/keep.o":        "",
		"repo/sub/c.txt":         "",
		"repo/sub/d/c.txt":       "",
	})
	for _, test := range []struct {
		walker walk.Walker
		root   string
		want   string
	}{
		{walk.Walker{}, "repo", ".gitignore a.txt sub/.gitignore sub/d/c.txt sub/keep.o"},
		{walk.Walker{}, "repo/sub", ".gitignore d/c.txt keep.o"},
		{walk.Walker{All: true}, "repo", ".gitignore a.o a.txt build/b.txt excluded sub/.gitignore sub/c.txt sub/d/c.txt sub/keep.o"},
		{walk.Walker{Filter: glob.Filter{Include: []string{"*.txt"}}}, "repo", "a.txt sub/d/c.txt"},
		{walk.Walker{Filter: glob.Filter{Exclude: []string{"sub/", ".*"}}}, "repo", "a.txt"},
		{walk.Walker{}, "repo/sub/../sub/d", "c.txt"},
	} {
		root := filepath.Join(dir, filepath.FromSlash(test.root))
		var found []string
		err := test.walker.Files(root, func(name string, err error) error {
			if err != nil {
				return err
			}
			below, err := filepath.Rel(root, name)
			found = append(found, filepath.ToSlash(below))
			return err
		})
		if got := strings.Join(found, " "); err != nil || got != test.want {
			t.Errorf("%+v finds %q in %s, %v, want %q", test.walker, got, test.root, err, test.want)
		}
	}
}

// The lines after a very long line are still read.
func TestLongLine(t *testing.T) {
	dir := newFolder(t, map[string]string{".git/config": "", ".gitignore": "#" + strings.Repeat("x", 70_000) + "\n*.o\n", "a.o": ""})
	err := walk.Walker{}.Files(dir, func(name string, err error) error {
		if filepath.Base(name) == "a.o" {
			t.Error("it finds a.o, which is ignored")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Files ends with the error that do returns.
func TestFilesEnd(t *testing.T) {
	dir := newFolder(t, map[string]string{"a": "", "b/c": "", "d": ""})
	enough := errors.New("enough")
	n := 0
	err := walk.Walker{}.Files(dir, func(string, error) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if n != 2 || !errors.Is(err, enough) {
		t.Errorf("%d files, %v, want 2, %v", n, err, enough)
	}
}

// Files continues after a folder that cannot be read, and skips entries that are not
// regular files.
func TestFilesGoOn(t *testing.T) {
	dir := newFolder(t, map[string]string{"a/f": "", "b/f": "", "c/f": "", "c/.gitignore/x": ""})
	if err := os.Symlink("..", filepath.Join(dir, "c", "loop")); err != nil {
		t.Skip(err)
	}
	var seen []string
	failed := 0
	err := walk.Walker{}.Files(dir, func(name string, err error) error {
		below, _ := filepath.Rel(dir, name)
		seen = append(seen, filepath.ToSlash(below))
		if name == filepath.Join(dir, "a", "f") { // the folder disappears after it was listed
			return os.RemoveAll(filepath.Join(dir, "b"))
		}
		if err != nil {
			failed++
		}
		return nil
	})
	if want := []string{"a/f", "b", "c/.gitignore/x", "c/f"}; err != nil || failed != 1 || !slices.Equal(seen, want) {
		t.Errorf("Files: %q, %d errors, %v, want %q, 1, nil", seen, failed, err, want)
	}
}

// With Links, a symbolic link to a file is found as that file. Links to folders and broken
// links are not found.
func TestLinks(t *testing.T) {
	dir := newFolder(t, map[string]string{"root/a.txt": "", "root/sub/b.txt": "", "outside.txt": ""})
	for name, to := range map[string]string{
		"b.txt": "a.txt", "c.txt": "../outside.txt", "leads back to an earlier URL": ".", "gone.txt": "none.txt", "self.txt": "self.txt", "sub/d.txt": "../b.txt", "x": "sub",
	} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, "root", filepath.FromSlash(name))); err != nil {
			t.Skip("this system makes no symbolic links:", err)
		}
	}
	for _, test := range []struct {
		links bool
		want  string
	}{
		{false, "a.txt sub/b.txt"},
		{true, "a.txt b.txt c.txt sub/b.txt sub/d.txt"},
	} {
		var all []string
		root := filepath.Join(dir, "root")
		err := walk.Walker{Links: test.links}.Files(root, func(name string, err error) error {
			below, _ := filepath.Rel(root, name)
			all = append(all, filepath.ToSlash(below))
			return err
		})
		if got := strings.Join(all, " "); got != test.want || err != nil {
			t.Errorf("with Links %v the files are %s, %v, want %s", test.links, got, err, test.want)
		}
	}
}
