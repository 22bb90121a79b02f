package check

import "testing"

func TestScopeOf(t *testing.T) {
	for page, want := range map[string]string{
		"http://h/a/b.html?x=/y#z": "http://h/a/",
		"http://h/a/":              "http://h/a/",
		"http://h":                 "http://h",
		"http://h/":                "http://h/",
		"gopher://h/1/menu":        "gopher://h/1/",
	} {
		if got := ScopeOf(page); got != want {
			t.Errorf("ScopeOf(%q) = %q, want %q", page, got, want)
		}
	}
}
