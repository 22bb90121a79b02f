package gateway

import "testing"

func TestGuessPath(t *testing.T) {
	for _, test := range []struct {
		path               string
		words, host, typed string
		ok                 bool
	}{
		{"gopher", "gopher", "", "gopher", true},
		{"two%20words", "two words", "", "two words", true},
		{"www.example.org/a", "www.example.org/a", "https://www.example.org/a", "www.example.org/a", true},
		{"ftp//host/", "ftp//host/", "ftp://host/", "ftp://host/", true},
		{"a%zz", "", "", "", false},
		{"http://[h", "", "", "", false},
		{"", "", "", "", false},
	} {
		g, ok := guessPath(test.path)
		if ok != test.ok || ok && (g.words != test.words || g.host.String() != test.host || g.typed != test.typed) {
			t.Errorf("guessPath(%q) = %+v, %v, want the words %q, the host %q and the field %q", test.path, g, ok, test.words, test.host, test.typed)
		}
	}
}
