package file_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/file"
	"locus/url"
)

// tree returns a new directory like /afs, with two cells.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cell.example/pub/a b.txt":  "alpha",
		"cell.example/pub/sub/c":    "gamma",
		"other.example/d.txt":       "delta",
		"not a cell/x":              "x",
		"cell.example/user/e%f?.md": "epsilon",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // a test
			t.Fatalf("%q: %v", name, err)
		}
	}
	return dir
}

// read returns the bytes of the resource that a URL names.
func read(t *testing.T, e access.Engine, text string) (string, error) {
	t.Helper()
	r, err := e.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

// Each form of an afs URL reads the file in the tree.
func TestAFS(t *testing.T) {
	afs := file.AFS{Folder: tree(t)}
	for text, want := range map[string]string{
		"afs://cell.example/pub/a%20b.txt":    "alpha",
		"afs:/afs/cell.example/pub/a%20b.txt": "alpha",
		"afs:/cell.example/pub/a%20b.txt":     "alpha",
		"afs:///other.example/d.txt":          "delta",
		"afs://cell.example/pub":              "afs://cell.example/pub/a%20b.txt\r\nafs://cell.example/pub/sub/\r\n",
		"afs:/cell.example/pub/":              "afs://cell.example/pub/a%20b.txt\r\nafs://cell.example/pub/sub/\r\n",
		"afs://cell.example/pub/sub/":         "afs://cell.example/pub/sub/c\r\n",
		"afs:/":                               "afs://cell.example/\r\nafs://other.example/\r\n", // without the file that is not a cell
		"afs://other.example":                 "afs://other.example/d.txt\r\n",
	} {
		if got, err := read(t, afs, text); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", text, got, err, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if got, err := read(t, afs, "afs://cell.example/user/e%25f%3F.md"); err != nil || got != "epsilon" {
		t.Errorf("a name with %% and ? is %q, %v", got, err)
	}
}

func TestAFSParts(t *testing.T) {
	afs := file.AFS{Folder: tree(t)}
	u := url.MustParse("afs://cell.example/pub/a%20b.txt")
	r, err := afs.Do(t.Context(), &access.Request{Op: access.Stat, URL: u})
	if err != nil || r.Size != 5 || r.Title != "a b.txt" || r.Type != "text/plain" || r.URL != u {
		t.Errorf("Stat is %+v, %v", r, err)
	}
	r, err = afs.Do(t.Context(), &access.Request{URL: u, Offset: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || string(b) != "ha" {
		t.Errorf("from 3 on it is %q, %v", b, err)
	}
	r, err = afs.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("afs:/")})
	if err != nil || r.Kind != access.Directory {
		t.Errorf("Stat of the root is %+v, %v", r, err)
	}
}

// Files that cannot be read are refused with the reason, and no file outside the tree is read.
func TestAFSRefuses(t *testing.T) {
	dir := tree(t)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{
		"absolute": outside, "up": "../../../../../../../../etc/passwd", "own": filepath.Join(dir, "other.example", "d.txt"),
		"near": "../other.example/d.txt", "loop": "loop", "sibling": dir + "x/y",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, "cell.example", name)); err != nil {
			t.Skipf("no symbolic links: %v", err)
		}
	}
	afs := file.AFS{Folder: dir}
	for _, name := range []string{"near", "own"} {
		if got, err := read(t, afs, "afs://cell.example/"+name); err != nil || got != "delta" {
			t.Errorf("the link %s inside the tree is %q, %v", name, got, err)
		}
	}
	for _, test := range []struct {
		url  string
		want error
	}{
		{"afs://cell.example/absolute", fs.ErrPermission},
		{"afs://cell.example/up", fs.ErrPermission},
		{"afs://cell.example/sibling", fs.ErrPermission},
		{"afs://cell.example/loop", nil},
		{"afs://cell.example/none", fs.ErrNotExist},
		{"afs://none.example/", fs.ErrNotExist},
		{"afs://cell.example/pub/a%20b.txt/", fs.ErrNotExist},
		{"afs://cell.example/..%2F..%2Fetc", fs.ErrInvalid},
		{"afs://cell.example/a%00b", fs.ErrInvalid},
		{"afs://../etc/passwd", nil},
		{"file:///etc/passwd", access.ErrNoScheme},
	} {
		got, err := read(t, afs, test.url)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || strings.Contains(got, "secret") {
			t.Errorf("%s is %q, %v, want %v", test.url, got, err, test.want)
		}
	}
	for _, op := range []access.Op{access.Put, access.Append, access.Delete, access.MakeDir, access.Ask} {
		_, err := afs.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("afs://cell.example/new"), Body: strings.NewReader("x")})
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v: %v, want that it is not supported", op, err)
		}
	}
}

// Without the tree the error says so, and has a hint.
func TestNoAFS(t *testing.T) {
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "afs")} {
		_, err := read(t, file.AFS{Folder: dir}, "afs://cell.example/x")
		if !errors.Is(err, file.ErrNoAFS) || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(access.Hint(err), "mounts it at /afs") {
			t.Errorf("without a tree in %q: %v, hint %q", dir, err, access.Hint(err))
		}
	}
}

// Entries of a listing can be opened, also with a cell whose directory is read by name.
func TestAFSListing(t *testing.T) {
	afs := file.AFS{Folder: tree(t)}
	r, err := afs.Do(t.Context(), &access.Request{URL: url.MustParse("afs:/cell.example/pub")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var names []string
	err = access.Entries(r.List, func(e access.Entry) error {
		names = append(names, e.Title)
		_, err := afs.Do(t.Context(), &access.Request{Op: access.Stat, URL: e.URL})
		return err
	})
	if err != nil || !slices.Equal(names, []string{"a b.txt", "sub"}) {
		t.Errorf("the listing has %q, %v", names, err)
	}
}
