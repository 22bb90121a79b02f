package whatwg

import (
	"testing"
)

// Texts that are almost hrefs, and similar texts that need the machine.
func TestTidy(t *testing.T) {
	for _, test := range []struct {
		in, href string
		tidied   bool
	}{
		{"http://h", "http://h/", true},
		{"https://h.example?q#f", "https://h.example/?q#f", true},
		{"ws://192.0.2.1:8080#f", "ws://192.0.2.1:8080/#f", true},
		{"ftp://u:p@h", "ftp://u:p@h/", true},
		{"file://h", "file://h/", true},
		{"file://localhost/x", "file:///x", true},
		{"file://localhost", "file:///", true},
		{"file://localhost?q", "file:///?q", true},
		{"file://localhost//x", "file:////x", true},
		{"file://localhost/C:/x", "file:///C:/x", true},
		{"file:", "file:///", true},
		{"file:#f", "file:///#f", true},
		{"file:x/y", "file:///x/y", true},
		{"file:/x/y", "file:///x/y", true},
		{"file:C:/x", "file:///C:/x", true},
		{"file::x", "file:///:x", true},
		{"ftp://u:@h/", "ftp://u@h/", true},
		{"ftp://@h/", "ftp://h/", true},
		{"ftp://:@h/", "ftp://h/", true},
		{"telnet://@h:23", "telnet://h:23", true},
		{"telnet://u:@h", "telnet://u@h", true},

		{"http://h:80", "http://h/", false},
		{"http://H", "http://h/", false},
		{"http://1", "http://0.0.0.1/", false},
		{"http://h?'", "http://h/?%27", false},
		{"http://u:@h", "http://u@h/", false},
		{"http:h", "http://h/", false},
		{"file:../x", "file:///x", false},
		{"file://localhost/./x", "file:///x", false},
		{"file://LOCALHOST/x", "file:///x", false},
		{"FILE:x", "file:///x", false},
		{"ftp://u::@h/", "ftp://u:%3A@h/", false},
		{"ftp://::@h/", "ftp://:%3A@h/", false},
		{"telnet://h:", "telnet://h", false},
	} {
		u, err := Parse(test.in)
		if err != nil || u.String() != test.href {
			t.Errorf("Parse(%q) = %q, %v, want %q", test.in, u, err, test.href)
		}
		divided, ok := hrefs.Divide(test.in)
		if tidied, good := tidyHref(&divided); !ok || good != test.tidied || good && tidied != u {
			t.Errorf("tidyHref(%q) = %q, %v, want %q, %v", test.in, tidied, good, u, test.tidied)
		}
	}
}

// tidyHref does not turn an invalid text into a valid URL.
func TestTidyKeepsFailures(t *testing.T) {
	for _, text := range []string{
		"http://", "http://:80", "http://@/", "x://@", "x://:@", "x://u:@:1", "x://:1", "http://h:65536", "http://h%",
		"file://@localhost/", "file://:@localhost/x", "file://localhost:/x", "file://localhost:1", "file://u:@h/",
	} {
		if u, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", text, u)
		}
	}
}

// In the context of a base, a file URL without slashes is a relative reference.
func TestTidyHasNoBase(t *testing.T) {
	base, err := Parse("file://h/a/b")
	if err != nil {
		t.Fatal(err)
	}
	if u, err := Resolve(base, "file:c"); err != nil || u.String() != "file://h/a/c" {
		t.Errorf("Resolve = %q, %v, want file://h/a/c", u, err)
	}
}
