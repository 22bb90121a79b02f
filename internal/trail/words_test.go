package trail_test

import (
	"testing"

	"locus/internal/trail"
	"locus/url"
)

func TestWords(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"http://h/find?old+maps", "old maps"},
		{"http://h/find", ""},
		{"wais://h/db?old+maps", "old maps"},
		{"gopher://h/7/find%09old%20maps", "old maps"},
		{"gopher://h/7/find%09old%09+", "old"},
		{"gopher://h/1/docs", ""},
		{"z39.50s://h/db;query=sea", "sea"},
		{"z39.50r://h/db;query=sea;record=1", ""},
		{"z39.50s://h/db", ""},
		{"http://h/?a%zz", ""},
	} {
		u, _ := url.Parse(test.url) // the zero URL does not search
		if got := trail.Words(u); got != test.want {
			t.Errorf("Words(%q) = %q, want %q", test.url, got, test.want)
		}
	}
}
