package mediatype

import (
	"mime"
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"a.txt", "text/plain"},
		{"A.TXT", "text/plain"},
		{"a.tar.gz", "application/gzip"},
		{"a.b/c.png", "image/png"},
		{".png", "image/png"},
		{"README", ""},
		{"a.", ""},
		{"", ""},
		{"a.unheard-of", ""},
	} {
		if got := ByName(test.name); got != test.want {
			t.Errorf("ByName(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

// Every entry of the table is a valid media type without parameters, and its
// extension is in lower case.
func TestTypes(t *testing.T) {
	for suffix, mediaType := range types {
		base, params, err := mime.ParseMediaType(mediaType)
		if err != nil || base != mediaType || len(params) > 0 || strings.ToLower(suffix) != suffix {
			t.Errorf("%q is %q: %q, %v, %v", suffix, mediaType, base, params, err)
		}
	}
}
