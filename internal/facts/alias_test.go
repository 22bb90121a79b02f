package facts

import (
	"strings"
	"testing"
)

func TestAlias(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"dav://h/a", "http://h/a"},
		{"DAVS://h:8443/a?b", "https://h:8443/a?b"},
		{"webcal://h/c.ics", "http://h/c.ics"},
		{"webcals://h/c.ics", "https://h/c.ics"},
		{"feed://h/rss", "http://h/rss"},
		{"feed:https://h/rss", "https://h/rss"},
		{"view-source:https://h/", "https://h/"},
		{"view-source:view-source:x", "view-source:x"},
		{"view-source:", ""},
		{"feed:x", ""},
		{"dav:/x", ""},
		{"http://h/", ""},
		{"davx://h/", ""},
		{"", ""},
	} {
		got, ok := Alias(test.url)
		if !ok {
			got = ""
		}
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Alias(%q) = %q, %v, want %q", test.url, got, ok, test.want)
		}
	}
}

// A scheme is in one row of the openers, and no engine opens it.
func TestOpeners(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range openers {
		for name := range strings.FieldsSeq(o.schemes) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%q is in the table twice, or not in lower case", name)
			}
			seen[name] = true
			if Of(name).Traits&(Object|Upload|Session|Address) != 0 {
				t.Errorf("%q has an engine, and the opener %q", name, o.program)
			}
		}
	}
	for _, test := range []struct{ name, want string }{
		{"magnet", "a BitTorrent client or another program that shares files"}, {"ssh", "an SSH client"}, {"ms-word", "an office program"}, {"ms-settings-lock", "Microsoft Windows or one of its programs"}, {"ftp", ""}, {"", ""}, {"x-y", ""},
	} {
		if got := Opener(test.name); got != test.want {
			t.Errorf("Opener(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}
