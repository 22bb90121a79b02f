package compare

import "testing"

// A number that is no parser has a name too.
func TestParserString(t *testing.T) {
	for _, tt := range []struct {
		p    Parser
		want string
	}{{RFC1738, "RFC 1738"}, {Go, "net/url"}, {PHP, "PHP parse_url"}, {PHP + 1, "Parser(9)"}, {255, "Parser(255)"}} {
		if got := tt.p.String(); got != tt.want {
			t.Errorf("Parser %d is %q, want %q", uint8(tt.p), got, tt.want)
		}
		if known := tt.p <= PHP; (tt.p.Software() != "") != known {
			t.Errorf("%v stands for %q, known %v", tt.p, tt.p.Software(), known)
		}
	}
}
