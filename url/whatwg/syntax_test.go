package whatwg_test

import (
	"errors"
	"strings"
	"testing"

	"locus/url/whatwg"
)

// Syntax says, for every failure, what is wanted where the text is wrong.
func TestErrorSyntax(t *testing.T) {
	for _, test := range []struct {
		text   string
		offset int
		want   string
	}{
		{"x", 0, "a scheme, or a base"},
		{"http://", 7, "a host"},
		{"foo://a b/", 7, "a character that may stand in a host"},
		{"http://a b/", 8, "a host that IDNA writes in ASCII"},
		{"http://h:65536/", 9, "a port up to 65535"},
		{"http://h:a/", 9, "a digit of the port"},
		{"http://[::1", 7, `the "]" that ends the address`},
		{"http://[:::1]/", 10, "an IPv6 address"},
		{"http://[::1.2.3]/", 15, "an IPv6 address"},
		{"http://1.2.3.256/", 7, "an IPv4 address, as the host ends in a number"},
	} {
		_, err := whatwg.Parse(test.text)
		e, ok := errors.AsType[*whatwg.Error](err)
		if !ok {
			t.Errorf("Parse(%q) = %v, want an *Error", test.text, err)
			continue
		}
		got := e.Syntax(test.text)
		if got.Text != test.text || got.Offset != test.offset || !strings.HasPrefix(got.Want, test.want) || got.Rule != "URL Standard, "+string(e.Name) {
			t.Errorf("Syntax of the error of Parse(%q) = offset %d, %q, %s; want %q", test.text, got.Offset, got.Want, got.Rule, test.want)
		}
		if mark := got.Mark(); !strings.Contains(mark, "^ want "+test.want) || got.Standard != whatwg.Standard {
			t.Errorf("Mark of the error of Parse(%q) =\n%s", test.text, mark)
		}
	}
}
