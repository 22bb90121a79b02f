package gopher

import (
	"testing"

	"locus/scheme"
)

// ownURL returns the URL in a selector that begins with "URL:", in any case and with or without a slash before it.
func TestOwnURL(t *testing.T) {
	for selector, want := range map[string]string{
		"": "", "/": "", "URL:": "", "URL:http://h/": "http://h/", "/url:http://h/": "http://h/", "//URL:x": "", "GET URL:x": "", "URL": "", "1/URL:x": "",
	} {
		if got := ownURL(selector); got != want {
			t.Errorf("ownURL(%q) = %q, want %q", selector, got, want)
		}
	}
}

// itemURL returns a gopher URL, or a URL of the terminal scheme for the types 8 and T (RFC 1436 §3.8).
func TestItemURL(t *testing.T) {
	for _, test := range []struct {
		kind     byte
		selector string
		host     scheme.Host
		want     string
	}{
		{'1', "", scheme.Host{Name: "h", Port: 70}, "gopher://h/1"},
		{'0', "/a b", scheme.Host{Name: "h", Port: 7070}, "gopher://h:7070/0/a%20b"},
		{'8', "", scheme.Host{Name: "h", Port: 23}, "telnet://h:23"},
		{'8', "jo@x", scheme.Host{Name: "h", Port: 23}, "telnet://jo%40x@h:23"},
		{'T', "jo", scheme.Host{Name: "h", Port: 23}, "tn3270://jo@h:23"},
		{'8', "", scheme.Host{Name: "a b", Port: 23}, ""},
	} {
		if got := itemURL(test.kind, test.selector, test.host); got != test.want {
			t.Errorf("itemURL(%q, %q, %v) = %q, want %q", test.kind, test.selector, test.host, got, test.want)
		}
	}
}
