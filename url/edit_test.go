package url

import (
	"strings"
	"testing"
)

// Build returns an error whose offset is at the mark "‸" in the joined text, and which says what it wants there.
func TestBuildOffsets(t *testing.T) {
	h := Parts{Scheme: Some("http"), Host: Some("h"), Path: "/"}
	with := func(n PartName, text string) Parts { return h.with(n, Some(text)) }
	for _, test := range []struct {
		std  Standard
		in   Parts
		at   string
		want string
	}{
		{RFC3986, with(Scheme, ""), "‸://h/", `a scheme before the ":"`},
		{RFC3986, with(Scheme, "1a"), "‸1a://h/", "a letter that starts a scheme"},
		{RFC3986, with(Scheme, "a b"), "a‸ b://h/", "a byte that may stand in a scheme"},
		{RFC3986, with(Scheme, "a%62"), "a‸%62://h/", "a byte that may stand in a scheme"},
		{RFC3986, with(User, "a@b"), "http://a‸@b@h/", "a byte that may stand in a user name, or an escape"},
		{RFC3986, with(User, "a:b"), "http://a‸:b@h/", "a byte that may stand in a user name, or an escape"},
		{RFC3986, with(User, "%"), "http://‸%@h/", wantHexDigits},
		{RFC3986, with(Password, "p"), "http://‸h/", "a user before the password"},
		{RFC3986, with(Host, "a/b"), "http://a‸/b/", "a byte that may stand in a host, or an escape"},
		{RFC3986, with(Host, "a:1"), "http://a‸:1/", "a byte that may stand in a host, or an escape"},
		{RFC3986, with(Host, "[::1"), "http://[::1‸/", `the "]" that ends the address`},
		{RFC3986, with(Host, "[::1]x"), "http://[::1]‸x/", `a ":" or the end of the authority after "]"`},
		{RFC3986, with(Port, "8x"), "http://h:8‸x/", "a byte that may stand in a port"},
		{RFC3986, with(Path, "a"), "http://h‸a", `a "/" that starts the path, as there is a host`},
		{RFC3986, with(Path, "/a?b"), "http://h/a‸?b", "a byte that may stand in a path, or an escape"},
		{RFC3986, with(Path, "/%4"), "http://h/‸%4", wantHexDigits},
		{RFC3986, with(Query, "a#b"), "http://h/?a‸#b", "a byte that may stand in a query, or an escape"},
		{RFC3986, with(Fragment, "a#b"), "http://h/#a‸#b", "a byte that may stand in a fragment, or an escape"},
		{RFC3986, Parts{Path: "//x"}, "‸//x", `a path that does not start with "//", as there is no host`},
		{RFC3986, Parts{Scheme: Some("x"), Path: "//x"}, "x:‸//x", `a path that does not start with "//", as there is no host`},
		{RFC3986, Parts{Scheme: Some("x"), User: Some("u"), Path: "a"}, "x:‸a", "a host after the user"},
		{RFC3986, Parts{Scheme: Some("x"), Port: Some("1"), Path: "a"}, "x:‸a", "a host before the port"},
		{RFC1738, with(Fragment, "f"), "http://h/#‸f", "no fragment"},
		{RFC1738, with(Host, "a_b"), "http://a‸_b/", "a byte that may stand in a host, or an escape"},
		{RFC1738, with(Path, "/~"), "http://h/‸~", "a byte that may stand in a path, or an escape"},
		{RFC1630, with(User, "%41"), "http://‸%41@h/", "a byte that may stand in a user name"},
		{RFC1630, with(Port, ""), "http://h:‸/", `the digits of a port (with no port there is no ":")`},
		{hrefStandard, with(Path, "/\n"), "http://h/‸\n", "a byte that may stand in a path, or an escape"},
	} {
		before, after, _ := strings.Cut(test.at, "‸")
		u, err := test.std.Build(test.in)
		e, ok := err.(*SyntaxError)
		if !ok {
			t.Errorf("%v.Build(%q) = %q, %v, want an error", test.std, before+after, u, err)
			continue
		}
		if e.Text != before+after || e.Offset != len(before) || e.Want != test.want || e.Standard != test.std {
			t.Errorf("%v.Build of %q = error in %q at offset %d, want %s; want the error at %d, want %s", test.std, before+after, e.Text, e.Offset, e.Want, len(before), test.want)
		}
	}
}

// Build refuses parts that are valid one by one, but that read back as other parts when they are joined.
func TestBuildMisread(t *testing.T) {
	for _, test := range []struct {
		std Standard
		in  Parts
	}{
		{RFC3986, Parts{Path: "a:b"}},
		{RFC3986, Parts{User: Some("u"), Path: "a"}},
		{RFC3986, Parts{Port: Some("1")}},
		{RFC1738, Parts{Scheme: Some("ftp"), Host: Some("h"), Path: "/a", Query: Some("q")}},
		{RFC1738, Parts{Path: "a"}},
		{RFC1738, Parts{Scheme: Some("http"), Host: Some("h"), Path: "/a?b"}},
		{hrefStandard, Parts{Path: "a"}},
	} {
		if u, err := test.std.Build(test.in); err == nil {
			t.Errorf("%v.Build(%+v) = %q, want an error", test.std, test.in, u)
		}
	}
}

// With either returns an error or changes no part except the given one, for every value.
func FuzzWith(f *testing.F) {
	for _, s := range []string{"", "a", "a/b", "//", "a@b", "a:b", "?", "#", "%", "%41", "[::1]", "80", ":", " "} {
		for n := range byte(partCount) {
			f.Add("http://u:p@h:1/p?q#f", n, s)
			f.Add("a/b", n, s)
			f.Add("x:a", n, s)
		}
	}
	f.Fuzz(func(t *testing.T, in string, name byte, value string) {
		n := PartName(name % partCount)
		for _, std := range standards {
			u, err := std.Parse(in)
			if err != nil {
				continue
			}
			for _, p := range []Part{Some(value), {}} {
				v, err := u.With(n, p)
				if err != nil {
					if e := err.(*SyntaxError); e.Offset < 0 || e.Offset > len(e.Text) {
						t.Fatalf("%v: With(%v, %+v) of %q = error at offset %d of %d bytes", std, n, p, u, e.Offset, len(e.Text))
					}
					continue
				}
				for m := range PartName(partCount) {
					want := u.Part(m)
					if m == n {
						want = p
					}
					if m == Path {
						want.Present = true
					}
					if got := v.Part(m); got != want {
						t.Fatalf("%v: With(%v, %+v) of %q = %q with %v %+v, want %+v", std, n, p, u, v, m, got, want)
					}
				}
			}
		}
	})
}

func TestWithout(t *testing.T) {
	const in = "http://u:p@h:1/p?q#f"
	for _, test := range []struct {
		names []PartName
		want  string // "" if it is refused
	}{
		{nil, in},
		{[]PartName{Scheme}, "//u:p@h:1/p?q#f"},
		{[]PartName{User}, "http://h:1/p?q#f"},
		{[]PartName{Password}, "http://u@h:1/p?q#f"},
		{[]PartName{Host}, "http:/p?q#f"},
		{[]PartName{Port}, "http://u:p@h/p?q#f"},
		{[]PartName{Path}, "http://u:p@h:1?q#f"},
		{[]PartName{Query}, "http://u:p@h:1/p#f"},
		{[]PartName{Fragment}, "http://u:p@h:1/p?q"},
		{[]PartName{Fragment, Query, Path, Host, Scheme, User, Password, Port}, "‸"},
	} {
		want := strings.TrimPrefix(test.want, "‸")
		if got, err := MustParse(in).Without(test.names...); err != nil || got.String() != want {
			t.Errorf("Without(%v) = %q, %v, want %q", test.names, got, err, want)
		}
	}
	if u, err := MustParse("x://h//a").Without(Host); err == nil {
		t.Errorf("Without(Host) of x://h//a = %q, want an error", u)
	}
	if u, err := MustParse("x:a:b").Without(Scheme); err == nil {
		t.Errorf("Without(Scheme) of x:a:b = %q, want an error", u)
	}
}

// The error of a failed edit does not show a password, wherever it stands.
//
// req: 1738-6-3
func TestEditsShowNoPassword(t *testing.T) {
	u := MustParse("ftp://u:S3CRET@h/")
	for n, value := range map[PartName]string{Scheme: " ", User: "/", Host: "/", Port: "x", Path: "x", Query: " ", Fragment: "#"} {
		_, err := u.With(n, Some(value))
		if err == nil {
			t.Errorf("With(%v, %q) = nil error, want an error", n, value)
			continue
		}
		checkSilentError(t, n.String(), err)
	}
	for _, password := range []string{"S3CRET/", "/S3CRET", "S3CRET@", "S3CRET ", "#S3CRET", "S3CRET%"} {
		_, err := u.With(Password, Some(password))
		checkSilentError(t, password, err)
	}
	_, err := RFC3986.Build(Parts{Password: Some("S3CRET"), Host: Some("h")})
	checkSilentError(t, "Build", err)
}
