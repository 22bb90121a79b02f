package extract_test

import (
	"fmt"

	"locus/extract"
)

// RFC 1738's own example.
func ExamplePrefixed() {
	text := `Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
type=d> but you can probably pick it up from <URL:ftp://ds.in
ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
net/instructions/overview.html#WARNING>.`
	for m := range extract.Prefixed(text) {
		fmt.Println(m.Offset, m.Text)
	}
	// Output:
	// 27 ftp://info.cern.ch/pub/www/doc;type=d
	// 109 ftp://ds.internic.net/rfc
	// 164 http://ds.internic.net/instructions/overview.html#WARNING
}

func ExampleMatch_Readings() {
	for m := range extract.Prefixed("<URL:http://host/marie-\n  claude>") {
		for text := range m.Readings() {
			fmt.Println(text)
		}
	}
	// Output:
	// http://host/marie-claude
	// http://host/marieclaude
}

func ExampleUnwrap() {
	fmt.Println(extract.Unwrap(" <URL:http://host/a\n b> "))
	// Output: http://host/ab
}
