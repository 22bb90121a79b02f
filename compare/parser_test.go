package compare

import "testing"

// String and Software also work for a number that is not a parser.
func TestParserString(t *testing.T) {
	for _, test := range []struct {
		p    Parser
		want string
	}{{RFC1738, "RFC 1738"}, {Go, "net/url"}, {PHP, "PHP parse_url"}, {PHPURI, "PHP Rfc3986"}, {PHPURI + 1, "Parser(13)"}, {255, "Parser(255)"}} {
		if got := test.p.String(); got != test.want {
			t.Errorf("String of Parser %d = %q, want %q", uint8(test.p), got, test.want)
		}
		if known := test.p <= PHPURI; (test.p.Software() != "") != known {
			t.Errorf("Software of %v = %q, want text: %v", test.p, test.p.Software(), known)
		}
	}
}
