package render

import (
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A title that is not UTF-8 is read as Latin-1, because old servers write it so. Its
// control characters are replaced, too.
func TestTitleInLatin1(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"Caf\xe9", "Café"},
		{"Café", "Café"},
		{"Se\xf1or \xa1", "Señor ¡"},
		{"\xe9\x9b31m\x1b[31m", "é\ufffd31m␛[31m"},
		{"plain", "plain"},
		{"", ""},
		{"\xff\x00", "ÿ␀"},
	} {
		if got := cleanTitle(test.in); got != test.want {
			t.Errorf("cleanTitle(%q) = %q, want %q", test.in, got, test.want)
		}
		var b strings.Builder
		if err := Text(&b)(access.Entry{Title: test.in, URL: url.MustParse("gopher://h/0x"), Kind: access.Object, Size: -1}); err != nil {
			t.Fatalf("%q: %v", test.in, err)
		}
		if !strings.HasPrefix(b.String(), test.want) {
			t.Errorf("%q is listed as %q, want %q", test.in, b.String(), test.want)
		}
	}
}
