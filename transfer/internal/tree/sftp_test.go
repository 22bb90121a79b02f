package tree

import (
	"slices"
	"testing"

	"locus/url"
)

// PathOf returns the path of a URL below the root of an SFTP tree, and At inverts it. Entry adds the login.
func TestSFTPTree(t *testing.T) {
	for _, test := range []struct {
		root, start, url string
		dirs             []string
		name             string
		ok               bool
	}{
		{"sftp://h", "sftp://h/", "sftp://h/a/b", []string{"a"}, "b", true},
		{"sftp://h/a", "sftp://h/a/", "sftp://h/a/b%2Fc/d", []string{"b/c"}, "d", true},
		{"sftp://h//a/", "sftp://h/a/", "sftp://h/a/", nil, "", true},
		{"sftp://h/a", "sftp://h/a/", "sftp://h/ab/c", nil, "", false},
		{"sftp://h/a", "sftp://h/a/", "sftp://g/a/c", nil, "", false},
		{"sftp://h/a", "sftp://h/a/", "sftp://h/~/a/c", nil, "", false},
		{"sftp://h/~", "sftp://h/~/", "sftp://h/~/a/c", []string{"a"}, "c", true},
		{"sftp://h/~/a", "sftp://h/~/a/", "sftp://h/~/a/c", nil, "c", true},
		{"sftp://h/a", "sftp://h/a/", "ftp://h/a/c", nil, "", false},
	} {
		tree := must(t, test.root)
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
	const root = "sftp://u:p;fingerprint=f@h/a"
	if got := must(t, root).Entry(url.MustParse("sftp://u;fingerprint=f@h/a/b")).String(); got != root+"/b" {
		t.Errorf("the entry of %q has the URL %q, want the password too", root, got)
	}
}

func TestSFTPParent(t *testing.T) {
	for root, want := range map[string]string{"sftp://h/a/b": "sftp://h/a/", "sftp://h/a/": "sftp://h/", "sftp://h/~/a": "sftp://h/~/", "sftp://h/": "", "sftp://h/~": ""} {
		got, ok := must(t, root).Parent()
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("parentOf(%q) = %q, %v, want %q", root, got, ok, want)
		}
	}
}
