package url

import (
	"slices"
	"testing"
)

func TestSegments(t *testing.T) {
	for in, want := range map[string][]string{
		"http://h": nil, "http://h/": {""}, "http://h/a": {"a"}, "http://h/a/": {"a", ""}, "http://h//a": {"", "a"},
		"http://h/a%2Fb/c%20d?e/f": {"a/b", "c d"}, "a/b": {"a", "b"}, "x:a": {"a"}, "http://h/%FF": {"\xff"},
	} {
		if got := MustParse(in).Segments(); !slices.Equal(got, want) {
			t.Errorf("Segments of %q = %q, want %q", in, got, want)
		}
	}
}

func TestJoinPath(t *testing.T) {
	for _, test := range []struct {
		in       string
		segments []string
		want     string // "" for an error
	}{
		{"http://h", nil, "http://h"},
		{"http://h", []string{"a"}, "http://h/a"},
		{"http://h/", []string{"a", "b"}, "http://h/a/b"},
		{"http://h/a?q#f", []string{"b"}, "http://h/a/b?q#f"},
		{"http://h/a/", []string{"b", ""}, "http://h/a/b/"},
		{"http://h/a%2fb", []string{"c/d e;f?g#h%"}, "http://h/a%2fb/c%2Fd%20e%3Bf%3Fg%23h%25"},
		{"http://h/a", []string{"é:"}, "http://h/a/%C3%A9%3A"},
		{"a", []string{"b"}, "a/b"},
		{"", []string{"b:c"}, "b%3Ac"},
		{"x:", []string{"b"}, "x:b"},
		{"http://h/a", []string{".."}, ""},
		{"http://h/a", []string{"."}, ""},
		{"#f", []string{"", "0"}, ""},
		{"", []string{""}, ""},
		{"http://h", []string{""}, "http://h/"},
		{"http://h/a", []string{"b", "", "c"}, "http://h/a/b/c"},
		{"http://h/a/", []string{"", "b"}, "http://h/a/b"},
	} {
		got, err := MustParse(test.in).JoinPath(test.segments...)
		if (err == nil) != (test.want != "") || got.String() != test.want {
			t.Errorf("JoinPath(%q, %q) = %q, %v; want %q", test.in, test.segments, got, err, test.want)
		}
	}
}

// Segments returns the segments that JoinPath has added, except an empty one before another one, which has no effect.
func FuzzJoinPath(f *testing.F) {
	f.Add("http://h/a?b", "c/d", "%2F")
	f.Add("x:", "a", "")
	f.Add("#", "", "0")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		for _, std := range standards {
			u, err := std.Parse(text)
			if err != nil {
				continue
			}
			v, err := u.JoinPath(a, b)
			if err != nil {
				continue
			}
			added := []string{a, b}
			if a == "" {
				added = []string{b}
				if w, err := u.JoinPath(b); err != nil || w != v {
					t.Errorf("%v: JoinPath(%q, %q) = %q, %v; want %q, as with an empty segment before it", std, text, b, w, err, v)
				}
			}
			if got := v.Segments(); len(got) < len(added) || !slices.Equal(got[len(got)-len(added):], added) {
				t.Errorf("%v: JoinPath(%q, %q, %q) = %q with segments %q, want them to end with %q", std, text, a, b, v, got, added)
			}
		}
	})
}
