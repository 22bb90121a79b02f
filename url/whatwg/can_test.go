package whatwg

import (
	"fmt"
	"strings"
	"testing"

	"locus/url"
)

// checkCanParse checks that CanParse and CanResolve agree with Parse and Resolve.
func checkCanParse(t *testing.T, text string, base url.URL) {
	t.Helper()
	_, err := Resolve(base, text)
	if got := CanResolve(base, text); got != (err == nil) {
		t.Errorf("CanResolve(%q, %q) = %v, but Resolve = %v", text, base, got, err)
	}
	if !base.IsZero() {
		return
	}
	if got := CanParse(text); got != (err == nil) {
		t.Errorf("CanParse(%q) = %v, but Parse = %v", text, got, err)
	}
}

func TestCanParse(t *testing.T) {
	for _, test := range cases[parseCase](t, "urltestdata.json") {
		var base url.URL
		if test.Base != nil {
			var err error
			if base, err = Parse(*test.Base); err != nil {
				continue
			}
		}
		if got := CanResolve(base, test.Input); got == test.Failure && !isOutdated(test.Input) {
			t.Errorf("CanResolve(%q, %q) = %v, which differs from the suite", test.Input, base, got)
		}
		checkCanParse(t, test.Input, base)
	}
}

func TestCanParseDomains(t *testing.T) {
	for _, name := range []string{"toascii.json", "IdnaTestV2.json"} {
		for _, test := range cases[struct{ Input string }](t, name) {
			checkCanParse(t, "https://"+test.Input+"/", url.URL{})
			checkCanParse(t, "https://"+PercentEncode(test.Input, UserinfoSet)+"/", url.URL{})
		}
	}
}

func TestCanParseAllocations(t *testing.T) {
	base := mustParse(t, "https://h/a/b?q")
	for _, text := range []string{
		"https://example.org/a?b#c", "HTTPS://Example.ORG:443/a b", `http:\\h\a`, "http://u:p@h:80/a|b/../c", "x:y z", "X-Own:a", "mailto:a@b", "file:///c|/a",
		"http://1.2.3.4/", "http://0x7F.1/", "http://[::1]:8/", "http://[2001:DB8::1.2.3.4]", "../a b", "//H/", "?a b",
		" http://h/ ", "http://h:99999/", "http://[", "http://", "http://a^b/", "http://1.2.3.256/", "http://h:x/",
	} {
		if n := testing.AllocsPerRun(100, func() { CanResolve(base, text); CanParse(text) }); n != 0 {
			t.Errorf("CanParse(%q) allocates %v times, want 0", text, n)
		}
	}
}

func FuzzCanParse(f *testing.F) {
	for _, s := range []string{"http://h/", "a", "//[::1]", "http://1.2/", "http://%41.é/", "x:/..", "file:c|/", "http://h:99999", "h\tttp://a\nb/"} {
		f.Add("https://h/a", s)
	}
	f.Fuzz(func(t *testing.T, base, text string) {
		b, err := Parse(base)
		if err != nil || strings.Contains(text, "xn--") && len(text) > 200 {
			return
		}
		checkCanParse(t, text, b)
		checkCanParse(t, text, url.URL{})
	})
}

func ExampleCanParse() {
	fmt.Println(CanParse("https://example.org/a b"), CanParse("https://a b/"), CanParse("/a"))
	base, _ := Parse("https://example.org/")
	fmt.Println(CanResolve(base, "/a"), CanResolve(base, "//a b/"))
	// Output:
	// true false false
	// true false
}
