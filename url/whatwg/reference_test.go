package whatwg

import (
	"testing"

	"locus/url"
)

// resolvePlain resolves a reference to the same URL as the machine, or leaves it to the machine.
func TestResolvePlain(t *testing.T) {
	bases := []string{
		"http://h/", "https://u:p@h:8/a/b/c?q#f", "http://h/a//b/../c/", "ftp://h/a", "ws://h/?q", "file:///a/b", "file:///c:/a", "x://h/a/b",
		"x:/a/b", "x:a", "httpx://h/a/b", "httpx:a", "http://h/#f", "http://h/a|b/c",
	}
	refs := []string{
		"", "a", "a/b", "a/b/", "./a", "../a", "../../a", "../../../../a", ".././a", "./../a", "..", ".", "../..", "a/..", "a/../b", "a/./b", "./",
		"../", "%2e%2e/a", "a/%2E", "...", ".a", "..a", ".?q", "..#f", "./?q", "/", "/a", "/../a", "/.", "//", "//x", "//x/", "//x/../a", "//X/", "//x:80/",
		"//1/", "//u@x/", "///x/", "?", "?q", "?q/../a", "#", "#f", "#f/../a", "?q#f", "?'", "#'", "'", "a'b", "a:b", "./a:b", "?a:b", `\a`, `a\b`, " a", "a ",
		"a b", "a\tb", "é", "a%zz", "%", "a[b", "a^b", "c|", "/c|/", "c:", "http:a", "http:/a", "https:a", "mailto:a",
		"?é", "#é", "a?b?c", "a#b#c", "..//a", ".//a", "//", "//?", "//#",
	}
	plain := 0
	for _, base := range bases {
		b := mustParse(t, base)
		for _, ref := range refs {
			checkPlain(t, b, ref, &plain)
		}
	}
	for _, test := range cases[parseCase](t, "urltestdata.json") {
		if test.Base == nil {
			continue
		}
		if b, err := Parse(*test.Base); err == nil {
			checkPlain(t, b, test.Input, &plain)
		}
	}
	if plain < 200 {
		t.Errorf("resolvePlain resolves %d references, want at least 200", plain)
	}
}

func checkPlain(t *testing.T, base url.URL, ref string, plain *int) {
	t.Helper()
	p := Parser{Base: base}
	want, wantErr := p.parse(ref)
	if got, err := Resolve(base, ref); got != want || (err == nil) != (wantErr == nil) {
		t.Errorf("Resolve(%q, %q) = %q, %v, but the machine makes %q, %v", base, ref, got, err, want, wantErr)
	}
	if got, ok := resolvePlain(&base, ref); ok {
		*plain++
		if wantErr != nil || got != want {
			t.Errorf("resolvePlain(%q, %q) = %q, but the machine makes %q, %v", base, ref, got, want, wantErr)
		}
	}
	if got, err := p.Parse(ref); got != want || (err == nil) != (wantErr == nil) {
		t.Errorf("Parser.Parse(%q) in %q = %q, %v, but the machine makes %q, %v", ref, base, got, err, want, wantErr)
	}
}

func FuzzResolve(f *testing.F) {
	for _, ref := range []string{"a", "../a?b#c", "//h/a", "?q", "./..", "a/%2e./b", "//0/"} {
		f.Add("https://u@h/a/b/?q#f", ref)
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		b, err := Parse(base)
		if err != nil {
			return
		}
		var plain int
		checkPlain(t, b, ref, &plain)
	})
}
