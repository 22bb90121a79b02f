package gateways

import (
	"strings"
	"testing"
)

// req: 1738-4-2
func TestParse(t *testing.T) {
	for _, test := range []struct {
		text, name, at string // "" for a misuse
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
		g, err := parse("gateway", test.text)
		if (err == nil) != (test.name != "") || err == nil && (g.Scheme != test.name || g.At.String() != test.at) {
			t.Errorf("parse(%q) = %q, %q, %v, want %q, %q", test.text, g.Scheme, g.At, err, test.name, test.at)
		}
	}
}

// An error does not show a login.
func TestParseHidesLogin(t *testing.T) {
	for _, text := range []string{"wais=ftp://ada:sesame@g.example/", "wais=http://ada:sesame@g.example/a"} {
		if _, err := parse("gateway", text); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("parse(%q) = %v", text, err)
		}
	}
}
