package site

import (
	"fmt"
	"testing"
	"testing/fstest"

	"locus/extract/document/dialect"
	"locus/url"
)

// A name that is missing among the files that were read may be the name of another file.
func TestLargeWiki(t *testing.T) {
	files := fstest.MapFS{}
	for i := range maxNotes {
		files[fmt.Sprintf("deep/n%05d.md", i)] = &fstest.MapFile{}
	}
	for _, test := range []struct{ more, in, want string }{
		{"", "n00000", "file:///r/deep/n00000.md"},
		{"", fmt.Sprintf("n%05d", maxNotes-1), fmt.Sprintf("file:///r/deep/n%05d.md", maxNotes-1)},
		{"", "z", NoNote},
		{"z.md", "n00000", "file:///r/deep/n00000.md"},
		{"z.md", "z", MayBeNote},
	} {
		if test.more != "" {
			files[test.more] = &fstest.MapFile{}
		}
		p := &Project{Generator: Generator{Dialect: dialect.Dialect{WikiLinks: true}}, Folder: url.MustParse("file:///r/"), Files: files}
		if file, why, ok := p.Note(test.in); file+why != test.want || !ok {
			t.Errorf("with %q, Note(%q) = %q, %q, %v, want %q", test.more, test.in, file, why, ok, test.want)
		}
	}
}
