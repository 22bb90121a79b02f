package iri_test

import (
	"fmt"

	"locus/url"
	"locus/url/iri"
)

func ExampleToURI() {
	u, err := iri.ToURI("https://bücher.example/größe?q=ä")
	fmt.Println(u, err)
	_, err = iri.ToURI("https://bücher.example/a b")
	fmt.Println(err)
	// Output:
	// https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe?q=%C3%A4 <nil>
	// parse "https://bücher.example/a b": offset 25: found ' ', want a byte that may stand in a path, or an escape (RFC 3986 §3.3)
}

func ExampleToIRI() {
	fmt.Println(iri.ToIRI(url.MustParse("https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe%20")))
	// Output: https://bücher.example/größe%20
}

// Display does not decode a host that looks like another one, or a character that changes the direction of the text.
func ExampleDisplay() {
	for _, text := range []string{
		"https://u:secret@xn--bcher-kva.example/gr%C3%B6%C3%9Fe",
		"https://xn--80ak6aa92e.com/",
		"https://example.org/%E2%80%AEgpj.exe",
	} {
		fmt.Println(iri.Display(url.MustParse(text)))
	}
	// Output:
	// https://u:xxxxx@bücher.example/größe
	// https://xn--80ak6aa92e.com/
	// https://example.org/%E2%80%AEgpj.exe
}
