package whatwg_test

import (
	"fmt"

	"locus/url"
	"locus/url/whatwg"
)

func ExampleParsePattern() {
	p, err := whatwg.ParsePattern("https://*.example.com/books/:id(\\d+)?", "", whatwg.PatternOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"https://www.example.com/books/42", "https://www.example.com/books", "https://www.example.com/books/x"} {
		m, ok := p.MatchText(text, "")
		id, hasID := m[whatwg.Pathname].Groups["id"]
		fmt.Println(ok, id, hasID)
	}
	_, err = whatwg.ParsePattern("https://example.com/:a/:a", "", whatwg.PatternOptions{})
	fmt.Println(err)
	// Output:
	// true 42 true
	// true  false
	// false  false
	// URL pattern: pathname: two groups are named "a"
}

func ExamplePatternInit_Pattern() {
	p, err := whatwg.PatternInit{Pathname: url.Some("/:dir/*.html")}.Pattern(whatwg.PatternOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, ok := p.MatchInit(whatwg.PatternInit{Pathname: url.Some("/docs/a/b.html")})
	fmt.Println(ok, m[whatwg.Pathname].Groups)
	fmt.Println(p.Component(whatwg.Hostname), p.Component(whatwg.Pathname))
	// Output:
	// true map[0:a/b dir:docs]
	// * /:dir/*.html
}

func ExampleURLPattern_Generate() {
	p, _ := whatwg.ParsePattern("https://example.com/books/:id", "", whatwg.PatternOptions{})
	fmt.Println(p.Generate(whatwg.Pathname, map[string]string{"id": "a b"}))
	fmt.Println(p.Generate(whatwg.Pathname, map[string]string{"id": "a/b"}))
	// Output:
	// /books/a%20b <nil>
	//  URL pattern: pathname: the text for the group "id" does not match
}
