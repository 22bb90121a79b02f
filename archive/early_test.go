package archive_test

import (
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/archive"
)

// A recorder passes on an error that wraps io.EOF. The replay of the half ends early, too.
func TestEndsEarly(t *testing.T) { inBothFormats(t, testEndsEarly) }

func testEndsEarly(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	accesstest.EndsEarly(t, w.Record)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	accesstest.EndsEarly(t, func(access.Engine) access.Engine { return open(t, root, name) })
}
