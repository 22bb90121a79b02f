package check

import (
	"slices"
	"strings"
	"testing"

	"locus/extract/document"
	"locus/url"
)

// A malformed data URL is a bad link. A data URL that browsers can decode is no link.
func TestInline(t *testing.T) {
	for _, test := range []struct {
		mode document.Mode
		text string
		want []string // the bad links
	}{
		{document.HTML, "<img src='data:image/png;base64,iVBORw0KGgo='><img src=data:,x><img src='data:image/png;base64,iVBO Rw0K'>", nil},
		{document.HTML, "<img src='data:image/png;base64,iVBOR'>", []string{"data:image/png;base64,iVBOR"}},
		{document.HTML, "<img src='data:image/png;base64,iV!BORw'>", []string{"data:image/png;base64,iV!BORw"}},
		{document.HTML, "<img src='data:image/png'>", []string{"data:image/png"}},
		{document.HTML, "<img src='data:image/png;base64,{{ picture }}'>", nil},
		{document.HTML, "<p>data:image/png;base64,iVBOR</p>", nil},
		{document.CSS, "a{background:url(data:image/svg+xml;utf8,<svg/>)} b{background:url(data:image/gif;base64,R0lGO)}", []string{"data:image/gif;base64,R0lGO"}},
		{document.Markdown, "![a](data:image/gif;base64,R0lG) ![b](data:image/gif;base64,R0lGO)", []string{"data:image/gif;base64,R0lGO"}},
	} {
		var got []string
		for l, err := range (LinkReader{}).Links(strings.NewReader(test.text), test.mode, url.MustParse("https://h/")) {
			if err != nil {
				t.Errorf("Links(%q) = %v", test.text, err)
			}
			if l.Bad != "" {
				got = append(got, l.URL)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Links(%q) has the bad links %q, want %q", test.text, got, test.want)
		}
	}
}
