package tree

import (
	"slices"
	"testing"

	"locus/url"
)

// PathOf returns the path of a URL below the root of an NFS tree, and At inverts it.
func TestNFSTree(t *testing.T) {
	for _, test := range []struct {
		root, start, url string
		dirs             []string
		name             string
		ok               bool
	}{
		{"nfs://h", "nfs://h/", "nfs://h/a/b", []string{"a"}, "b", true},
		{"nfs://h/", "nfs://h/", "nfs://h/a/", []string{"a"}, "", true},
		{"nfs://h/a", "nfs://h/a/", "nfs://h/a/b%2Fc/d", []string{"b/c"}, "d", true},
		{"nfs://h/a/", "nfs://h/a/", "nfs://h/a/", nil, "", true},
		{"nfs://h/a", "nfs://h/a/", "nfs://h/ab/c", nil, "", false},
		{"nfs://h/a", "nfs://h/a/", "nfs://g/a/c", nil, "", false},
		{"nfs://h/a", "nfs://h/a/", "nfs://h//a/c", nil, "", false},
		{"nfs://h//", "nfs://h//", "nfs://h//a/c", []string{"a"}, "c", true},
		{"nfs://h//a", "nfs://h//a/", "nfs://h//a/c", nil, "c", true},
		{"nfs://h//a", "nfs://h//a/", "ftp://h/a/c", nil, "", false},
	} {
		tree, err := At(url.MustParse(test.root))
		if err != nil {
			t.Fatalf("At(%q): %v", test.root, err)
		}
		dirs, name, ok := tree.PathOf(url.MustParse(test.url))
		if tree.Start.String() != test.start || ok != test.ok || ok && (!slices.Equal(dirs, test.dirs) || name != test.name) {
			t.Errorf("%q in %q (%q): %q, %q, %v", test.url, test.root, tree.Start, dirs, name, ok)
		}
		if !ok {
			continue
		}
		segments := dirs
		if name != "" {
			segments = append(segments, name)
		}
		if at, err := tree.At(segments, name == ""); err != nil || at.String() != test.url {
			t.Errorf("at(%q) in %q = %q, %v", segments, test.root, at, err)
		}
	}
}

func TestNFSParent(t *testing.T) {
	for root, want := range map[string]string{"nfs://h/a/b": "nfs://h/a/", "nfs://h/a/": "nfs://h/", "nfs://h//a": "nfs://h//", "nfs://h/": "", "nfs://h//": ""} {
		got, ok := must(t, root).Parent()
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("parentOf(%q) = %q, %v, want %q", root, got, ok, want)
		}
	}
}

// must returns the tree at a URL.
func must(t *testing.T, root string) Tree {
	t.Helper()
	found, err := At(url.MustParse(root))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
