package scheme_test

import (
	"fmt"
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestSearchURL(t *testing.T) {
	for _, test := range []struct{ url, words, want string }{
		{"gopher://h/7/find", "foo bar", "gopher://h/7/find%09foo%20bar"},
		{"gopher://h/7/find%09old%09+", "new", "gopher://h/7/find%09new%09+"},
		{"gopher://h/7", "a?b#c%é", "gopher://h/7%09a%3Fb%23c%25%C3%A9"},
		{"gopher://h:105/2", "smith", "gopher://h:105/2%09smith"},
		{"gopher://h/7/find", "a\tb", ""},
		{"gopher://h/7/find", "a\r\nb", ""},
		{"gopher://h/7/find", "a\x00b", ""},
		{"gopher://h/1/menu", "foo", ""},
		{"gopher:///7", "foo", ""},
		{"http://h/7", "foo", ""},
		{"wais://h/db", "x", "wais://h/db?x"},
		{"wais://h/db?old", "new", "wais://h/db?new"},
		{"z39.50s://h/a+b;rs=xml", "x+y z", "z39.50s://h/a+b;query=x%2By%20z;rs=xml"},
		{"z39.50r://h/a;query=old", "@attr 1=4 x", "z39.50s://h/a;query=@attr%201%3D4%20x"},
		{"z39.50s://h/", "x", ""},
		{"z39.50s://h/a?docid", "x", ""},
		{"z39.50s://h/a;scan=x", "x", ""},
		{"z39.50s://h/a;query=y;record=1", "x", ""},
		{"wais://h/db/TEXT/x", "x", ""},
		{"gopher://h/7db", "x", "gopher://h/7db%09x"},
		{"wais://h/db/x", "x", ""},
	} {
		u := url.MustParse(test.url)
		got, ok := scheme.SearchURL(u, test.words)
		if got.String() != test.want || ok != (test.want != "") {
			t.Errorf("SearchURL(%q, %q) = %q, %t, want %q", test.url, test.words, got, ok, test.want)
		}
	}
}

func ExampleSearchURL() {
	u, ok := scheme.SearchURL(url.MustParse("gopher://example.org/7/find"), "prairie dogs")
	fmt.Println(u, ok)
	u, ok = scheme.SearchURL(url.MustParse("wais://example.org/db"), "c++ & relevance")
	fmt.Println(u, ok)
	// Output:
	// gopher://example.org/7/find%09prairie%20dogs true
	// wais://example.org/db?c%2B%2B%20&%20relevance true
}
