package url

import (
	"strings"
	"testing"
)

// absent stands for an absent part in a table, because "" stands for an empty part.
const absent = "‸"

// Each standard divides each shape of URL into the expected parts.
func TestAccessors(t *testing.T) {
	type parts [partCount]string
	const x = absent
	for _, test := range []struct {
		std  Standard
		in   string
		want parts
	}{
		{RFC3986, "", parts{x, x, x, x, x, "", x, x}},
		{RFC3986, "?", parts{x, x, x, x, x, "", "", x}},
		{RFC3986, "#", parts{x, x, x, x, x, "", x, ""}},
		{RFC3986, "?#", parts{x, x, x, x, x, "", "", ""}},
		{RFC3986, "#?", parts{x, x, x, x, x, "", x, "?"}},
		{RFC3986, "x:", parts{"x", x, x, x, x, "", x, x}},
		{RFC3986, "x:?", parts{"x", x, x, x, x, "", "", x}},
		{RFC3986, "//", parts{x, x, x, "", x, "", x, x}},
		{RFC3986, "//@", parts{x, "", x, "", x, "", x, x}},
		{RFC3986, "//:@", parts{x, "", "", "", x, "", x, x}},
		{RFC3986, "//:@:", parts{x, "", "", "", "", "", x, x}},
		{RFC3986, "//:", parts{x, x, x, "", "", "", x, x}},
		{RFC3986, "//h?", parts{x, x, x, "h", x, "", "", x}},
		{RFC3986, "x://h#", parts{"x", x, x, "h", x, "", x, ""}},
		{RFC3986, "x://u@h", parts{"x", "u", x, "h", x, "", x, x}},
		{RFC3986, "x://u:@h", parts{"x", "u", "", "h", x, "", x, x}},
		{RFC3986, "x://u:p:q@h", parts{"x", "u", "p:q", "h", x, "", x, x}},
		{RFC3986, "x://:p@h:/", parts{"x", "", "p", "h", "", "/", x, x}},
		{RFC3986, "x://[::1]:1/", parts{"x", x, x, "[::1]", "1", "/", x, x}},
		{RFC3986, "file:///a", parts{"file", x, x, "", x, "/a", x, x}},
		{RFC3986, "/a:b", parts{x, x, x, x, x, "/a:b", x, x}},
		{RFC3986, "a/b:c@d", parts{x, x, x, x, x, "a/b:c@d", x, x}},
		{RFC3986, "mailto:a@b", parts{"mailto", x, x, x, x, "a@b", x, x}},
		{RFC3986, "x:/a//b", parts{"x", x, x, x, x, "/a//b", x, x}},
		{RFC3986, "x://h//a?b?c#d?e", parts{"x", x, x, "h", x, "//a", "b?c", "d?e"}},
		{RFC1738, "ftp://u:@h/a?b", parts{"ftp", "u", "", "h", x, "/a?b", x, x}},
		{RFC1738, "http://h/a?b?c", parts{"http", x, x, "h", x, "/a", "b?c", x}},
		{RFC1738, "HTTPS://h/?", parts{"HTTPS", x, x, "h", x, "/", "", x}},
		{RFC1738, "wais://h:1/d?w", parts{"wais", x, x, "h", "1", "/d", "w", x}},
		{RFC1738, "ftp://a?b@h/", parts{"ftp", "a?b", x, "h", x, "/", x, x}},
		{RFC1738, "file:///", parts{"file", x, x, "", x, "/", x, x}},
		{RFC1738, "gopher://h", parts{"gopher", x, x, "h", x, "", x, x}},
		{RFC1738, "1a+.-:b", parts{"1a+.-", x, x, x, x, "b", x, x}},
		{RFC1630, "", parts{x, x, x, x, x, "", x, x}},
		{RFC1630, "x:a?b#c", parts{"x", x, x, x, x, "a", "b", "c"}},
		{RFC1630, "x://u:p@h:1/a?#", parts{"x", "u", "p", "h", "1", "/a", "", ""}},
		{RFC1630, "news:1@h", parts{"news", x, x, x, x, "1@h", x, x}},
		{hrefStandard, "http://u:p@h:1/a?b#c", parts{"http", "u", "p", "h", "1", "/a", "b", "c"}},
		{hrefStandard, "x:a b", parts{"x", x, x, x, x, "a b", x, x}},
		{hrefStandard, "x://", parts{"x", x, x, "", x, "", x, x}},
	} {
		u, err := test.std.Parse(test.in)
		if err != nil {
			t.Errorf("%v.Parse(%q): %v", test.std, test.in, err)
			continue
		}
		var got parts
		for n := range PartName(partCount) {
			got[n] = absent
			if p := u.Part(n); p.Present {
				got[n] = p.Text
			}
		}
		if got != test.want {
			t.Errorf("%v.Parse(%q) has %q, want %q", test.std, test.in, got, test.want)
		}
		checkAgreement(t, u)
	}
}

// checkAgreement checks that all accessors of u return the same parts.
func checkAgreement(t *testing.T, u URL) {
	t.Helper()
	for n, get := range map[PartName]func() (string, bool){User: u.User, Password: u.Password, Host: u.Host, Port: u.Port, Query: u.Query, Fragment: u.Fragment} {
		text, ok := get()
		if want := u.Part(n); (Part{text, ok}) != want {
			t.Errorf("%v of %q = %q, %v, want %+v", n, u, text, ok, want)
		}
	}
	for n := range PartName(partCount) {
		start, end, ok := u.Span(n)
		p := u.Part(n)
		if ok != p.Present || ok && u.String()[start:end] != p.Text {
			t.Errorf("Span(%v) of %q = %d, %d, %v, want the span of %+v", n, u, start, end, ok, p)
		}
		if got := u.Parts().Part(n); got != p {
			t.Errorf("Parts of %q: %v = %+v, want %+v", u, n, got, p)
		}
	}
	if u.IsAbs() != u.Part(Scheme).Present || u.rawScheme() != u.Part(Scheme).Text || u.Path() != u.Part(Path).Text {
		t.Errorf("IsAbs, rawScheme and Path of %q differ from its parts: scheme %q, path %q", u, u.rawScheme(), u.Path())
	}
	if _, hasHost := u.Host(); hasHost && !strings.HasPrefix(u.text[u.scheme:u.path], "//") {
		t.Errorf("%q has a host, but no %q after the scheme", u, "//")
	}
	rest := u.PathAndQuery()
	if f := u.Part(Fragment); f.Present {
		rest += "#" + f.Text
	}
	if u.text[u.path:] != rest {
		t.Errorf("PathAndQuery of %q = %q, want all text from the path to the fragment", u, u.PathAndQuery())
	}
	if again, err := u.Standard().Build(u.Parts()); err != nil || again != u {
		t.Errorf("Build of the parts of %q = %q, %v", u, again, err)
	}
}

func TestZeroURL(t *testing.T) {
	var zero URL
	if u, err := Parse(""); err != nil || u != zero || !u.IsZero() {
		t.Errorf("Parse(\"\") = %+v, %v, want the zero URL", u, err)
	}
	if zero.String() != "" || zero.Scheme() != "" || zero.IsAbs() || zero.Standard() != RFC3986 || zero.Redacted() != "" {
		t.Errorf("an accessor of the zero URL %+v is not zero", zero)
	}
	if u := MustParse("#"); u.IsZero() {
		t.Errorf("IsZero of %q = true, want false", u)
	}
	if u, err := RFC1630.Parse(""); err != nil || u == zero || !u.IsZero() {
		t.Errorf("RFC1630.Parse(\"\") = %+v, %v, want an empty reference that differs from the zero URL", u, err)
	}
}

// URLs are values: the same text read by the same standard is the same map key.
func TestURLsAsKeys(t *testing.T) {
	old, err := RFC1630.Parse("http://h/")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[URL]int{MustParse("http://h/"): 1, MustParse("http://H/"): 2, old: 3}
	if len(seen) != 3 || seen[MustParse("http://"+"h/")] != 1 || seen[old] != 3 {
		t.Errorf("a map with URLs as keys = %v, want 3 entries", seen)
	}
}

func TestScheme(t *testing.T) {
	for in, want := range map[string]string{"HTTP://h": "http", "hTtP:": "http", "x+-.1:": "x+-.1", "Z39.50R:": "z39.50r", "": "", "/a:b": ""} {
		if got := MustParse(in).Scheme(); got != want {
			t.Errorf("Scheme of %q = %q, want %q", in, got, want)
		}
	}
	low, capital := MustParse("http://h/"), MustParse("HTTP://h/")
	if n := testing.AllocsPerRun(10, func() { _ = low.Scheme() }); n != 0 {
		t.Errorf("Scheme of %q allocates %v times, want 0", low, n)
	}
	if n := testing.AllocsPerRun(10, func() { _ = capital.Scheme() }); n > 1 {
		t.Errorf("Scheme of %q allocates %v times, want 1", capital, n)
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error(`MustParse("a b") returns, want a panic`)
		}
	}()
	MustParse("a b")
}

func TestNames(t *testing.T) {
	want := []string{"scheme", "user", "password", "host", "port", "path", "query", "fragment", "unknown part"}
	for n, want := range want {
		if got := PartName(n).String(); got != want {
			t.Errorf("PartName(%d) = %q, want %q", n, got, want)
		}
	}
	for std, want := range map[Standard]string{RFC3986: "RFC 3986", RFC1738: "RFC 1738", RFC1630: "RFC 1630", hrefStandard: "hrefs"} {
		if got := std.String(); got != want {
			t.Errorf("String of a Standard = %q, want %q", got, want)
		}
	}
	u := MustParse("http://u:p@h:1/a?b#c")
	if u.Part(partCount).Present || u.Parts().Part(partCount).Present || u.Parts().with(partCount, Some("x")) != u.Parts() {
		t.Error("Part and with do not ignore an unknown part")
	}
}

// Parsing and the accessors do not allocate.
func TestAccessorsAllocate(t *testing.T) {
	for std, s := range map[Standard]string{
		RFC3986: "http://u:p@h.example:8042/over/there?name=ferret#nose", RFC1738: "http://u:p@h.example:8042/over/there?name=ferret",
		RFC1630: "http://u:p@h.example:8042/over/there?name=ferret#nose", hrefStandard: "http://u:p@h.example:8042/over/there?name=ferret#nose",
	} {
		n := testing.AllocsPerRun(10, func() {
			u, _ := std.Parse(s)
			_, _ = u.Host()
			_, _ = u.Port()
			_ = u.Parts()
			_ = u.PathAndQuery()
			_ = std.Split(s)
		})
		if n != 0 {
			t.Errorf("%v: parsing and dividing %q allocates %v times, want 0", std, s, n)
		}
	}
}
