package tree

import "testing"

func TestExtensionFor(t *testing.T) {
	for _, test := range []struct{ name, mime, want string }{
		{"a", "text/html", ".html"},
		{"a.php", "TEXT/HTML; charset=utf-8", ".html"},
		{"a.HTM", "text/html", ""},
		{"a.xhtml", "text/html", ""},
		{"a", "application/xhtml+xml", ".xhtml"},
		{"a.css", "text/css", ""},
		{"a", "application/x-unknown", ""},
		{"a", "", ""},
		{"a.png", "image/jpeg", ""},
		{"a.svg", "image/png", ".png"},
		{"a.png", "image/svg+xml", ".svg"},
		{"a", "text/plain", ".txt"},
		{"notes.asc", "text/plain", ""},
		{"a.html", "text/plain", ".txt"},
		{"", "text/css", ".css"},
	} {
		if got := ExtensionFor(test.name, test.mime); got != test.want {
			t.Errorf("ExtensionFor(%q, %q) = %q, want %q", test.name, test.mime, got, test.want)
		}
	}
}

func TestWithExtension(t *testing.T) {
	for _, test := range []struct{ name, mime, want string }{
		{"README", "text/plain", "README"},
		{"README", "text/html", "README.html"},
		{"a.gif", "image/gif", "a.gif"},
	} {
		if got := WithExtension(test.name, test.mime); got != test.want {
			t.Errorf("WithExtension(%q, %q) = %q, want %q", test.name, test.mime, got, test.want)
		}
	}
}

// An extension belongs to each media type under which a server may send the file.
func TestExtensions(t *testing.T) {
	for mime, all := range extensions {
		if Essence(mime) != mime || len(all) == 0 {
			t.Errorf("%q has the extensions %q", mime, all)
		}
		for _, ext := range all {
			if got := ExtensionFor("a"+ext, mime); got != "" {
				t.Errorf("ExtensionFor(%q, %q) = %q, want none", "a"+ext, mime, got)
			}
		}
	}
}
