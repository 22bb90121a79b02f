package web

import (
	"net/http"
	neturl "net/url"
	"testing"
)

// A program may send a path that net/url would write differently in Opaque, as httputil.ReverseProxy does. The path must
// not become the host.
func TestURLsOfOpaque(t *testing.T) {
	for _, test := range []struct{ opaque, query, want string }{
		{"/evil.example/a|b", "", "http://h.example:8080/evil.example/a|b"},
		{"/evil.example/100%", "x|y", "http://h.example:8080/evil.example/100%?x|y"},
		{"/a", "", "http://h.example:8080/a"},
		{"//h.example:8080//a|b", "", "http://h.example:8080//a|b"},
	} {
		r := &http.Request{URL: &neturl.URL{Scheme: "http", Host: "h.example:8080", Opaque: test.opaque, RawQuery: test.query}}
		if u, _, err := URLsOf(r); u.String() != test.want || err != nil {
			t.Errorf("URLsOf(%+v) = %q, %v, want %q", r.URL, u, err, test.want)
		}
	}
}
