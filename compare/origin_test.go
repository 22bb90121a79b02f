package compare

import (
	"testing"

	"locus/url"
)

func TestOriginOf(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Origin // zero if there is no valid origin
	}{
		{"http://h", Origin{"http", "h", 80}},
		{"HTTP://H:80/", Origin{"http", "h", 80}},
		{"http://h:", Origin{"http", "h", 80}},
		{"http://h:0", Origin{"http", "h", 0}},
		{"http://h:000", Origin{"http", "h", 0}},
		{"http://h:0000000000000000443", Origin{"http", "h", 443}},
		{"http://h:65536", Origin{}},
		{"http://h:99999999999999999999", Origin{}},
		{"http://h:8x", Origin{}},
		{"http://h:-1", Origin{}},
		{"nntps://h", Origin{"nntps", "h", 563}},
		{"z39.50://h", Origin{"z39.50", "h", 210}},
		{"ws://h", Origin{"ws", "h", 80}},
		{"wss://h", Origin{"wss", "h", 443}},
		{"x://h", Origin{"x", "h", 0}},
		{"x:h", Origin{"x", "", 0}},
		{"http:", Origin{"http", "", 0}},
		{"http:///a", Origin{"http", "", 0}},
		{"http://:80/", Origin{"http", "", 80}},
		{"file://LOCALHOST/", Origin{"file", "", 0}},
		{"ftp://localhost/", Origin{"ftp", "localhost", 21}},
		{"file://h/", Origin{"file", "h", 0}},
		{"//h", Origin{}},
		{"h", Origin{}},
		{"", Origin{}},
	} {
		got, ok := originOf(url.RFC3986.Split(test.in))
		if ok != (test.want != Origin{}) || ok && got != test.want {
			t.Errorf("originOf(%q) = %#v, %v, want %#v", test.in, got, ok, test.want)
		}
	}
}

func TestFoldHost(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"Example.ORG", "example.org"},
		{"example.org.", "example.org."},
		{"%45xample", "example"},
		{"%45%zz", "%45%zz"},
		{"b%C3%BCcher", "bücher"},
		{"127.1", "127.1"},
		{"[::1]", "::1"},
		{"[0:0:0:0:0:0:0:1]", "::1"},
		{"[2001:DB8::]", "2001:db8::"},
		{"[::ffff:1.2.3.4]", "::ffff:1.2.3.4"},
		{"[fe80::1%25eth0]", "fe80::1%eth0"},
		{"[fe80::1%eth0]", "fe80::1%eth0"}, // as net/url writes the zone
		{"[v1.X]", "[v1.x]"},
		{"[::1", "::1"},
		{"[x]", "[x]"},
	} {
		if got := foldHost(test.in); got != test.want {
			t.Errorf("foldHost(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestFoldEscapes(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"/a?b", "/a?b"},
		{"%7e%41%2D", "~A-"},
		{"%2f%3F%23", "%2F%3F%23"},
		{"/é ", "/%C3%A9%20"},
		{"%c3%a9%20", "%C3%A9%20"},
		{"%", "%25"},
		{"%4", "%254"},
		{"%zz", "%25zz"},
		{"%25", "%25"},
		{"[^]", "%5B%5E%5D"},
		{"\x00\x7f", "%00%7F"},
		{"!$&'()*+,;=:@", "!$&'()*+,;=:@"},
	} {
		if got := foldEscapes(test.in); got != test.want {
			t.Errorf("foldEscapes(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
