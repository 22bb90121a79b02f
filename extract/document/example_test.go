package document_test

import (
	"fmt"
	"log"
	"strings"

	"locus/extract/document"
	"locus/url"
)

// The links of a page are resolved against its URL.
func ExampleMode_All() {
	page := strings.NewReader("<p><a href=\"../b?x=1&amp;y=2\">b</a>\n<img src=pictures/lens.png>")
	o := document.Options{URL: url.MustParse("http://example.org/a/c.html")}
	for m, err := range document.HTML.All(page, o) {
		if err != nil {
			log.Fatal(err)
		}
		u, err := m.URL()
		fmt.Println(m.Line, m.Place, u, err)
	}
	// Output:
	// 1 a href http://example.org/b?x=1&y=2 <nil>
	// 2 img src http://example.org/a/pictures/lens.png <nil>
}
