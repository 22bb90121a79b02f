package tree

import (
	"slices"
	"testing"

	"locus/url"
)

// The files of a titan tree get the token of the root, and not its media type or size.
func TestTitan(t *testing.T) {
	for _, test := range []struct {
		root, start, file, dir string
	}{
		{"titan://h", "titan://h/", "titan://h/a%2Fb/c", "titan://h/a%2Fb/c/"},
		{"titan://h/x;mime=text/plain;size=7;token=t", "titan://h/x/;token=t", "titan://h/x/a%2Fb/c;token=t", "titan://h/x/a%2Fb/c/;token=t"},
		{"titan://h/x/", "titan://h/x/", "titan://h/x/a%2Fb/c", "titan://h/x/a%2Fb/c/"},
	} {
		tree, err := WritableAt(url.MustParse(test.root), "written")
		if err != nil {
			t.Errorf("WritableAt(%q) = %v", test.root, err)
			continue
		}
		file, _ := tree.At([]string{"a/b", "c"}, false)
		dir, _ := tree.At([]string{"a/b", "c"}, true)
		if tree.Start.String() != test.start || file.String() != test.file || dir.String() != test.dir {
			t.Errorf("the tree at %q starts at %s, with the file %s and the directory %s, want %s, %s and %s", test.root, tree.Start, file, dir, test.start, test.file, test.dir)
		}
		dirs, name, ok := tree.PathOf(file)
		if !ok || name != "c" || !slices.Equal(dirs, []string{"a/b"}) {
			t.Errorf("the tree at %q finds %s at %q, %q, %v", test.root, file, dirs, name, ok)
		}
	}
}
