package robots_test

import (
	"fmt"
	"strings"

	"locus/robots"
	"locus/url"
)

func ExampleParse() {
	rules, err := robots.Parse(strings.NewReader(`
User-agent: *
Disallow: /private/
Allow: /private/faq.html
`), "locus")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"http://h/", "http://h/private/x", "http://h/private/faq.html"} {
		fmt.Println(text, rules.Disallows(url.MustParse(text)))
	}
	// Output:
	// http://h/ 0
	// http://h/private/x 3
	// http://h/private/faq.html 0
}
