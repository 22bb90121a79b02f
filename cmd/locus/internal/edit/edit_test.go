package edit

import "testing"

func TestMatchesName(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"a", "a", true},
		{"a", "A", false},
		{"a", "ab", false},
		{"", "", true},
		{"*", "", true},
		{"*", "a/b", true},
		{"utm_*", "utm_", true},
		{"utm_*", "utm_source", true},
		{"utm_*", "xutm_source", false},
		{"*id", "gclid", true},
		{"*id", "id", true},
		{"*id", "ideal", false},
		{"a*b*c", "axbxc", true},
		{"a*b*c", "abc", true},
		{"a*b*c", "acb", false},
		{"a*b*c", "abxcx", false},
		{"a**c", "ac", true},
		{"a*a", "a", false},
		{"*ab*ab", "abab", true},
		{"*ab*ab", "ab", false},
		{"x[]", "x[]", true},
	} {
		if got := matchesName(tt.pattern, tt.name); got != tt.want {
			t.Errorf("matchesName(%q, %q) = %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}
