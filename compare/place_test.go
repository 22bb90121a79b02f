package compare

import (
	"testing"

	"locus/url"
)

func TestPlaceOf(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Place // zero if it leads nowhere
	}{
		{"http://h", Place{"http", "h", 80}},
		{"HTTP://H:80/", Place{"http", "h", 80}},
		{"http://h:", Place{"http", "h", 80}},
		{"http://h:0", Place{"http", "h", 0}},
		{"http://h:000", Place{"http", "h", 0}},
		{"http://h:0000000000000000443", Place{"http", "h", 443}},
		{"http://h:65536", Place{}},
		{"http://h:99999999999999999999", Place{}},
		{"http://h:8x", Place{}},
		{"http://h:-1", Place{}},
		{"nntps://h", Place{"nntps", "h", 563}},
		{"z39.50://h", Place{"z39.50", "h", 210}},
		{"ws://h", Place{"ws", "h", 80}},
		{"wss://h", Place{"wss", "h", 443}},
		{"x://h", Place{"x", "h", 0}},
		{"x:h", Place{"x", "", 0}},
		{"http:", Place{"http", "", 0}},
		{"http:///a", Place{"http", "", 0}},
		{"http://:80/", Place{"http", "", 80}},
		{"file://LOCALHOST/", Place{"file", "", 0}},
		{"ftp://localhost/", Place{"ftp", "localhost", 21}},
		{"file://h/", Place{"file", "h", 0}},
		{"//h", Place{}},
		{"h", Place{}},
		{"", Place{}},
	} {
		got, ok := placeOf(url.RFC3986.Split(tt.in))
		if ok != (tt.want != Place{}) || ok && got != tt.want {
			t.Errorf("placeOf(%q) = %#v, %v, want %#v", tt.in, got, ok, tt.want)
		}
	}
}

func TestFoldHost(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
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
		{"[fe80::1%eth0]", "fe80::1%eth0"}, // net/url's
		{"[v1.X]", "[v1.x]"},
		{"[::1", "::1"},
		{"[x]", "[x]"},
	} {
		if got := foldHost(tt.in); got != tt.want {
			t.Errorf("foldHost(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFoldEscapes(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
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
		if got := foldEscapes(tt.in); got != tt.want {
			t.Errorf("foldEscapes(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
