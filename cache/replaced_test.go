package cache

import (
	"io"
	"strings"
	"testing"
)

// The metadata of a resource that was replaced, here or by another process, do not open the
// bytes of the new version, even if they have the same length.
func TestReplaced(t *testing.T) {
	for _, length := range []int{10, 2 * hotLargest} {
		dir := t.TempDir()
		f, other := folderIn(t, dir, 0), folderIn(t, dir, 0)
		for _, by := range []*Folder{f, other} {
			write(t, f, "1", strings.Repeat("a", length))
			first, _ := f.find("k")
			write(t, by, "2", strings.Repeat("b", length))
			if body, err := f.body(first, 0); err == nil {
				got, _ := io.ReadAll(body)
				t.Errorf("%d bytes: version 1 is given with %.10q…", length, got)
			}
			if got := storedIn(f, "k"); got != strings.Repeat("b", length) {
				t.Errorf("%d bytes: version 2 is given with %.10q…", length, got)
			}
		}
	}
}

// write stores bytes under the key "k".
func write(t *testing.T, f *Folder, etag, data string) {
	t.Helper()
	w, err := f.create()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.commit(&metadata{Key: "k", ETag: etag}); err != nil {
		t.Fatal(err)
	}
}
