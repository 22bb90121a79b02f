package scheme_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// Each URL is read by one document, which accepts it or refuses it at the mark "‸".
//
// req: 1738-3.5-1, 1738-3.6-1, 1738-4-1, 1738-3.4-3, 1738-2.2-1, 1738-2.2-4, 1630-bnf-1, 1738-5-1
func TestReadings(t *testing.T) {
	for _, test := range []struct {
		std  url.Standard
		text string
	}{
		// "//" announces a host only in schemes that have one.
		{url.RFC1738, "news://o+%9Aka0n5o=@ov-4.drXbq"},
		{url.RFC1738, "news:/a@b.c"},
		{url.RFC1738, "mailto://a@b"},
		{url.RFC1738, "mailto:a/b@c"},
		{url.RFC1738, "x-own://*Acy2"},
		{url.RFC1738, "x-own://;v"},
		{url.RFC1738, "x-own://h:1/p"},
		{url.RFC1738, "x-own:"},
		{url.RFC1738, "http://‸*a/"},
		{url.RFC1738, "news:‸//ov-4.drXbq"},
		{url.RFC1738, "mailto://a@b‸ c"},

		// Nothing is reserved in a gopher path.
		{url.RFC1738, "gopher://h/7a%09b/c"},
		{url.RFC1738, "gopher://h/7a%09b?c"},

		// An escape may stand for a letter if decoding it does not change how the URL is divided.
		{url.RFC1738, "news:comp%2Elang.%63"},
		{url.RFC1738, "nntp://h/comp.%6Cang/7"},
		{url.RFC1738, "http://ex%61mple.org/"},
		{url.RFC1738, "http://%31.2.3.4/"},
		{url.RFC1738, "ftp://h/a;type=%41"},
		{url.RFC1738, "news:comp‸%2Flang"},
		{url.RFC1738, "http://ex‸%2Fmple.org/"},
		{url.RFC1738, "http://ex‸%40mple.org/"},
		{url.RFC1738, "ftp://h/a;type=‸%42"},

		// An unknown scheme may give every reserved byte a meaning.
		{url.RFC1630, "x-own:a;b/c?d:e"},

		// The prose of RFC 1630 allows a server in nntp URLs; its BNF does not.
		{url.RFC1630, "nntp:comp.lang.c/7"},
		{url.RFC1630, "nntp://h/comp.lang.c/7"},
		{url.RFC1630, "nntp://h:119/comp.lang.c/7"},
		{url.RFC1630, "nntp://h/comp.lang.c/‸x"},
		{url.RFC1630, "nntp:‸/comp.lang.c/7"},

		// The characters of an address are RFC 822's; its quoted strings may be folded.
		{url.RFC1738, "mailto:%22a%0D%0A%20b%22@c"},
		{url.RFC1738, "mailto:%22a‸%0D%0Ab%22@c"},
		{url.RFC1738, "mailto:%22a‸%0Db%22@c"},
		{url.RFC1738, "mailto:‸%E9@c"},
	} {
		text, refused := test.text, strings.Contains(test.text, "‸")
		if refused {
			text, offset := marked(t, test.text)
			wantOffset(t, test.std.String()+": Read", text, judge(test.std, text), offset)
			continue
		}
		if err := judge(test.std, text); err != nil {
			t.Errorf("%v: Read(%q) = %v, want no error", test.std, text, err)
			continue
		}
		checkLaws(t, text)
	}
}

// URLs that the documents call the same are equivalent and have the same normal form. URLs that they call different
// have different normal forms.
//
// req: 1738-3.4-2, 1738-3.8-1, 1738-3.2-1, 1738-3.10-1, 1738-2.2-4, 1630-enc-2, 1630-syn-1
func TestStatedEquivalences(t *testing.T) {
	for _, test := range []struct {
		std    url.Standard
		a, b   string
		normal string // of both; "" if they are not the same
	}{
		{url.RFC1738, "mailto://a@b", "mailto:%2F%2Fa@b", "mailto:%2F%2Fa@b"},
		{url.RFC1738, "mailto:/%2Fa@b", "mailto:%2F/a@b", "mailto:%2F%2Fa@b"},
		{url.RFC1738, "mailto:a/b@c", "mailto:a%2Fb@c", "mailto:a/b@c"},
		{url.RFC1738, "news:a/b@c.d", "news:a%2Fb@c.d", "news:a/b@c.d"},
		{url.RFC1738, "prospero://h//a/b", "prospero://h/%2Fa%2Fb", "prospero://h//a/b"},
		{url.RFC1738, "gopher://h/0a/b", "gopher://h/0a%2Fb", "gopher://h/0a/b"},
		{url.RFC1738, "gopher://h/7a%09b/c", "gopher://h/7a%09b%2Fc", "gopher://h/7a%09b/c"},

		{url.RFC3986, "gopher://h", "gopher://h/", "gopher://h/1"},
		{url.RFC1738, "gopher://h/", "gopher://h/1", "gopher://h/1"},
		{url.RFC1630, "gopher://h", "gopher://h/1", "gopher://h/1"},
		{url.RFC3986, "gopher://h/1", "gopher://h/0", ""},
		{url.RFC3986, "telnet://h", "telnet://h/", "telnet://h/"},
		{url.RFC1738, "telnet://h:23", "telnet://h/", "telnet://h/"},
		{url.RFC1738, "ftp://h/a;type=A", "ftp://h/a;type=a", "ftp://h/a;type=a"},
		{url.RFC3986, "ftp://h/a;TYPE=I", "ftp://h/a;type=%69", "ftp://h/a;type=i"},
		{url.RFC1738, "ftp://h/A;type=a", "ftp://h/a;type=a", ""},
		{url.RFC1738, "ftp://h/a;type=i", "ftp://h/a;type=a", ""},
		{url.RFC1630, "file:///a", "file://localhost/a", "file:///a"},
		{url.RFC1738, "file:///a", "file://LOCALHOST/a", "file:///a"},
		{url.RFC3986, "file:///a", "file://localhost/a", "file:///a"},
		{url.RFC3986, "http://localhost/a", "http:///a", ""},

		// In an ftp URL ".." is the name of a directory for which the server is asked, but RFC 3986 removes it.
		{url.RFC1738, "ftp://h/a/../b", "ftp://h/b", ""},
		{url.RFC3986, "ftp://h/a/../b", "ftp://h/b", "ftp://h/b"},
		{url.RFC3986, "http://h/a/./b", "http://h/a/b", "http://h/a/b"},
		{url.RFC3986, "http://h/a/%2E/b", "http://h/a/b", "http://h/a/b"},
		{url.RFC3986, "gopher://h/1/a/../b", "gopher://h/1/b", ""},

		// An ftp URL without a path names the login directory, as one with an empty path does (RFC 1738 §3.2.2).
		{url.RFC1738, "ftp://h", "ftp://h/", "ftp://h/"},
		{url.RFC3986, "ftps://u@h:990", "ftps://u@h/", "ftps://u@h/"},
		{url.RFC1738, "ftp://h/", "ftp://h//", ""},
		{url.RFC1738, "ftp://h/", "ftp://h/;type=d", ""},

		// In a wais search "+" is a space.
		{url.RFC1738, "wais://h/d?a+b", "wais://h/d?a%20b", "wais://h/d?a%20b"},
		{url.RFC3986, "wais://h/d?a+b", "wais://h/d?a%20b", "wais://h/d?a%20b"},
		{url.RFC1630, "wais://h/d?a+b", "wais://h/d?a%20b", "wais://h/d?a%20b"},
		{url.RFC1738, "wais://h/d?a+b", "wais://h/d?a%2Bb", ""},
		{url.RFC3986, "wais://h/d?a+b", "wais://h/d?a%2Bb", ""},
		{url.RFC1738, "http://h/?a+b", "http://h/?a%2Bb", "http://h/?a+b"},

		// In a query of RFC 1630 "+" is a space.
		{url.RFC1630, "http://h/d?a+b", "http://h/d?a%20b", "http://h/d?a%20b"},
		{url.RFC1630, "https://h/d?a+b+c", "https://h/d?a%20b+c", "https://h/d?a%20b%20c"},
		{url.RFC1630, "http://h/d?a+b", "http://h/d?a%2bb", ""},
		{url.RFC1738, "http://h/d?a+b", "http://h/d?a%20b", ""},
		{url.RFC3986, "http://h/d?a+b", "http://h/d?a%20b", ""},
		{url.RFC1630, "http://h/a+b", "http://h/a%20b", ""},

		// The domain of a mail address has no case (RFC 822 §3.4.7).
		{url.RFC1738, "mailto:a@B.c", "mailto:a@b.C", "mailto:a@b.c"},
		{url.RFC3986, "mailto:a@B.c", "mailto:a@b.c", "mailto:a@b.c"},
		{url.RFC1630, "mailto:a@B.c", "mailto:a@%62.c", "mailto:a@b.c"},
		{url.RFC3986, "MAILTO:A@B,C@D?subject=E", "mailto:A@b,C@d?subject=E", "mailto:A@b,C@d?subject=E"},
		{url.RFC3986, "mailto:A@b", "mailto:a@b", ""},
		{url.RFC3986, "mailto:%22A@B%22@C", "mailto:%22A@B%22@c", "mailto:%22A@B%22@c"},
		{url.RFC3986, "mailto:%22A@B%22@c", "mailto:%22A@b%22@c", ""},
		{url.RFC3986, "mailto:%22A%5C%22@B%22@c", "mailto:%22A%5C%22@b%22@c", ""},
		{url.RFC1738, "mailto:a@%5BX%5D", "mailto:a@%5Bx%5D", ""},
		{url.RFC1738, "mailto:a@B%5BX%5D.C", "mailto:a@b%5BX%5D.c", "mailto:a@b%5BX%5D.c"},
		{url.RFC3986, "mailto:a@b?to=c@D", "mailto:a@b?to=c@d", ""},

		{url.RFC3986, "http://h:0081/", "http://h:81/", "http://h:81/"},
		{url.RFC3986, "http://h:0080/", "http://h/", "http://h/"},
		{url.RFC1630, "http://h/#", "http://h/", "http://h/"},
		{url.RFC3986, "http://h/#", "http://h/", ""},
		{url.RFC3986, "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"},
		{url.RFC3986, "http://[::FFFF:102:304]/", "http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"},
		{url.RFC3986, "http://[FE80:0::1%25Eth0]/", "http://[fe80::1%25Eth0]/", "http://[fe80::1%25Eth0]/"},
		{url.RFC3986, "http://[fe80::1%25Eth0]/", "http://[fe80::1%25eth0]/", ""},
	} {
		a, errA := test.std.Parse(test.a)
		b, errB := test.std.Parse(test.b)
		if errA != nil || errB != nil {
			t.Errorf("%v: %v %v", test.std, errA, errB)
			continue
		}
		if got := equivalent(a, b); got != (test.normal != "") {
			t.Errorf("%v: equivalent(%q, %q) = %v, want %v", test.std, test.a, test.b, got, test.normal != "")
		}
		n, m := scheme.Normalize(a, url.AllRewrites), scheme.Normalize(b, url.AllRewrites)
		if test.normal != "" && (n.String() != test.normal || m.String() != test.normal) {
			t.Errorf("%v: Normalize(%q) = %q, Normalize(%q) = %q, want %q", test.std, test.a, n, test.b, m, test.normal)
		}
		if test.normal == "" && n == m {
			t.Errorf("%v: Normalize(%q) = Normalize(%q) = %q, want different results", test.std, test.a, test.b, n)
		}
	}
}

// In a wais URL "+" is a space and "%2B" a plus, by every standard.
//
// req: 1738-3.9-1, 1630-syn-2
func TestWAISPlus(t *testing.T) {
	for _, std := range standards {
		u, err := std.Parse("wais://h/d?a+b%2Bc")
		if err != nil {
			t.Fatalf("%v: %v", std, err)
		}
		v, err := scheme.ParseWAIS(u)
		if err != nil || v.Search != "a b+c" {
			t.Errorf("%v: ParseWAIS = search %q, %v; want %q", std, v.Search, err, "a b+c")
		}
		if n, want := scheme.Normalize(u, url.AllRewrites), "wais://h/d?a%20b%2Bc"; n.String() != want {
			t.Errorf("%v: Normalize(%q) = %q, want %q", std, u, n, want)
		}
	}
}

// The error of Parse says that a name is only reserved.
//
// req: 1738-4-3
func TestReservedNames(t *testing.T) {
	for _, text := range []string{"z39.50:x", "z39.50://h/x"} {
		_, err := scheme.Parse(url.MustParse(text))
		if err == nil || !strings.Contains(err.Error(), "reserved") {
			t.Errorf("Parse(%q) = %v, want that the name is reserved", text, err)
		}
	}
}

// A letter, a digit or a mark means the same with and without an escape (RFC 1738 §2.2).
//
// req: 1738-2.2-5
func TestEscapedLetters(t *testing.T) {
	for _, test := range []struct{ plain, escaped string }{
		{"nntp://h/a.b/10", "nntp://h/a.b/%310"},
		{"nntp://h/a.b/10", "nntp://h/%61%2Eb/%31%30"},
		{"ftp://h/a;type=i", "ftp://h/a;%74ype=i"},
		{"ftp://h/a;type=i", "ftp://h/a;%54%59%50%45=%49"},
		{"news:*", "news:%2A"},
		{"news:a.b", "news:%61.%62"},
		{"news:a@b.c", "news:%61@%62.c"},
	} {
		for _, std := range []url.Standard{url.RFC1738, url.RFC3986} {
			u, err := scheme.Read(std, test.escaped)
			if err != nil {
				t.Errorf("%v: Read(%q): %v", std, test.escaped, err)
				continue
			}
			v, err := scheme.Parse(u)
			want, wantErr := scheme.Parse(url.MustParse(test.plain))
			if err != nil || wantErr != nil || !reflect.DeepEqual(v, want) {
				t.Errorf("%v: the view of %q = %+v, %v; want %+v, that of %q, %v", std, test.escaped, v, err, want, test.plain, wantErr)
			}
		}
	}
}

// An escape of a reserved byte is data (RFC 1738 §2.2).
//
// req: 1738-2.2-5
func TestEscapedReserved(t *testing.T) {
	v, err := scheme.ParseFTP(url.MustParse("ftp://h/a%3Btype=i"))
	if err != nil || v.Name != "a;type=i" || v.Type != "" {
		t.Errorf("the view of %q = %+v, %v; want the name %q and no type", "ftp://h/a%3Btype=i", v, err, "a;type=i")
	}
	if n, err := scheme.ParseNNTP(url.MustParse("nntp://h/a.b%2F10")); err == nil {
		t.Errorf("the view of %q = %+v, want an error, because a group has no slash", "nntp://h/a.b%2F10", n)
	}
}

// A letter, a digit or a mark means the same with and without an escape in every place where RFC 1738 allows it.
//
// req: 1738-2.2-5
func TestEscapedMarks(t *testing.T) {
	const marks = "$-_.+!*'(),"
	for _, test := range []struct {
		before, after string
		chars         string // that may stand there
	}{
		{"http://h/", "", alphanumeric + marks},
		{"http://h/?", "", alphanumeric + marks},
		{"http://a", "z/", alphanumeric + "-."},
		{"ftp://", "@h/", alphanumeric + marks},
		{"ftp://u:", "@h/", alphanumeric + marks},
		{"ftp://h/", "/n", alphanumeric + marks},
		{"ftp://h/d/", ";type=i", alphanumeric + marks},
		{"ftp://h/;type=", "", "aidAID"},
		{"gopher://h/0", "", alphanumeric + marks},
		{"gopher://h/7s%09", "", alphanumeric + marks},
		{"mailto:", "@h", alphanumeric + "$-_+!*'"},
		{"news:a", "", alphanumeric + "-_.+"},
		{"news:", "@h.dom", alphanumeric + marks},
		{"nntp://h/a", "/7", alphanumeric + "-_.+"},
		{"nntp://h/a/", "", "0123456789"},
		{"telnet://", ":p@h/", alphanumeric + marks},
		{"wais://h/", "", alphanumeric + marks},
		{"wais://h/d?", "", alphanumeric + "$-_.!*'(),"}, // "+" is a space
		{"file:///", "", alphanumeric + marks},
		{"prospero://h/", ";a=b", alphanumeric + marks},
		{"x-own:", "", alphanumeric + marks},
	} {
		for _, c := range test.chars {
			plain, escaped := test.before+string(c)+test.after, fmt.Sprintf("%s%%%02x%s", test.before, c, test.after)
			u, err := scheme.Read(url.RFC1738, plain)
			v, err2 := scheme.Read(url.RFC1738, escaped)
			if err != nil || err2 != nil {
				t.Errorf("Read(%q) = %v, Read(%q) = %v, want no error", plain, err, escaped, err2)
				continue
			}
			if !equivalent(u, v) || scheme.Normalize(u, url.AllRewrites) != scheme.Normalize(v, url.AllRewrites) {
				t.Errorf("%q and %q differ, want them to mean the same", plain, escaped)
			}
		}
	}
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
