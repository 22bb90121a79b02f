package site

import (
	"strings"
	"testing"
	"testing/fstest"
)

// The folders that a name leads through are found from the root, and names that only resemble them are not.
func TestTree(t *testing.T) {
	files := fstest.MapFS{"a/b/c.html": {}, "a/d": {}}
	for _, test := range []struct {
		name             string
		isFile, isFolder bool
	}{
		{".", false, true},
		{"a", false, true},
		{"a/b", false, true},
		{"a/b/c.html", true, false},
		{"a/d", true, false},
		{"a/d/e", false, false}, // below a file
		{"a/d/e/f", false, false},
		{"A/b/c.html", false, false},
		{"a/b/x", false, false},
		{"x/b/c.html", false, false},
		{"a//d", false, false},
		{"a/../a/d", false, false},
		{"a/d/", false, false},
	} {
		var known tree
		for range 2 { // the second time the folders are known
			if isFile, isFolder := known.isFile(files, test.name), len(known.entries(files, test.name)) > 0; isFile != test.isFile || isFolder != test.isFolder {
				t.Errorf("%q: isFile = %v, isFolder = %v, want %v, %v", test.name, isFile, isFolder, test.isFile, test.isFolder)
			}
		}
	}
}

// A link may lead through very many folders that do not exist. They are neither looked for one by one nor remembered.
func TestTreeMissing(t *testing.T) {
	const segments = 30_000 // of the longest URL that is found in a document
	var known tree
	name := strings.Repeat("x/", segments) + "y"
	if known.isFile(fstest.MapFS{"a/b": {}}, name) || len(known.folders) > 1 {
		t.Errorf("isFile of a name with %d missing folders = true, or it remembers %d folders, want at most the root", segments, len(known.folders))
	}
}
