package url

import (
	"encoding/json"
	"testing"

	"locus/internal/vectors"
)

// readVectors reads a published list of test vectors. It skips the test if the list is absent.
func readVectors(t *testing.T, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(vectors.Read(t, "rfc/"+name), v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// checkResolve checks the result of Resolve, and that Relative finds a reference to the result that is no longer than
// ref.
func checkResolve(t *testing.T, std Standard, base, ref, want string) {
	t.Helper()
	b, err := std.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Resolve(ref)
	if err != nil || got.String() != want {
		t.Errorf("%v: Resolve(%q, %q) = %q, %v, want %q", std, base, ref, got, err, want)
	}
	u, err := std.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	short, err := b.Relative(u)
	if err != nil || len(short) > len(ref) {
		t.Errorf("%v: Relative(%q, %q) = %q, %v, want a reference no longer than %q", std, base, want, short, err, ref)
	}
}

func TestResolve3986(t *testing.T) {
	var list struct {
		Base             string
		Normal, Abnormal [][2]string
	}
	readVectors(t, "rfc3986-5.4.json", &list)
	for _, pair := range append(list.Normal, list.Abnormal...) {
		checkResolve(t, RFC3986, list.Base, pair[0], pair[1])
	}
}

// The examples of RFC 1808 §5, except for the examples with a "#", which RFC 1738 refuses.
//
// req: 1738-2.3-1
func TestResolve1808(t *testing.T) {
	for ref, want := range map[string]string{
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
		"?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "g?y/./x": "http://a/b/c/g?y/./x", ";x": "http://a/b/c/d;x", "g;x": "http://a/b/c/g;x",
		"g;x?y": "http://a/b/c/g;x?y", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
		"../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
		"": "http://a/b/c/d;p?q", "../../../g": "http://a/../g", "../../../../g": "http://a/../../g", "/./g": "http://a/./g", "/../g": "http://a/../g",
		"g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g",
		"./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h", "http:g": "http:g", "http:": "http:",
		"?": "http://a/b/c/d;p?q", ";": "http://a/b/c/d;p?q", "///g": "http://a/g", "g;x:y": "http://a/b/c/g;x:y",
	} {
		checkResolve(t, RFC1738, "http://a/b/c/d;p?q", ref, want)
	}
	checkResolve(t, RFC1738, "ftp://h/a/b;type=a", "c?d", "ftp://h/a/c?d")
	checkResolve(t, RFC1738, "ftp://h/a/b;type=a", ";type=i", "ftp://h/a/b;type=i")
	checkResolve(t, RFC1738, "ftp://h", "g", "ftp://h/g")
}

// The published vectors of RFC 1808 §5 that differ from RFC 3986.
func TestResolve1808Differences(t *testing.T) {
	var list struct{ Cases [][2]string }
	readVectors(t, "rfc1808-5-differences.json", &list)
	for _, pair := range list.Cases {
		if pair[0] != "" { // because the result has the fragment of the base
			checkResolve(t, RFC1738, "http://a/b/c/d;p?q", pair[0], pair[1])
		}
	}
}

// req: 1630-rel-1
// req: 1630-rel-2
// req: 1630-rel-3
// req: 1630-rel-4
// req: 1630-gopher-1
// req: 1630-news-1
func TestResolve1630(t *testing.T) {
	for _, test := range []struct{ base, ref, want string }{
		{"magic://a/b/c//d/e/f", "g", "magic://a/b/c//d/e/g"},
		{"magic://a/b/c//d/e/f", "/g", "magic://a/g"},
		{"magic://a/b/c//d/e/f", "//g", "magic://g"},
		{"magic://a/b/c//d/e/f", "../g", "magic://a/b/c//d/g"},
		{"magic://a/b/c//d/e/f", "g:h", "g:h"},
		{"magic://a/b/c//d/e/", "g", "magic://a/b/c//d/e/g"},
		{"magic://a/b/c//d/e/", "/g", "magic://a/g"},
		{"magic://a/b/c//d/e/", "//g", "magic://g"},
		{"magic://a/b/c//d/e/", "../g", "magic://a/b/c//d/g"},
		{"magic://a/b/c//d/e/", "g:h", "g:h"},
		{"magic://a/b/c//d/e/f", "", "magic://a/b/c//d/e/f"},
		{"magic://a/b/c//d/e/f#x", "#s", "magic://a/b/c//d/e/f#s"},
		{"magic://a/b///c/d", "///g", "magic://a/b///g"},
		{"magic:/a/b//c/d", "//g", "magic:/a/b//g"},
		{"magic://a/b/c", "../../../g", "magic://a/../../g"},
		{"magic://a/b/c", "./g", "magic://a/b/g"},
		{"magic://a/b/c", "x/../../g", "magic://a/g"},
		{"magic://a/b/c", "x.../g..", "magic://a/b/x.../g.."},
		{"magic://a/b/c", "..", "magic://a/b/.."},
		{"magic://a/b", ".", "magic://a/"},
		{"file:///b", "/./.", "file:///"},
		{"magic://a/b/c", "x/y:z", "magic://a/b/x/y:z"}, // because the colon comes after a slash
		{"magic://a/b/c", "./x:y", "magic://a/b/x:y"},
		{"magic://a/b/c", "/x:y", "magic://a/x:y"},
		{"magic://a/b/c", "//x/y:z", "magic://x/y:z"},
		{"magic://a/b/c", "x:y/z", "x:y/z"},
		{"magic://a/b//", "../g", "magic://a/b/g"},
		{"magic://a", "g", "magic://a/g"},
		{"magic://a", "/g", "magic://a/g"},
		{"magic:x/y", "../g", "magic:g"},
		{"gopher://h/11/a/b", "../c", "gopher://h/11/c"},
		{"news:1@h", "comp.infosystems.www", "news:comp.infosystems.www"},
		{"news:comp.x", "2@h", "news:2@h"},
		{"http://h/a?b", "c?d", "http://h/c?d"},
		{"http://h/a?b", "?d", "http://h/?d"},
	} {
		checkResolve(t, RFC1630, test.base, test.ref, test.want)
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, test := range []struct {
		std       Standard
		base, ref string
	}{
		{RFC3986, "a/b", "c"},
		{RFC3986, "http://h/", "a b"},
		{RFC1738, "mailto:a@b", "c"},
		{RFC1738, "http://h/", "a#b"},
		{RFC1738, "http://h/", "a~b"},
		{RFC1630, "magic://a/b", "///g"},
		{RFC1630, "magic:b", "/g"},
		{RFC1630, "magic:/a/b", "..//c"},
		{RFC1630, "a/b", "c"},
	} {
		base, err := test.std.Parse(test.base)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		if u, err := base.Resolve(test.ref); err == nil {
			t.Errorf("%v: Resolve(%q, %q) = %q, want an error", test.std, test.base, test.ref, u)
		}
	}
}

func TestResolveReadsBack(t *testing.T) {
	for _, test := range [][3]string{
		{"x:/a/b", "..//c", "x:/.//c"},
		{"x:a", "/.//c", "x:/.//c"},
		{"x:", "/.//..//c", "x:/.//c"},
		{"x://h", "a", "x://h/a"},
		{"x:a/b", "../../c", "x:/c"},
	} {
		checkResolve(t, RFC3986, test[0], test[1], test[2])
	}
}

// No text that is shorter than the result of Relative resolves to the same URL.
//
// req: 1630-rel-4
func TestRelativeShortest(t *testing.T) {
	shorter := []string{""}
	for i := 0; i < len(shorter) && len(shorter[i]) < 4; i++ {
		for _, c := range "ab/.?;" {
			shorter = append(shorter, shorter[i]+string(c))
		}
	}
	for _, std := range standards {
		for _, text := range []string{"x://a/a/b", "x://a/b/a/", "x://a//b", "x://a", "x://a/a;b?a"} {
			base, err := std.Parse(text)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			for _, ref := range shorter {
				u, err := base.Resolve(ref)
				if err != nil {
					continue
				}
				if got, err := base.Relative(u); err != nil || len(got) > len(ref) {
					t.Errorf("%v: Relative(%q, %q) = %q, %v, want a reference no longer than %q", std, base, u, got, err, ref)
				}
			}
		}
	}
}

// Resolve allocates at most once, and does not allocate if the result is part of an existing text.
func TestResolveAllocations(t *testing.T) {
	base := MustParse("http://www.example.org:80/a/b/c?q#f")
	for _, test := range []struct {
		ref    string
		allocs float64
	}{
		{"", 0},
		{"https://example.org/a/b?q#f", 0},
		{"mailto:a@b", 0},
		{"g", 1},
		{"../g?y#s", 1},
		{"//g", 1},
		{"?y", 1},
		{"#s", 1},
		{"http://h/a/../b", 1},
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = base.Resolve(test.ref) }); n != test.allocs {
			t.Errorf("Resolve(%q) allocates %v times, want %v", test.ref, n, test.allocs)
		}
	}
}
