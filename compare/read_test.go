package compare

import (
	"testing"

	"locus/url"
)

// readGo returns the parts of a text that net/url accepts as they are written, as far as net/url remembers that.
func TestReadGo(t *testing.T) {
	for _, test := range []struct {
		in   string
		want string // as in if empty
	}{
		{in: "http://u:p@h:80/a%2Fb?q#f"},
		{in: "http://h"},
		{in: "http://h:/"},
		{in: "http://h/?"},
		{in: "http://h/a!b'(c)*d"},
		{in: "http://h/a b"},
		{in: "http://h/#a!b"},
		{in: "http://u@h/"},
		{in: "http://u:@h/"},
		{in: "http://@h/"},
		{in: "http://[::1]:80/"},
		{in: "http://[::1]/"},
		{in: "file:///a"},
		{in: "file:/a"},
		{in: "ssh://"},
		{in: "mailto:a@b?c"},
		{in: "urn:a:b"},
		{in: "//h/a"},
		{in: "a/b"},
		{"HTTP://h/", "http://h/"},
		{"http://h/#", "http://h/"},
		{"http://b%C3%BCcher/", "http://bücher/"},
		{"http://u%41@h/", "http://uA@h/"},
	} {
		r := readGo(test.in)
		want := test.want
		if want == "" {
			want = test.in
		}
		if r.Err != nil || r.Parts.String() != want {
			t.Errorf("readGo(%q) = %q, %v, want %q", test.in, r.Parts, r.Err, want)
		}
	}
}

// readGo returns an origin for a text that net/url refuses because of an error after the authority.
func TestReadGoRefused(t *testing.T) {
	for _, test := range []struct {
		in, err string
		origin  Origin
	}{
		{"http://h/%zz", "invalid URL escape (net/url)", Origin{"http", "h", 80}},
		{"http://u:p@h:8/%", "invalid URL escape (net/url)", Origin{"http", "h", 8}},
		{"http://h/\x01", "invalid control character in URL (net/url)", Origin{"http", "h", 80}},
		{"http://h\x01/", "invalid control character in URL (net/url)", Origin{}},
		{"http://h:x/", "invalid port (net/url)", Origin{}},
		{"http://u:S3CRET/@h/", "invalid port (net/url)", Origin{}},
		{"http://a b/", "invalid character (net/url)", Origin{}},
		{"1:", "first path segment in URL cannot contain colon (net/url)", Origin{}},
		{":", "missing protocol scheme (net/url)", Origin{}},
	} {
		r := readGo(test.in)
		if r.Err == nil || r.Err.Error() != test.err || r.Origin != test.origin || r.Sure != (test.origin != Origin{}) {
			t.Errorf("readGo(%q) = %v (sure %v), %v; want %v, %s", test.in, r.Origin, r.Sure, r.Err, test.origin, test.err)
		}
		if r.Parts != (url.Parts{}) {
			t.Errorf("parts of readGo(%q) = %q, want none", test.in, r.Parts)
		}
	}
}

func TestReadRFC(t *testing.T) {
	for _, test := range []struct {
		in     string
		std    url.Standard
		origin Origin
		sure   bool
		fine   bool
	}{
		{"http://h/a", url.RFC1738, Origin{"http", "h", 80}, true, true},
		{"http://h/~", url.RFC1738, Origin{"http", "h", 80}, true, false},
		{"http://h/a#b", url.RFC1738, Origin{"http", "h", 80}, true, false},
		{"http://[::1]/", url.RFC1738, Origin{}, false, false},
		{"http://u@v@h/", url.RFC1738, Origin{}, false, false},
		{"http://u^@h/", url.RFC1738, Origin{"http", "h", 80}, false, false},
		{"//h/", url.RFC1738, Origin{}, false, false},
		{"http://a.b/c", url.RFC1630, Origin{"http", "a.b", 80}, true, true},
		{"http://a~/c", url.RFC1630, Origin{}, false, false},
		{"http://h:99999/", url.RFC3986, Origin{}, false, true},
		{"http://h/^", url.RFC3986, Origin{"http", "h", 80}, true, false},
		{"http://u^@h/^", url.RFC3986, Origin{"http", "h", 80}, false, false},
		{"//h/", url.RFC3986, Origin{}, false, true},
	} {
		r := readRFC(RFC3986, test.std, test.in)
		if r.Origin != test.origin || r.Sure != test.sure || (r.Err == nil) != test.fine {
			t.Errorf("reading of %q by %v = %v (sure %v), %v; want %v (sure %v, accepted %v)", test.in, test.std, r.Origin, r.Sure, r.Err, test.origin, test.sure, test.fine)
		}
	}
}
