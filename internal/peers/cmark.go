package peers

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// CommonMarkGFM converts a document of GitHub Flavored Markdown into HTML with cmark-gfm. It
// does not filter raw HTML.
func CommonMarkGFM(t testing.TB, document string) (html string) {
	t.Helper()
	args := []string{"--unsafe", "--extension", "table", "--extension", "strikethrough", "--extension", "autolink"}
	html, err := client(t, "cmark-gfm", "usr/bin/cmark-gfm", document, nil, args)
	check(t, err)
	return html
}

// SpecificationGFM returns the text of the specification of GitHub Flavored Markdown, which
// has the examples that cmark-gfm is tested with.
func SpecificationGFM(t testing.TB) string {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(tree(t, "cmark-gfm"), "usr/share/doc/cmark-gfm/spec.txt.gz"))
	check(t, err)
	r, err := gzip.NewReader(bytes.NewReader(packed))
	check(t, err)
	text, err := io.ReadAll(r)
	check(t, err)
	return string(text)
}
