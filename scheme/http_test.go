package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.3-1, 1738-3.3-2
func TestHTTP(t *testing.T) {
	testViews(t, []viewCase{
		{"http://h", `{"path":"","search":null}`, "http://h/"},
		{"http://h/", `{"path":"","search":null}`, ""},
		{"http://h?a", `{"path":"","search":"a"}`, "http://h/?a"},
		{"http://h/?", `{"path":"","search":""}`, ""},
		{"HTTPS://h/a", `{"path":"a","search":null}`, "https://h/a"},
		{"http://h//a", `{"path":"/a","search":null}`, ""},
		{"http://h/a/b/?c=d/?e", `{"path":"a/b/","search":"c=d/?e"}`, ""},
		{"http://h/a%2Fb%20c;d?e%3Ff+g#x", `{"path":"a/b c;d","search":"e?f+g"}`, "http://h/a%2Fb%20c;d?e%3Ff+g"},
		{"http://h/~x", `{"path":"~x","search":null}`, ""},
		{"http://u:p@h:8080/a", `{"path":"a","search":null}`, ""},
		{"http://[::1]:80/", `{"path":"","search":null}`, ""},
		{"http://[fe80::1%25eth0]/", `{"path":"","search":null}`, ""},
		{"http://[v7.x:y]/", `{"path":"","search":null}`, ""},
		{"http://a%20b%5B/", `{"path":"","search":null}`, ""},
		{"http://h/%ff?%fe", `{"path":{"base64":"/w=="},"search":{"base64":"/g=="}}`, ""},
		{text: "http:‸"},
		{text: "http:‸x"},
		{text: "http://‸/x"},
		{text: "http://‸?x"},
		{text: "http://h:‸0/"},
		{text: "https://h:‸65536"},
	})
}

// ParseHTTP returns the target that a client sends to the server, and the host.
//
// req: 1738-3.3-3, 1630-http-2
func TestHTTPTarget(t *testing.T) {
	for _, test := range []struct {
		std                   url.Standard
		text, target, address string
		host                  scheme.Host
	}{
		{url.RFC3986, "http://h", "/", "h:80", scheme.Host{Name: "h"}},
		{url.RFC3986, "http://h?a+b#f", "/?a+b", "h:80", scheme.Host{Name: "h"}},
		{url.RFC3986, "http://[::1]:8080/a%2fb", "/a%2fb", "[::1]:8080", scheme.Host{Name: "::1", Port: 8080}},
		{url.RFC3986, "http://[fe80::1%25e%2D0]/", "/", "[fe80::1%e-0]:80", scheme.Host{Name: "fe80::1%e-0"}},
		{url.RFC3986, "http://[v7.x]/", "/", "[v7.x]:80", scheme.Host{Name: "[v7.x]"}},
		{url.RFC1738, "http://h/a?b+c", "/a?b+c", "h:80", scheme.Host{Name: "h"}},
		{url.RFC1630, "http://h/a+b?c+d%2B", "/a+b?c+d%2B", "h:80", scheme.Host{Name: "h"}},
		{url.RFC1630, `http://h/"`, "/%22", "h:80", scheme.Host{Name: "h"}},
	} {
		u, err := test.std.Parse(test.text)
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		v, err := scheme.ParseHTTP(u)
		if err != nil || v.Target != test.target || v.Host != test.host {
			t.Errorf("ParseHTTP(%q) (%v) = %+v, %v; want target %q and host %+v", test.text, test.std, v, err, test.target, test.host)
		}
		if got := v.Address(80); got != test.address {
			t.Errorf("ParseHTTP(%q).Address(80) = %q, want %q", test.text, got, test.address)
		}
		checkLaws(t, test.text)
	}
}

// req: 1630-syn-2
func TestHTTPSearch(t *testing.T) {
	for _, test := range []struct {
		std  url.Standard
		want string
	}{{url.RFC3986, "a+b+c"}, {url.RFC1738, "a+b+c"}, {url.RFC1630, "a b+c"}} {
		v, err := parse(test.std, "http://h/?a+b%2Bc")
		if err != nil || v.(scheme.HTTP).Search != url.Some(test.want) {
			t.Errorf("%v: view = %+v, %v; want the search %q", test.std, v, err, test.want)
		}
	}
}
