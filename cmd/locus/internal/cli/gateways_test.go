package cli

import "testing"

// req: 1738-4-2
func TestParseGateway(t *testing.T) {
	for _, tt := range []struct {
		text, name, at string // "" for misuse
	}{
		{"wais=http://g.example/", "wais", "http://g.example/"},
		{"WAIS=http://g.example/", "wais", "http://g.example/"},
		{"x-own+1.2=https://g.example/a/", "x-own+1.2", "https://g.example/a/"},
		{"prospero=http://g.example/?url=", "prospero", "http://g.example/?url="},
		{"prospero=http://g.example/go?x=y=z&url=", "prospero", "http://g.example/go?x=y=z&url="},
		{"gopher=http://ada:sesame@g.example:3128", "gopher", "http://ada:sesame@g.example:3128"},
		{"http=http://g.example:3128", "http", "http://g.example:3128"},
		{"", "", ""},
		{"wais", "", ""},
		{"wais=", "", ""},
		{"=http://g.example/", "", ""},
		{"1x=http://g.example/", "", ""},
		{"a/b=http://g.example/", "", ""},
		{"a:=http://g.example/", "", ""},
		{"wais=ftp://g.example/", "", ""},
		{"wais=g.example", "", ""},
		{"wais=http:///", "", ""},
		{"wais=http://g.example/a", "", ""},
		{"wais=http://g.example?url=", "", ""},
		{"wais=https://g.example", "", ""},
		{"telnet=http://g.example/", "", ""},
		{"wais=http://g.example/ x", "", ""},
	} {
		name, at, err := parseGateway(tt.text)
		if (err == nil) != (tt.name != "") || err == nil && (name != tt.name || at.String() != tt.at) {
			t.Errorf("parseGateway(%q) = %q, %q, %v, want %q, %q", tt.text, name, at, err, tt.name, tt.at)
		}
	}
}
