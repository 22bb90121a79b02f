package extract_test

import (
	"fmt"
	"os"
	"strings"

	"locus/extract"
	"locus/url"
)

// The example in the appendix of RFC 1738.
func ExampleAll() {
	text := `Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
type=d> but you can probably pick it up from <URL:ftp://ds.in
ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
net/instructions/overview.html#WARNING>.`
	for m, err := range extract.All(strings.NewReader(text), extract.Options{}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Printf("%d:%d %s\n", m.Line, m.Column, m.Text)
	}
	// Output:
	// 1:28 ftp://info.cern.ch/pub/www/doc;type=d
	// 2:46 ftp://ds.internic.net/rfc
	// 3:39 http://ds.internic.net/instructions/overview.html#WARNING
}

func ExampleMatch_Readings() {
	text := "<URL:http://host/marie-\n  claude>"
	for m := range extract.All(strings.NewReader(text), extract.Options{}) {
		for reading := range m.Readings() {
			fmt.Println(reading)
		}
	}
	// Output:
	// http://host/marie-claude
	// http://host/marieclaude
}

// A Scanner reads many texts, one after the other.
func ExampleScanner_All() {
	s := extract.NewScanner(nil, extract.Options{})
	for _, text := range []string{"see http://host/a", "or ftp://host/b."} {
		for m, err := range s.All(strings.NewReader(text)) {
			fmt.Println(m.Text, err)
		}
	}
	// Output:
	// http://host/a <nil>
	// ftp://host/b <nil>
}

// A match has the text as it is written and the URL that it means.
func ExampleMatch_URL() {
	base, _ := url.Parse("http://host/dir/")
	text := "Ask jo@example.org, (see example.org/a_(b)) or http://host/café; then ../up."
	for m := range extract.All(strings.NewReader(text), extract.Options{Bare: true, Mail: true, Base: base}) {
		u, _ := m.URL()
		fmt.Println(m.Kind, m.Text, u)
	}
	// Output:
	// address jo@example.org mailto:jo@example.org
	// host example.org/a_(b) http://example.org/a_(b)
	// url http://host/café http://host/caf%C3%A9
	// path ../up http://host/up
}

// Wrap writes a text as the appendix of RFC 1738 recommends.
func ExampleWrap() {
	text := "You can probably pick it up from ftp://ds.internic.net/rfc. See http://ds.internic.net/instructions/overview.html#WARNING"
	if err := extract.Wrap(os.Stdout, strings.NewReader(text), extract.Options{}, 72); err != nil {
		fmt.Println(err)
	}
	// Output:
	// You can probably pick it up from <URL:ftp://ds.internic.net/rfc>. See <URL:
	// http://ds.internic.net/instructions/overview.html#WARNING>
}

func ExampleUnwrap() {
	fmt.Println(extract.Unwrap(" <URL:http://host/a\n b> "))
	// Output: http://host/ab
}
