package whatwg

import (
	"regexp"
	"testing"
)

// The translation of a JavaScript regular expression matches the same texts in Go.
func TestGoRegexp(t *testing.T) {
	for _, test := range []struct {
		js      string
		matches []string
		not     []string
	}{
		{`\d+`, []string{"0", "42"}, []string{"", "a", "٣"}},
		{`\w\W`, []string{"a-", "_é"}, []string{"ab", "--"}},
		{`\s\S`, []string{" a", "\u00a0a", "\ufeffa"}, []string{"a ", "  "}},
		{`a\/b\.\-?`, nil, nil}, // "\-" is no escape outside a class
		{`a\/b\.`, []string{"a/b."}, []string{"a/bc"}},
		{`\x41\u0042\u{43}\cJ\0\t\n\v\f\r`, []string{"ABC\n\x00\t\n\v\f\r"}, []string{"ABC"}},
		{`[a-c\d_]`, []string{"a", "c", "7", "_"}, []string{"d", "-", ""}},
		{`[^a-c]`, []string{"d", "é"}, []string{"a", ""}},
		{`[]`, nil, []string{"", "a"}},
		{`[^]`, []string{"a", "\n"}, []string{""}},
		{`[[a-z]--[aeiou]]`, []string{"b", "z"}, []string{"a", "u"}},
		{`[\w&&[^\d]]`, []string{"a", "_"}, []string{"1", "-"}},
		{`[\p{L}--\p{Lu}]`, []string{"a", "é"}, []string{"A", "1"}},
		{`\p{Script=Greek}\P{Uppercase_Letter}`, []string{"αa", "Ωω"}, []string{"aa", "αA"}},
		{`[\-\b\]]`, []string{"-", "\b", "]"}, []string{"b", `\`}},
		{`[\u{1f600}-\u{1f64f}]`, []string{"😀"}, []string{"a"}},
		{`(?:ab){2,3}`, []string{"abab", "ababab"}, []string{"ab"}},
		{`(?<x>a)b`, []string{"ab"}, []string{"b"}},
		{`(?i:a)b`, []string{"ab", "Ab"}, []string{"aB"}},
		{`a|b`, []string{"a", "b"}, []string{"c"}},
		{`a\b`, []string{"a"}, []string{"ab"}},
		{`\m`, nil, nil},
		{`\H`, nil, nil},
		{`\1`, nil, nil},
		{`\01`, nil, nil},
		{`\k<x>`, nil, nil},
		{`\`, nil, nil},
		{`\xg1`, nil, nil},
		{`\u{110000}`, nil, nil},
		{`\u{1`, nil, nil},
		{`\u12`, nil, nil},
		{`\p{Nothing}`, nil, nil},
		{`\p{sc=Nothing}`, nil, nil},
		{`\p{x=y}`, nil, nil},
		{`\pL`, nil, nil},
		{`\p{`, nil, nil},
		{`(?=a)`, nil, nil},
		{`(?!a)`, nil, nil},
		{`(?<=a)`, nil, nil},
		{`(?<!a)`, nil, nil},
		{`(?R)`, nil, nil},
		{`(?P<x>a)`, nil, nil},
		{`a{`, nil, nil},
		{`a}`, nil, nil},
		{`a]`, nil, nil},
		{`a{,2}`, nil, nil},
		{`a{x}`, nil, nil},
		{`[a`, nil, nil},
		{`[a-`, nil, nil},
		{`[z-a]`, nil, nil},
		{`[a-\d]`, nil, nil},
		{`[a&&&&b]`, nil, nil},
		{`[!!]`, nil, nil},
		{`[(]`, nil, nil},
		{`[\`, nil, nil},
	} {
		expression, err := goRegexp(test.js)
		var re *regexp.Regexp
		if err == nil {
			re, err = regexp.Compile("^(?:" + expression + ")$")
		}
		if wantErr := test.matches == nil && test.not == nil; (err != nil) != wantErr {
			t.Errorf("goRegexp(%q) = %q, %v, want an error: %v", test.js, expression, err, wantErr)
			continue
		}
		for _, s := range test.matches {
			if !re.MatchString(s) {
				t.Errorf("goRegexp(%q) does not match %q", test.js, s)
			}
		}
		for _, s := range test.not {
			if re.MatchString(s) {
				t.Errorf("goRegexp(%q) matches %q", test.js, s)
			}
		}
	}
}

// Every pattern either does not match a URL or matches it with the URL's parts. (A normalized pattern may differ from
// the pattern itself: by the standard, "*" before a newline and "*" becomes "**".)
func FuzzURLPattern(f *testing.F) {
	for _, s := range []string{
		"https://*.example.com/books/:id(\\d+)?", "http{s}?://h:8080/*?q=:q#:f", "/:a{-:b}+/(x|y)*", "data\\:foo*", "https://[::1]/{a}*",
		"https://u:p@h/a", ":a(.*)*{b}", "(?:a){}*:b", "/foo/:bar.html", "([^/]+?)", "*{}**?", "([[a-z]--a])",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePattern(s, "https://base.example/dir/x?q#f", PatternOptions{})
		if err != nil || len(s) > 1000 {
			return
		}
		for _, text := range []string{"https://base.example/dir/x?q#f", s} {
			m, ok := p.MatchText(text, "")
			u, err := Parse(text)
			if fields := FieldsOf(u); ok && (err != nil || m[Hostname].Input != fields.Hostname || m[Pathname].Input != fields.Pathname) {
				t.Errorf("the pattern %q matches %q with %v, %v", s, text, m, err)
			}
		}
	})
}
