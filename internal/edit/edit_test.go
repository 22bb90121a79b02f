package edit

import (
	"errors"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestMatchesName(t *testing.T) {
	for _, test := range []struct {
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
		if got := matchesName(test.pattern, test.name); got != test.want {
			t.Errorf("matchesName(%q, %q) = %v, want %v", test.pattern, test.name, got, test.want)
		}
	}
}

// Each combination of the choices gives a URL.
func TestApply(t *testing.T) {
	u := url.MustParse("http://h/a?b=1&c=2")
	for _, test := range []struct {
		edits Edits
		want  string
	}{
		{Edits{}, "http://h/a?b=1&c=2"},
		{Edits{Unset: []string{"path"}, Set: []Pair{{"port", "1"}, {"port", "2"}}}, "http://h:2?b=1&c=2"},
		{Edits{Set: []Pair{{"port", "1"}}, Choices: [][]Pair{{{"path", "/x"}, {"path", "/y"}}, {{"port", "2"}, {"port", "3"}}}, UnsetQuery: []string{"*"}}, "http://h:2/x http://h:3/x http://h:2/y http://h:3/y"},
		{Edits{AppendPath: []string{"x/y"}, SetQuery: []Pair{{"c", "3"}}, AddQuery: []Pair{{"a", "0"}}, SortQuery: true}, "http://h/a/x%2Fy?a=0&b=1&c=3"},
	} {
		all, err := test.edits.Apply(u)
		var got []string
		for _, edited := range all {
			got = append(got, edited.String())
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("Apply of %+v = %q, %v, want %q", test.edits, got, err, test.want)
		}
	}
}

func TestApplyFails(t *testing.T) {
	u := url.MustParse("http://h/")
	if all, err := (Edits{Set: []Pair{{"nope", "1"}}}).Apply(u); !errors.Is(err, scheme.ErrNoPart) || all != nil {
		t.Errorf("a part that does not exist: %q, %v", all, err)
	}
	choices := [][]Pair{{{"host", "h"}, {"host", "u:se cret@x"}}}
	if all, err := (Edits{Choices: choices}).Apply(u); err == nil || strings.Contains(err.Error(), "cret") || all != nil {
		t.Errorf("a host with a password: %q, %v", all, err)
	}
}
