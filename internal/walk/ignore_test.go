package walk

import (
	"strings"
	"testing"
	"time"
)

// The examples of gitignore(5), and cases for its rules.
func TestIgnorePattern(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		folder, want  bool
	}{
		{"*.o", "a.o", false, true},
		{"*.o", "x/y/a.o", false, true},
		{"hello.*", "hello.c", false, true},
		{"/hello.*", "a/hello.java", false, false},
		{"/hello.*", "hello.c", false, true},
		{"doc/frotz", "doc/frotz", false, true},
		{"doc/frotz", "a/doc/frotz", false, false},
		{"foo/", "foo", false, false},
		{"foo/", "a/foo", true, true},
		{"foo/*", "foo/test.json", false, true},
		{"foo/*", "foo/bar/hello.c", false, false},
		{"**/foo", "foo", false, true},
		{"**/foo", "a/b/foo", false, true},
		{"**/foo/bar", "x/foo/bar", false, true},
		{"abc/**", "abc/d/e", false, true},
		{"abc/**", "abc", true, false},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a/**/b", "a/x/y/c", false, false},
		{"a/**/**/b", "a/b", false, true},
		{"a/**/b/**", "a/x/b/y/z", false, true},
		{"a/**/b/**", "a/x/b", true, false},
		{"[!a].c", "b.c", false, true},
		{"[!a].c", "a.c", false, false},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"a b ", "a b", false, true},
		{`end\ `, "end ", false, true},
		{"bad[", "bad[", false, false},
	} {
		p, ok := parseIgnore(test.pattern)
		if !ok {
			t.Errorf("parseIgnore(%q) finds no pattern", test.pattern)
		}
		if got := p.match(test.path, test.folder); got != test.want {
			t.Errorf("%q matches %q (folder %v) = %v, want %v", test.pattern, test.path, test.folder, got, test.want)
		}
	}
	for _, line := range []string{"", "# x", "  ", "!", "/"} {
		if p, ok := parseIgnore(line); ok {
			t.Errorf("parseIgnore(%q) = %+v, want ok false", line, p)
		}
	}
}

// A pattern with many "**" does not take exponential time, even if it does not match.
func TestIgnoreManyStars(t *testing.T) {
	p, _ := parseIgnore(strings.Repeat("**/a/", 40) + "b")
	matched := make(chan bool, 1)
	go func() { matched <- p.match(strings.Repeat("a/", 100)+"c", false) }()
	select {
	case ok := <-matched:
		if ok {
			t.Error("it matches a path with another end")
		}
	case <-time.After(time.Minute):
		t.Error("it is still matched after a minute")
	}
}
