package scheme_test

import (
	"errors"
	"strings"
	"testing"

	"locus/internal/vectors"
	"locus/scheme"
	"locus/url"
)

// The laws also hold for URLs from the web. Most of the URLs whose scheme has a view fit their scheme.
func TestVectors(t *testing.T) {
	for _, name := range []string{"web70k.txt", "mixed.txt"} {
		bytes := vectors.Read(t, "urls/"+name)
		views, refused := 0, 0
		for line := range strings.Lines(string(bytes)) {
			text := strings.TrimSuffix(line, "\n")
			u, err := url.Parse(text)
			if err != nil {
				continue
			}
			_, err = scheme.Parse(u)
			switch {
			case err == nil:
				views++
			case !errors.Is(err, errors.ErrUnsupported):
				refused++
			}
			if !testing.Short() || views%64 == 0 {
				checkLaws(t, text)
			}
		}
		t.Logf("%s: %d views, %d URLs that do not fit their scheme", name, views, refused)
		if views < 9*refused {
			t.Errorf("%s: %d views and %d refusals, want at least nine times as many views", name, views, refused)
		}
	}
}
