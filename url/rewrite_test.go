package url

import (
	"testing"
)

var httpFacts = Facts{DefaultPort: 80, Hierarchical: true, Roots: []string{"/", ""}}

func TestNormalize(t *testing.T) {
	gopher := Facts{DefaultPort: 70, Roots: []string{"/", ""}, Free: reservable}
	for _, test := range []struct {
		std   Standard
		in    string
		how   Rewrite
		facts Facts
		want  string
	}{
		{RFC3986, "HTTP://EXAMPLE.com:80/%7euser/%2fa/./b/../c", AllRewrites, httpFacts, "http://example.com/~user/%2Fa/c"},
		{RFC3986, "HTTP://EXAMPLE.com:80", LowerScheme, httpFacts, "http://EXAMPLE.com:80"},
		{RFC3986, "HTTP://EXAMPLE%6d.com", LowerHost, httpFacts, "HTTP://example%6d.com"},
		{RFC3986, "x:%6a%2f", UpperEscapes, Facts{}, "x:%6A%2F"},
		{RFC3986, "x:%6a%2f", Unencode, Facts{}, "x:j%2f"},
		{RFC3986, "http://h:080/", DropPort, httpFacts, "http://h/"},
		{RFC3986, "http://h:/", DropPort, Facts{}, "http://h/"},
		{RFC3986, "http://h?q", FillPath, httpFacts, "http://h/?q"},
		{RFC3986, "http://h?q", FillPath, Facts{}, "http://h?q"},
		{RFC3986, "/../a/%2E%2e/b", AllRewrites, httpFacts, "/b"},
		{RFC3986, "../a", AllRewrites, httpFacts, "../a"},
		{RFC3986, "http://[FE80::1%25Eth0]:80/", AllRewrites, httpFacts, "http://[fe80::1%25Eth0]/"},
		{RFC3986, "x:/a/..//b", AllRewrites, httpFacts, "x:/a/..//b"},
		{RFC3986, "http://U%41:P%41@h/", AllRewrites, httpFacts, "http://UA:PA@h/"},
		{RFC1738, "ftp://h/%41%2a%2F%3b", AllRewrites, Facts{}, "ftp://h/A*%2F%3B"},
		{RFC1738, "gopher://h:70/0a%2Fb/../c%3fd%23", AllRewrites, gopher, "gopher://h/0a/b/../c?d%23"},
		{RFC1738, "mailto:%2F%2Fa%40b", AllRewrites, gopher, "mailto:%2F%2Fa@b"},
		{RFC1630, "http://h/%2D%2a%21?%2B%2D", AllRewrites, httpFacts, "http://h/-%2A%21?%2B-"},
		{RFC1630, "http://h/.%2e/%2E/%2Ea/b", AllRewrites, httpFacts, "http://h/%2E%2E/%2E/.a/b"},
	} {
		u, err := test.std.Parse(test.in)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		if got := u.Normalize(test.how, test.facts); got.String() != test.want {
			t.Errorf("%v: Normalize(%q, %b) = %q, want %q", test.std, test.in, test.how, got, test.want)
		}
	}
}

// A firstDifference is the result of Difference: the part, and the offset in both URLs.
type firstDifference struct {
	part PartName
	a, b int
}

// req: 1738-2.1-2
// req: 1738-2.2-1
// req: 1738-2.2-4
// req: 1738-2.2-5
// req: 1630-enc-1
// req: 1630-enc-2
// req: 1630-syn-1
// req: 1630-syn-2
// req: 1630-syn-3
func TestDifference(t *testing.T) {
	for _, test := range []struct {
		std   Standard
		a, b  string
		facts Facts
		want  firstDifference
		same  bool
	}{
		{std: RFC1630, a: "http://info.cern.ch/albert/bertram/marie-claude", b: "http://info.cern.ch/albert/bertram/marie%2Dclaude", same: true},
		{std: RFC1630, a: "http://info.cern.ch/albert/bertram/marie-claude", b: "http://info.cern.ch/albert/bertram%2Fmarie-claude", want: firstDifference{Path, 34, 34}},
		{std: RFC1630, a: "x:a#", b: "x:a", same: true},
		{std: RFC1630, a: "x:?a+b", b: "x:?a%2Bb", want: firstDifference{Query, 4, 4}},
		{std: RFC1630, a: "x:a+b", b: "x:a%2Bb", same: true},
		{std: RFC1630, a: "x:*", b: "x:%2A", want: firstDifference{Path, 2, 2}},
		{std: RFC1630, a: "x:!", b: "x:%21", want: firstDifference{Path, 2, 2}},
		{std: RFC1630, a: "x:a/../b", b: "x:a/%2E%2E/b", want: firstDifference{Path, 4, 4}},
		{std: RFC1630, a: "x:a/.%2E/b", b: "x:a/%2E./b", same: true},
		{std: RFC1738, a: "HTTP://H/%2a", b: "http://h/*", same: true},
		{std: RFC1738, a: "x:a%2Bb", b: "x:a+b", same: true},
		{std: RFC1738, a: "x:a%3Bb", b: "x:a;b", want: firstDifference{Path, 3, 3}},
		{std: RFC1738, a: "gopher://h/a%3Bb", b: "gopher://h/a;b", facts: Facts{Free: reservable}, same: true},
		{std: RFC1738, a: "x://h/a%2Fb", b: "x://h/a/b", facts: Facts{Free: bytesOf("/"), Fields: true}, same: true},
		{std: RFC1738, a: "x://h/a;b=c%2Fd;e", b: "x://h/a;b=c/d;e", facts: Facts{Free: bytesOf("/"), Fields: true}, want: firstDifference{Path, 11, 11}},
		{std: RFC1738, a: "ftp://@h/", b: "ftp://h/", want: firstDifference{User, 6, 6}},
		{std: RFC3986, a: "x:*", b: "x:%2A", want: firstDifference{Path, 2, 2}},
		{std: RFC3986, a: "http://h:80", b: "http://h/", facts: httpFacts, same: true},
		{std: RFC3986, a: "http://h:81", b: "http://h/", facts: httpFacts, want: firstDifference{Port, 9, 8}},
		{std: RFC3986, a: "http://h/?", b: "http://h/", want: firstDifference{Query, 10, 9}},
		{std: RFC3986, a: "http://h/a", b: "http://h/A", want: firstDifference{Path, 9, 9}},
	} {
		a, errA := test.std.Parse(test.a)
		b, errB := test.std.Parse(test.b)
		if errA != nil || errB != nil {
			t.Fatalf("%v: %v %v", test.std, errA, errB)
		}
		var got firstDifference
		var differ bool
		got.part, got.a, got.b, differ = a.Difference(b, test.facts)
		if differ == test.same || got != test.want {
			t.Errorf("%v: Difference(%q, %q) = %+v, %v, want %+v, %v", test.std, test.a, test.b, got, differ, test.want, !test.same)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	u := MustParse("http://u:p@h:1/p?q#f")
	for _, test := range []struct {
		u     URL
		part  PartName
		value Part
	}{
		{u, Host, Some("h/evil")},
		{u, Host, Some("a@b")},
		{u, Host, Some("a:1")},
		{u, Host, Some("a?b")},
		{u, Host, Part{}},
		{u, User, Part{}},
		{u, User, Some("a:b")},
		{u, Password, Some("12/w")},
		{u, Password, Some("a@b")},
		{u, Port, Some("80/x")},
		{u, Path, Some("x")},
		{u, Path, Some("/a?b")},
		{u, Path, Some("/a#b")},
		{u, Path, Some("/a b")},
		{u, Path, Some("/%")},
		{u, Query, Some("a#b")},
		{u, Fragment, Some("a#b")},
		{u, Scheme, Some("a/b")},
		{u, Scheme, Some("")},
		{MustParse("a"), Path, Some("//x")},
		{MustParse("a"), Path, Some("b:c")},
		{MustParse("a"), Password, Some("x")},
		{MustParse("a"), Port, Some("1")},
		{MustParse("x:a"), Host, Some("h")},
	} {
		got, err := test.u.With(test.part, test.value)
		if err == nil {
			t.Errorf("With(%v, %+v) of %q = %q, want an error", test.part, test.value, test.u, got)
			continue
		}
		e := err.(*SyntaxError)
		if e.Offset < 0 || e.Offset > len(e.Text) {
			t.Errorf("With(%v, %+v) of %q: offset %d of %d bytes", test.part, test.value, test.u, e.Offset, len(e.Text))
		}
	}
}

func TestWith(t *testing.T) {
	u := MustParse("http://u:p@h:1/p?q#f")
	for _, test := range []struct {
		edit func() (URL, error)
		want string
	}{
		{func() (URL, error) { return u.With(Scheme, Some("ftp")) }, "ftp://u:p@h:1/p?q#f"},
		{func() (URL, error) { return u.With(User, Some("")) }, "http://:p@h:1/p?q#f"},
		{func() (URL, error) { return u.With(Password, Some("")) }, "http://u:@h:1/p?q#f"},
		{func() (URL, error) { return u.With(Host, Some("[::1]")) }, "http://u:p@[::1]:1/p?q#f"},
		{func() (URL, error) { return u.With(Port, Some("22")) }, "http://u:p@h:22/p?q#f"},
		{func() (URL, error) { return u.With(Path, Some("//x")) }, "http://u:p@h:1//x?q#f"},
		{func() (URL, error) { return u.With(Query, Some("?")) }, "http://u:p@h:1/p??#f"},
		{func() (URL, error) { return u.With(Fragment, Some("")) }, "http://u:p@h:1/p?q#"},
		{func() (URL, error) { return u.Without(User, Port, Query, Fragment) }, "http://h/p"},
		{func() (URL, error) { return u.Without(Host, Scheme) }, "/p?q#f"},
	} {
		if got, err := test.edit(); err != nil || got.String() != test.want {
			t.Errorf("edited URL = %q, %v, want %q", got, err, test.want)
		}
	}
}
