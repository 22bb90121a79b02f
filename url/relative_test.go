package url

import "testing"

// Relative returns the expected reference for each pair, by each standard. "!" means an error.
func TestRelative(t *testing.T) {
	for _, test := range []struct {
		std           Standard
		base, u, want string
	}{
		{RFC3986, "http://h/a/b", "http://h/a/b", ""},
		{RFC3986, "http://h/a/b?q", "http://h/a/b", "b"},
		{RFC3986, "http://h/a/b", "http://h/a/b#f", "#f"},
		{RFC3986, "http://h/a/b", "http://h/a/b?q", "?q"},
		{RFC3986, "http://h/a/b", "http://h/a/", "."},
		{RFC3986, "http://h/a/b", "http://h/a/c:d", "./c:d"}, // "c:" alone would be a scheme
		{RFC3986, "http://h/a/b", "http://i/a/b", "//i/a/b"},
		{RFC3986, "http://h/a/b", "https://h/a/b", "https://h/a/b"},
		{RFC3986, "http://h/a/b/c", "http://h/a/d", "../d"},
		{RFC3986, "http://h/a/b/c", "http://h/d", "/d"},
		{RFC3986, "http://h/a/b", "http://h/a/../c", "!"},
		{RFC3986, "x:a", "x:b", "b"},
		{RFC3986, "a/b", "a/c", "!"},
		{RFC1738, "http://h/a/b;p", "http://h/a/b;q", ";q"},
		{RFC1738, "http://h/a/b", "http://h/a/c", "c"},
		{RFC1738, "mailto:a@b", "mailto:c@d", "!"},
		{RFC1630, "magic://a/b/c//d/e/f", "magic://a/b/c//d/e/g", "g"},
		{RFC1630, "magic://a/b/c//d/e/f", "magic://a/g", "/g"},
		{RFC1630, "news:1@h", "news:comp.x", "comp.x"},
	} {
		base, err := test.std.Parse(test.base)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		u, err := test.std.Parse(test.u)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		got, err := base.Relative(u)
		if test.want == "!" {
			if err == nil {
				t.Errorf("%v: Relative(%q, %q) = %q, want an error", test.std, base, u, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: Relative(%q, %q): %v", test.std, base, u, err)
			continue
		}
		if got != test.want {
			t.Errorf("%v: Relative(%q, %q) = %q, want %q", test.std, base, u, got, test.want)
		}
		if back, err := base.Resolve(got); err != nil || back != u {
			t.Errorf("%v: Resolve(%q, %q) = %q, %v, want %q", test.std, base, got, back, err, u)
		}
	}
}
