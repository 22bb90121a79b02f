package whatwg

import (
	"encoding/json"
	"testing"

	"locus/url"
)

// A URL of Standard is resolved, edited, compared and marshaled as browsers do.
func TestStandard(t *testing.T) {
	u, err := Standard.Parse(`HTTP:\\Example.ORG\a b`)
	if err != nil || u.String() != "http://example.org/a%20b" || u.Standard() != Standard {
		t.Fatalf("Parse = %q, %v by %v, want http://example.org/a%%20b by the URL Standard", u, err, u.Standard())
	}
	if got, err := u.Resolve(`..\x?'`); err != nil || got.String() != "http://example.org/x?%27" {
		t.Errorf("Resolve = %q, %v, want http://example.org/x?%%27", got, err)
	}
	for _, test := range []struct {
		part  url.PartName
		value url.Part
		want  string // "": an error
	}{
		{url.Host, url.Some("B\u00fccher.example"), "http://xn--bcher-kva.example/a%20b"},
		{url.Host, url.Some("EXAMPLE.org"), "http://example.org/a%20b"},
		{url.Host, url.Some(""), ""},
		{url.Host, url.Part{}, ""},
		{url.Host, url.Some("a b"), ""},
		{url.Port, url.Some("80"), "http://example.org/a%20b"},
		{url.Port, url.Some("8080"), "http://example.org:8080/a%20b"},
		{url.Port, url.Some("x"), ""},
		{url.Path, url.Some("c/../d"), "http://example.org/d"},
		{url.Path, url.Some("a b"), "http://example.org/a%20b"},
		{url.Scheme, url.Some("mailto"), ""},
		{url.Query, url.Some("q"), "http://example.org/a%20b?q"},
		{url.Fragment, url.Part{}, "http://example.org/a%20b"},
		{url.Password, url.Some("p"), "http://:p@example.org/a%20b"},
		// A query or fragment is kept as written, and may be empty.
		{url.Query, url.Some("?q"), "http://example.org/a%20b??q"},
		{url.Query, url.Some(""), "http://example.org/a%20b?"},
		{url.Fragment, url.Some("#f"), "http://example.org/a%20b##f"},
		{url.Fragment, url.Some(""), "http://example.org/a%20b#"},
		// A value whose end a setter would ignore is an error.
		{url.Scheme, url.Some("https:x"), ""},
		{url.Scheme, url.Part{}, ""},
		{url.Host, url.Some("h/evil"), ""},
		{url.Host, url.Some(`h\evil`), ""},
		{url.Host, url.Some("h?q"), ""},
		{url.Host, url.Some("h#f"), ""},
		{url.Host, url.Some("h:1"), ""},
		{url.Host, url.Some("u@h"), ""},
		{url.Port, url.Some("80x"), ""},
		{url.Port, url.Some("80/x"), ""},
	} {
		got, err := u.With(test.part, test.value)
		if (err == nil) != (test.want != "") || got.String() != test.want {
			t.Errorf("With(%v, %q) = %q, %v; want %q", test.part, test.value.Text, got, err, test.want)
		}
	}
	if got, err := mustParse(t, "x://h/").With(url.Host, url.Some(`a\b`)); err == nil {
		t.Errorf("With(host) = %q, want an error, because a host has no backslash", got)
	}
	text, err := json.Marshal(u)
	v := mustParse(t, "x:")
	if err != nil || json.Unmarshal(text, &v) != nil || v != u {
		t.Errorf("Marshal of %q = %s, %v, but Unmarshal reads %q by %v", u, text, err, v, v.Standard())
	}
	if w, err := Standard.Build(u.Parts()); err != nil || w != u {
		t.Errorf("Build of the parts of a URL = %q, %v, want the same URL", w, err)
	}
	if w, err := Standard.Build(url.Parts{Scheme: url.Some("http"), Host: url.Some("h\\e"), Path: "/"}); err == nil {
		t.Errorf("Build with a backslash in the host = %q, want an error", w)
	}
}

// changeable has hrefs of every shape.
var changeable = []string{
	"http://u:p@h:8080/a/b?q#f", "http://h/", "http://h/??q##f", "http://h/?#", "http://h/?", "http://h/#", "file:///C:/a/b", "file:///", "file://h/a",
	"x:a", "x:", "x:a?q#f", "x:/a", "x:/.//a", "x://h", "x://h/", "x://", "x:///a", "x://u@h:1//a//", "mailto:a@b", "gopher://h/0a", "http://h/a%", "http://[::1]/",
	"data:a%20#f", "blob:http://h/a",
}

// Setting a part to its own value changes nothing. A removed part is absent.
func TestWithOwnParts(t *testing.T) {
	for _, text := range changeable {
		checkOwnParts(t, mustParse(t, text))
	}
}

func checkOwnParts(t *testing.T, u url.URL) {
	t.Helper()
	for n := url.Scheme; n <= url.Fragment; n++ {
		if v, err := u.With(n, u.Part(n)); err != nil || v != u {
			t.Errorf("With(%v, %+v) of %q = %q, %v, want it unchanged", n, u.Part(n), u, v, err)
		}
		v, err := u.Without(n)
		if err == nil && n != url.Host && n != url.Path && v.Part(n).Present {
			t.Errorf("Without(%v) of %q = %q, want the part removed", n, u, v)
		}
	}
}

func TestJoinPath(t *testing.T) {
	for _, test := range []struct {
		in       string
		segments []string
		want     string // "": an error
	}{
		{"http://h", []string{"a b", "c"}, "http://h/a%20b/c"},
		{"http://h/a?q#f", []string{"b/c"}, "http://h/a/b%2Fc?q#f"},
		{"http://h/", []string{`a\b`}, "http://h/a%5Cb"}, // not a slash
		{"x://h/", []string{`a\b`}, "x://h/a%5Cb"},
		{"http://h/", []string{"a\tb"}, "http://h/a%09b"}, // tabs are escaped and not removed
		{"http://h/", []string{"%2e%2e"}, "http://h/%252e%252e"},
		{"http://h/", []string{"\u00e9\xff"}, "http://h/%C3%A9%FF"},
		{"file:///", []string{"C|", "a"}, "file:///C%7C/a"}, // no drive
		{"file:///C:/a", []string{"b"}, "file:///C:/a/b"},
		{"x:/.//a", []string{"b"}, "x:/.//a/b"},
		{"http://h/", []string{".."}, ""},
		{"mailto:a@b", []string{"c"}, ""},
		{"x:", []string{"c"}, ""},
	} {
		got, err := mustParse(t, test.in).JoinPath(test.segments...)
		if (err == nil) != (test.want != "") || got.String() != test.want {
			t.Errorf("JoinPath(%q, %q) = %q, %v; want %q", test.in, test.segments, got, err, test.want)
		}
	}
}

// Relative returns the shortest reference that resolves to a URL and keeps the parts of the URL as they are written.
func TestRelative(t *testing.T) {
	for _, test := range []struct{ base, u, want string }{
		{"http://h/a/b", "http://h/a/b", ""},
		{"http://h/a/b?q#f", "http://h/a/b?q", ""},
		{"http://h/a/b?q", "http://h/a/b", "b"},
		{"http://h/a/b", "http://h/a/b#f", "#f"},
		{"http://h/a/b", "http://h/a/b?", "?"},
		{"http://h/a/b", "http://h/a/", "."},
		{"http://h/a/b/c", "http://h/a/d", "../d"},
		{"http://h/a/b/c", "http://h/d", "/d"},
		{"http://h/a/b/c", "http://h//d", "/.//d"},
		{"http://h/a/b", "http://h/a/c:d", "./c:d"},
		{"http://h/a/b", "http://i/", "//i"}, // browsers add the slash
		{"http://h/a/b", "http://i:81/?q", "//i:81?q"},
		{"http://h/a/b", "http://i/a", "//i/a"},
		{"http://h/a/b", "https://h/a/b", "https://h/a/b"},
		{"http://h/a/b", "https://h/", "https://h"},
		{"x://h/a", "x://i/", "//i/"},
		{"x://h/a", "x://i", "//i"},
		{"x://h/a", "x://h", "//h"},
		{"x:a", "x:b", "x:b"},
		{"x:a", "x:a?q#f", "x:a?q#f"},
		{"x:a?q", "x:a?q#f", "#f"},
		{"mailto:a@b", "http://h/", "http://h"},
		{"file:///C:/a/b", "file:///C:/", "/"}, // the drive stays
		{"file:///C:/a/b", "file:///C:/x/y", "/x/y"},
		{"file:///C:/a/b", "file:///D:/x", "/D:/x"},
		{"file:///a/b", "file://h/", "//h"},
		{"file://h/a/b", "file:///c", "///c"},
		{"x:/a", "x:/.//b", ".//b"},
	} {
		base, u := mustParse(t, test.base), mustParse(t, test.u)
		got, err := base.Relative(u)
		if err != nil || got != test.want {
			t.Errorf("Relative(%q, %q) = %q, %v; want %q", base, u, got, err, test.want)
		}
		if back, err := base.Resolve(got); err != nil || back != u {
			t.Errorf("Resolve(%q, %q) = %q, %v; want %q", base, got, back, err, u)
		}
	}
}

// Difference reads a URL of another standard by the URL Standard.
func TestDifference(t *testing.T) {
	u := mustParse(t, "http://h/%20")
	for _, test := range []struct {
		text   string
		differ bool
	}{{"HTTP://h:80/%20", false}, {"http://h/%20?", true}, {"//h/%20", true}} {
		if part, _, _, differ := u.Difference(url.MustParse(test.text), url.Facts{}); differ != test.differ {
			t.Errorf("Difference(%q, %q) = %v, %v; want %v", u, test.text, part, differ, test.differ)
		}
	}
}

// Difference compares hrefs byte by byte.
func TestDifferenceOffsets(t *testing.T) {
	for _, test := range []struct {
		u, v     string
		atU, atV int
	}{
		{"http://h/%7Ea", "http://h/~a", 9, 9},
		{"http://h/%7Ea", "http://h/%7ea", 11, 11},
		{"x://h/a", "x://H/a", 4, 4},
		{"http://h/a", "http://h/a?", 10, 11},
	} {
		u, v := mustParse(t, test.u), mustParse(t, test.v)
		if part, i, j, differ := u.Difference(v, url.Facts{}); !differ || i != test.atU || j != test.atV {
			t.Errorf("Difference(%q, %q) = %v, %d, %d, %v; want %d, %d", u, v, part, i, j, differ, test.atU, test.atV)
		}
	}
}

// Edits keep the parts that they do not change, and every URL has a relative reference.
func FuzzStandard(f *testing.F) {
	for _, base := range changeable {
		for _, text := range changeable {
			f.Add(base, text, "a")
		}
	}
	f.Add("http://h/a", "file:///C:/", `\ |%2e`)
	f.Fuzz(func(t *testing.T, baseText, text, segment string) {
		base, err := Parse(baseText)
		if err != nil {
			return
		}
		u, err := Parse(text)
		if err != nil {
			return
		}
		checkOwnParts(t, u)
		ref, err := base.Relative(u)
		if err != nil || len(ref) > len(u.String()) {
			t.Errorf("Relative(%q, %q) = %q, %v, want a reference no longer than the URL", base, u, ref, err)
		}
		if v, err := base.Resolve(ref); err != nil || v != u {
			t.Errorf("Relative(%q, %q) = %q, but it resolves to %q, %v", base, u, ref, v, err)
		}
		v, err := u.JoinPath(segment)
		if err != nil {
			return
		}
		if all := v.Segments(); all[len(all)-1] != segment || v.Part(url.Query) != u.Part(url.Query) || v.Part(url.Host) != u.Part(url.Host) {
			t.Errorf("JoinPath(%q, %q) = %q with segments %q, want the new one at the end and the query and host kept", u, segment, v, all)
		}
	})
}
