package robots

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text, path string
		line             int // of the rule that disallows; 0 if it is allowed
	}{
		{"empty", "", "/x", 0},
		{"all", "User-agent: *\nDisallow: /\n", "/x", 2},
		{"nothing", "User-agent: *\nDisallow:\n", "/x", 0},
		{"prefix", "User-agent: *\nDisallow: /a", "/abc", 2},
		{"other", "User-agent: *\nDisallow: /a", "/b", 0},
		{"longest", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/a/b/c", 0},
		{"longest, first", "User-agent: *\nAllow: /a/b\nDisallow: /a\n", "/a/c", 3},
		{"equal", "User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", 0},
		{"own group", "User-agent: *\nDisallow: /\nUser-agent: locus\nDisallow: /x\n", "/y", 0},
		{"own group, version", "User-agent: Locus/2.0\nDisallow: /x\n", "/x", 2},
		{"another's", "User-agent: locusts\nDisallow: /\n", "/x", 0},
		{"two agents", "User-agent: a\nUser-agent: locus\nDisallow: /\n", "/x", 3},
		{"two groups", "User-agent: locus\nDisallow: /a\n\nUser-agent: locus\nDisallow: /b\n", "/b", 5},
		{"comment", "User-agent: * # all\nDisallow: /a # here\n", "/a", 2},
		{"case", "USER-AGENT: *\ndisallow: /a\n", "/a", 2},
		{"paths have case", "User-agent: *\nDisallow: /A\n", "/a", 0},
		{"star", "User-agent: *\nDisallow: /*.gif\n", "/x/y.gif?z", 2},
		{"end", "User-agent: *\nDisallow: /*.gif$\n", "/x/y.gif?z", 0},
		{"end fits", "User-agent: *\nDisallow: /*.gif$\n", "/x.gif/y.gif", 2},
		{"escapes", "User-agent: *\nDisallow: /%7Ejoe\n", "/~joe", 2},
		{"a literal star", "User-agent: *\nDisallow: /a%2Ab\n", "/a*b", 2},
		{"a literal star, escaped", "User-agent: *\nDisallow: /a%2ab\n", "/a%2Ab", 2},
		{"a literal star is no wildcard", "User-agent: *\nDisallow: /a%2Ab\n", "/axb", 0},
		{"a literal dollar", "User-agent: *\nDisallow: /a%24\n", "/a$b", 2},
		{"a literal dollar is no end", "User-agent: *\nDisallow: /a%24\n", "/a", 0},
		{"a dollar in the path", "User-agent: *\nDisallow: /a$\n", "/a$", 0},
		{"bom", "\ufeffUser-agent: *\nDisallow: /\n", "/", 2},
		{"CR", "User-agent: *\rDisallow: /\r", "/", 2},
		{"CR LF", "User-agent: *\r\nDisallow: /\r\n", "/", 2},
		{"no group", "Disallow: /\n", "/", 0},
		{"query", "User-agent: *\nDisallow: /?\n", "/?x", 2},
		{"a bar", "User-agent: *\nDisallow: /a|b\n", "/a%7Cb", 2},
		{"a bar in the path", "User-agent: *\nDisallow: /a%7cb\n", "/a|b", 2},
		{"a bracket", "User-agent: *\nDisallow: /x[1]\n", "/x%5B1%5D.jpg", 2},
		{"UTF-8", "User-agent: *\nDisallow: /é\n", "/%C3%A9?x", 2},
		{"UTF-8 and a lone percent sign", "User-agent: *\nDisallow: /é100%\n", "/%C3%A9100%", 2},
		{"a lone percent sign in the path", "User-agent: *\nDisallow: /é\n", "/%C3%A9100%", 2},
		{"sitemap", "Sitemap: http://h/s.xml\nUser-agent: *\nDisallow: /\n", "/", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Parse(strings.NewReader(test.text), "locus")
			if err != nil {
				t.Fatal(err)
			}
			if line := r.disallows(test.path); line != test.line {
				t.Errorf("%q disallows %q in line %d, want %d", test.text, test.path, line, test.line)
			}
		})
	}
}

// Parse accepts every text, and a line that disallows a path has a pattern that matches the path.
func FuzzParse(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /*a*b*c$\n", "/aaabbbccc")
	f.Add("user-agent:locus\rallow:/", "/")
	f.Fuzz(func(t *testing.T, text, path string) {
		r, err := Parse(strings.NewReader(text), "locus")
		if err != nil {
			return
		}
		line := r.disallows(path)
		if line > 0 && !slices.ContainsFunc(r.rules, func(one rule) bool {
			return one.line == line && !one.allow && one.pattern.matches(unescape(path))
		}) {
			t.Errorf("line %d of %q disallows %q, which it does not match", line, text, path)
		}
	})
}
