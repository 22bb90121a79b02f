package glob_test

import (
	"fmt"

	"locus/internal/glob"
)

func ExampleParse() {
	g, err := glob.Parse("http://example.org/disc[1-2].{iso,sig}")
	if err != nil {
		fmt.Println(err)
		return
	}
	for text := range g.All() {
		fmt.Println(text)
	}
	// Output:
	// http://example.org/disc1.iso
	// http://example.org/disc1.sig
	// http://example.org/disc2.iso
	// http://example.org/disc2.sig
}
