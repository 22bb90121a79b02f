package url

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// examples1738 are all examples of RFC 1738.
var examples1738 = []string{
	"ftp://@host.com/", "ftp://host.com/", "ftp://foo:@host.com/", // §3.1
	"ftp://myname@host.dom/%2Fetc/motd", "ftp://myname@host.dom/etc/motd", "ftp://myname@host.dom//etc/motd", // §3.2.2
	"news:*", // §3.6
	"file://vms.host.edu/disk$user/my/notes/note12345.txt",               // §3.10
	"prospero://host.dom//pros/name",                                     // §3.11
	"ftp://info.cern.ch/pub/www/doc;type=d", "ftp://ds.internic.net/rfc", // appendix
	"ftp://ds.internic.net/rfc/rfc1436.txt;type=a", "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt", // references
	"ftp://ds.internic.net/rfc/rfc1630.txt", "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z", "ftp://ds.internic.net/rfc/rfc1123.txt",
	"ftp://ds.internic.net/rfc/rfc822.txt", "ftp://quake.think.com/pub/wais/doc/protspec.txt", "ftp://ds.internic.net/rfc/rfc1036.txt",
	"ftp://quake.think.com/pub/wais/doc/doc-ids.txt", "ftp://ds.internic.net/rfc/rfc977.txt",
	"ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt", "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
	"ftp://ds.internic.net/rfc/rfc959.txt", "ftp://ds.internic.net/rfc/rfc1737.txt", "ftp://ds.internic.net/rfc/rfc1625.txt", "ftp://uu.psi.com/wp/nir.txt",
}

// examples1630 are the examples of RFC 1630, except for its three illegal ones.
var examples1630 = []string{
	"http://info.cern.ch/hypertext/WWW/Addressing/URL/URI_Overview.html",
	"http://info.cern.ch/albert/bertram/marie-claude", "http://info.cern.ch/albert/bertram/marie%2Dclaude", "http://info.cern.ch/albert/bertram%2Fmarie-claude",
	"magic://a/b/c//d/e/f", "magic://a/b/c//d/e/", "g", "/g", "//g", "../g", "g:h",
	"http://www.my.work.com/", "http://www.my.uni.edu/info/matriculation/enroling.html", "http://info.my.org/AboutUs/Phonebook",
	"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98", "http://www.my.org/462F4F2D4241522A314159265358979323846",
	"http://info.cern.ch:8000/imaginary/test", "http://www.myu.edu/org/admin/people#andy", "http://info.my.org/AboutUs/Index/Phonebook?dobbins",
	"urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3",
}

// accepted has texts that belong to each standard's grammar.
var accepted = map[Standard][]string{
	RFC1738: append([]string{
		"HTTP://a.b/", "1x+.-:", "x:", "x:;/?:@&=", "http://h:99999/", "ftp://u;?&=:p;?&=@h/", "ftp://a-b.c1.d-e/", "http://300.1.1.1/",
		"http://1.2.3.4.com/", "file:///etc/motd", "gopher://h/0a?b/%09c", "mailto:a%25b@c", "x:$-_.+!*'(),", "http://h", "telnet://u:p@h",
		"nntp://h:119/g/1", "wais://h/db?words", "wais://h/db/t/p", "x:%00%7F%ff", "ftp://:@h/", "ftp://h/a?b",
	}, examples1738...),
	RFC1630: append([]string{
		"", "#", "#x", "a/b", "///", "a+b:c", "x:a+b?c+d", "ftp://u:p@h/a;type=A", "wais://h:1/db/t/1=a;2=b;", "x:\"!*'(),", "news:a@b.c", "file:///a", "file://h/",
		"prospero://h/n%00", "http://1.2.3.4:80/", "x:a&b@c$d", "?a:b", "cid:x@y", "gopher://h/11/a",
	}, examples1630...),
	RFC3986: {
		"", "#", "?", "/", "//", "a", "a/b:c", "./a:b", "x:", "x:a:b", "http://", "http://:/", "http://h:/", "http://h:99999/", "http://u:p:q@h/", "http://@h", "http://:@h",
		"http://[::1]", "http://[::1]:80/", "http://u@[1:2:3:4:5:6:7:8]/", "http://[1::8]/", "http://[::1.2.3.4]/", "http://[1:2:3:4:5:6:1.2.3.4]/",
		"http://[v1F.a:b!]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%25%41]/", "http://%41/", "http://h%ff!$&'()*+,;=/", "http://h/;=@:!$&'()*+,~%20", "x:?/?a#/?b",
		"ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com",
		"news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
		"foo://example.com:8042/over/there?name=ferret#nose", "%41/b", ";x", "a@b/c", "_/:", "http://[1:2:3:4:5:6:7::]/", "http://1.2.3.4.5/", "A:",
	},
}

// req: 1738-2.1-1
// req: 1738-2.1-2
// req: 1738-2.2-1
// req: 1738-3.1-1
// req: 1738-3.1-5
// req: 1738-5-1
// req: 1630-bnf-1
func TestParseAccepts(t *testing.T) {
	for std, texts := range accepted {
		for _, s := range texts {
			u, err := std.Parse(s)
			if err != nil {
				t.Errorf("%v: Parse(%q) = %v, want no error", std, s, err)
				continue
			}
			if u.String() != s || u.Standard() != std {
				t.Errorf("%v: Parse(%q) = %q, want the same text", std, s, u)
			}
			if n := testing.AllocsPerRun(10, func() { _, _ = std.Parse(s) }); n != 0 {
				t.Errorf("%v: Parse(%q) allocates %v times, want 0", std, s, n)
			}
		}
	}
}

// refused has texts that are almost valid, with the offset of the first wrong byte.
var refused = []struct {
	std    Standard
	in     string
	offset int
	rule   string
}{
	{RFC3986, "http://h/ ", 9, "RFC 3986 §3.3"},
	{RFC3986, "http://h/%4", 9, "RFC 3986 §2.1"},
	{RFC3986, "http://h/a%zz", 10, "RFC 3986 §2.1"},
	{RFC3986, "http://h/%", 9, "RFC 3986 §2.1"},
	{RFC3986, "http://h/\x00", 9, "RFC 3986 §3.3"},
	{RFC3986, "http://h/\n", 9, "RFC 3986 §3.3"},
	{RFC3986, "http://h/\xe9", 9, "RFC 3986 §3.3"},
	{RFC3986, "http://h/é ", 9, "RFC 3986 §3.3"},
	{RFC3986, "http://h/[", 9, "RFC 3986 §3.3"},
	{RFC3986, "http://h/?[", 10, "RFC 3986 §3.4"},
	{RFC3986, "http://h/#a#b", 11, "RFC 3986 §3.5"},
	{RFC3986, "http://h:8x/x@y", 10, "RFC 3986 §3.2.3"},
	{RFC3986, "http://h:80:1/", 11, "RFC 3986 §3.2.3"},
	{RFC3986, "http://a@b@c/", 10, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[::1", 11, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[::1]x", 12, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[]/", 8, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[1:2:3:4:5:6:7:8:9]/", 23, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[1::2::3]/", 13, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[12345::]/", 12, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[::1.2.3.256]/", 18, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[v.a]/", 9, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[v1]/", 10, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[v1.]/", 11, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[fe80::1%eth0]/", 15, "RFC 3986 §3.2.2"},
	{RFC3986, "http://[fe80::1%25]/", 18, "RFC 3986 §3.2.2"},
	{RFC3986, ":a", 0, "RFC 3986 §3.1"},
	{RFC3986, "1a:b", 0, "RFC 3986 §3.1"},
	{RFC3986, "a_b:c", 1, "RFC 3986 §3.1"},
	{RFC3986, " http://h/", 0, "RFC 3986 §3.1"},
	{RFC3986, "a b", 1, "RFC 3986 §3.3"},
	{RFC1738, "", 0, "RFC 1738 §2.1"},
	{RFC1738, "abc", 3, "RFC 1738 §2.1"},
	{RFC1738, "a/b:c", 1, "RFC 1738 §2.1"},
	{RFC1738, "http://h/#f", 9, "RFC 1738 §2.2"},
	{RFC1738, "http://h/~x", 9, "RFC 1738 §2.2"},
	{RFC1738, "http://h/%g0", 9, "RFC 1738 §2.2"},
	{RFC1738, "http:///x", 7, "RFC 1738 §3.1"},
	{RFC1738, "http://h:/", 9, "RFC 1738 §3.1"},
	{RFC1738, "http://h?q", 8, "RFC 1738 §3.1"},
	{RFC1738, "http://h_/", 8, "RFC 1738 §3.1"},
	{RFC1738, "http://-h/", 7, "RFC 1738 §3.1"},
	{RFC1738, "http://h-/", 9, "RFC 1738 §3.1"},
	{RFC1738, "http://a..b/", 9, "RFC 1738 §3.1"},
	{RFC1738, "http://1.2.3/", 12, "RFC 1738 §3.1"},
	{RFC1738, "http://1.2.3.4.5/", 16, "RFC 1738 §3.1"},
	{RFC1738, "http://a.1b/", 11, "RFC 1738 §3.1"},
	{RFC1738, "http://[::1]/", 7, "RFC 1738 §3.1"},
	{RFC1738, "ftp://u:p:q@h/", 9, "RFC 1738 §3.1"},
	{RFC1738, "ftp://u@v@h/", 9, "RFC 1738 §3.1"},
	{RFC1738, "ftp://u/x@h/", -1, ""},
	{RFC1738, "ftp://%41%2F/", 9, "RFC 1738 §3.1"},
	{RFC1630, "fxqn:/us/va/reston/cnri/ietf/24/asdf%*.fred", 36, "RFC 1630, Encoding reserved characters"},
	{RFC1630, "news:12345667123%asdghfh@info.cern.ch", 16, "RFC 1630, Encoding reserved characters"},
	{RFC1630, "http://info.cern.ch/RDB/EMP?*%20where%20name%%3Ddobbins", 44, "RFC 1630, Encoding reserved characters"},
	{RFC1630, "http://h/~a", 9, "RFC 1630, BNF: path"},
	{RFC1630, "http://h/{", 9, "RFC 1630, BNF: path"},
	{RFC1630, "http://h/<", 9, "RFC 1630, BNF: path"},
	{RFC1630, "http://h/#a#", 11, "RFC 1630, BNF: fragmentid"},
	{RFC1630, "http://1.2.3/", 12, "RFC 1630, BNF: hostport"},
	{RFC1630, "http://1a/", 8, "RFC 1630, BNF: hostport"},
	{RFC1630, "http://1.2.3.4.5/", 14, "RFC 1630, BNF: hostport"},
	{RFC1630, "http://1..2/", 9, "RFC 1630, BNF: hostport"},
	{RFC1630, "http:///x", 7, "RFC 1630, BNF: hostport"},
	{RFC1630, "http://h:/", 9, "RFC 1630, BNF: hostport"},
	{RFC1630, "ftp://u%41@h/", 7, "RFC 1630, BNF: login"},
	{RFC1630, "1x:y", 0, "RFC 1630, BNF: scheme"},
}

// req: 1738-2.2-1
// req: 1738-2.2-2
// req: 1738-2.2-3
// req: 1738-3.1-2
// req: 1738-3.1-4
// req: 1738-3.1-5
// req: 1738-5-1
// req: 1630-enc-3
// req: 1630-bnf-1
func TestParseRefuses(t *testing.T) {
	for _, test := range refused {
		_, err := test.std.Parse(test.in)
		if test.offset < 0 {
			if err != nil {
				t.Errorf("%v: Parse(%q) = %v, want no error", test.std, test.in, err)
			}
			continue
		}
		e, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Errorf("%v: Parse(%q) = %v, want an error at %d", test.std, test.in, err, test.offset)
			continue
		}
		if e.Offset != test.offset || e.Rule != test.rule || e.Text != test.in || e.Standard != test.std {
			t.Errorf("%v: Parse(%q) = %v, want offset %d, %s", test.std, test.in, e, test.offset, test.rule)
		}
	}
}

// req: 1738-2.2-2
// req: 1738-2.2-3
func TestEveryByte(t *testing.T) {
	for c := range 256 {
		s := "x:a" + string([]byte{byte(c)})
		_, err := RFC1738.Parse(s)
		good := strings.IndexByte(alpha+digit+"$-_.+!*'(),;/?:@=&", byte(c)) >= 0
		if good != (err == nil) {
			t.Errorf("RFC 1738: Parse(%q) = %v, want it accepted: %v", s, err, good)
		}
		if e, ok := errors.AsType[*SyntaxError](err); ok && e.Offset != 3 {
			t.Errorf("RFC 1738: Parse(%q) = %v, want offset 3", s, err)
		}
	}
}

// req: 1738-3.1-1
// req: 1738-3.1-3
// req: 1630-syn-1
// req: 1630-syn-2
func TestParts(t *testing.T) {
	for _, test := range []struct {
		std  Standard
		in   string
		want Parts
	}{
		{RFC3986, "", Parts{}},
		{RFC3986, "http://u:p@h:80/a?b#c", Parts{Some("http"), Some("u"), Some("p"), Some("h"), Some("80"), "/a", Some("b"), Some("c")}},
		{RFC1738, "ftp://@host.com/", Parts{Scheme: Some("ftp"), User: Some(""), Host: Some("host.com"), Path: "/"}},
		{RFC1738, "ftp://host.com/", Parts{Scheme: Some("ftp"), Host: Some("host.com"), Path: "/"}},
		{RFC1738, "ftp://foo:@host.com/", Parts{Scheme: Some("ftp"), User: Some("foo"), Password: Some(""), Host: Some("host.com"), Path: "/"}},
		{RFC3986, "http://h:?#", Parts{Scheme: Some("http"), Host: Some("h"), Port: Some(""), Query: Some(""), Fragment: Some("")}},
		{RFC1738, "ftp://h/a?b", Parts{Scheme: Some("ftp"), Host: Some("h"), Path: "/a?b"}},
		{RFC1738, "http://h/a?b", Parts{Scheme: Some("http"), Host: Some("h"), Path: "/a", Query: Some("b")}},
		{RFC1738, "ftp://u?x:p#y@h/", Parts{Scheme: Some("ftp"), User: Some("u?x"), Password: Some("p#y"), Host: Some("h"), Path: "/"}},
		{RFC1630, "x:a?b+c#", Parts{Scheme: Some("x"), Path: "a", Query: Some("b+c"), Fragment: Some("")}},
		{RFC3986, "http://[::1", Parts{Scheme: Some("http"), Host: Some("[::1")}},
		{RFC3986, "//[::1]:8", Parts{Host: Some("[::1]"), Port: Some("8")}},
	} {
		if got := test.std.Split(test.in); got != test.want {
			t.Errorf("%v: Split(%q) = %+v, want %+v", test.std, test.in, got, test.want)
		}
	}
}

func TestTenMegabytes(t *testing.T) {
	size := 10 << 20
	if testing.Short() { // because the test may run in an emulator
		size >>= 4
	}
	for _, s := range []string{
		"http://h/" + strings.Repeat("a", size),
		"http://h/" + strings.Repeat("%41", size/3),
		"http://h/" + strings.Repeat("../", size/3) + "g",
		"http://u:" + strings.Repeat("p", size) + "@h/",
		"http://" + strings.Repeat("[", size),
		"http://[" + strings.Repeat("1:", size/2) + "]/",
		"http://h/" + strings.Repeat("a", size) + " ",
		strings.Repeat("@", size), strings.Repeat(":", size), strings.Repeat("%", size),
	} {
		for _, std := range standards {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := std.Parse(s)
			if err != nil {
				_ = err.Error()
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%v: Parse(%.20q…) allocates %d bytes, want at most 1 MiB", std, s, n)
			}
			if err != nil && len(err.Error()) > 1000 {
				t.Errorf("%v: Parse(%.20q…) = an error with a message of %d bytes, want at most 1000", std, s, len(err.Error()))
			}
		}
	}
}

func TestResolveTenMegabytes(t *testing.T) {
	ref := strings.Repeat("a/../", 2<<20) + strings.Repeat("../", 1<<20) + "g"
	for _, std := range standards {
		base, err := std.Parse("http://h/" + strings.Repeat("b/", 1<<20))
		if err != nil {
			t.Fatalf("%v: %v", std, err)
		}
		if u, err := base.Resolve(ref); err != nil || u.String() != "http://h/g" {
			t.Errorf("%v: Resolve = %.40q, %v, want http://h/g", std, u.String(), err)
		}
	}
}

// Parse does not allocate, whatever the length and the shape of a valid URL. Divide does not allocate for an invalid
// text either.
func TestParseDoesNotAllocate(t *testing.T) {
	long := strings.Repeat("/a-longer-path", 20)
	for _, s := range []string{
		"", "a", "x:", "http://h", "http://user:password@host.example:8080/a?b#c", "http://[::1]:80/", "http://h" + long + "?q%41#f", "//" + long[1:],
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = Parse(s) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times, want 0", s, n)
		}
		for _, s := range []string{s, s + "|"} {
			if n := testing.AllocsPerRun(100, func() { _, _ = hrefs.Divide(s) }); n != 0 {
				t.Errorf("hrefs.Divide(%q) allocates %v times, want 0", s, n)
			}
		}
	}
}
