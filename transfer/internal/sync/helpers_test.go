package sync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/transfer/internal/tree"
	"locus/url"
)

// tempRoot returns a folder as an os.Root, and its name.
func tempRoot(t testing.TB) (*os.Root, string) {
	t.Helper()
	name := t.TempDir()
	root, err := os.OpenRoot(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, name
}

// fill writes files by name. A name that ends in a slash is a directory.
func fill(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		if err := os.Chtimes(full, when, when); err != nil {
			t.Fatal(err)
		}
	}
}

// mustTree returns the tree at a URL.
func mustTree(t *testing.T, root string) tree.Tree {
	t.Helper()
	found, err := tree.At(url.MustParse(root))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
