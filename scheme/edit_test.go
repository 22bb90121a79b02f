package scheme_test

import (
	"errors"
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-2.2-4, 1738-3.2-2
func TestSet(t *testing.T) {
	for _, test := range []struct{ text, part, value, want string }{
		{"http://h/a", "scheme", "https", "https://h/a"},
		{"http://h/a", "host", "[::1]", "http://[::1]/a"},
		{"http://h/a", "host", "x y", "http://x%20y/a"},
		{"http://h/a", "port", "8080", "http://h:8080/a"},
		{"http://h:1/a", "port", "80", "http://h:80/a"},
		{"http://h/a", "path", "/a b/c?d", "http://h/a%20b/c%3Fd"},
		{"http://h/a", "path", "/a%20b%", "http://h/a%20b%25"},
		{"http://h/a", "query", "a b#c", "http://h/a?a%20b%23c"},
		{"http://h/a?b", "query", "", "http://h/a?"},
		{"http://h/a", "fragment", "é", "http://h/a#%C3%A9"},
		{"ftp://h/a", "user", "u@x", "ftp://u%40x@h/a"},
		{"ftp://u@h/a", "password", "p:/", "ftp://u:p:%2F@h/a"},
		{"a/b", "path", "c", "c"},

		{"ftp://h/a", "ftp.type", "i", "ftp://h/a;type=i"},
		{"FTP://H:21/~a;type=a#f", "ftp.type", "D", "FTP://H:21/~a;type=d#f"},
		{"ftp://h/~a/b%2fc", "ftp.name", "d/;%41", "ftp://h/~a/d%2F%3B%2541"},
		{"ftp://h/a/b;type=i", "ftp.dirs", "x/y%2Fz", "ftp://h/x/y%2Fz/b;type=i"},
		{"ftp://h/a", "ftp.user", "u:@%40", "ftp://u%3A%40%2540@h/a"},
		{"ftp://u@h/a", "ftp.password", "", "ftp://u:@h/a"},
		{"http://h/~a?b+c", "http.path", "x/y z", "http://h/x/y%20z?b+c"},
		{"http://h/~a%2fb", "http.search", "b+c", "http://h/~a%2fb?b%2Bc"},
		{"gopher://h", "gopher.type", "7", "gopher://h/7"},
		{"gopher://h/0a?b", "gopher.selector", "a?c", "gopher://h/0a?c"},
		{"gopher://h/7a", "gopher.search", "b", "gopher://h/7a%09b"},
		{"gopher://h/0a", "gopher.plus", "!+A +B", "gopher://h/0a%09%09!+A%20+B"},
		{"mailto:a@b?subject=x", "mailto.address", "c%d@e", "mailto:c%25d@e?subject=x"},
		{"news:a", "news.message_id", "x@y", "news:x@y"},
		{"news:x@y", "news.group", "a.b", "news:a.b"},
		{"news:x@y", "news.kind", "all", "news:*"},
		{"nntp://h/a", "nntp.number", "12", "nntp://h/a/12"},
		{"nntp://h/a/12", "nntp.group", "b", "nntp://h/b/12"},
		{"telnet://h/", "telnet.user", "u", "telnet://u@h/"},
		{"rlogin://h", "rlogin.user", "u", "rlogin://u@h"},
		{"tn3270://u@h", "tn3270.password", "p", "tn3270://u:p@h"},
		{"wais://h/db", "wais.search", "a+b", "wais://h/db?a%2Bb"},
		{"z39.50s://h/db?x", "z39.50s.query", "a+b c", "z39.50s://h/db;query=a%2Bb%20c"},
		{"z39.50r://h/db", "z39.50r.databases", "a+b/c", "z39.50r://h/a+b%2Fc"},
		{"z39.50r://h/db;RS=xml", "z39.50r.rs", "usmarc+sutrs", "z39.50r://h/db;rs=usmarc+sutrs"},
		{"z39.50r://h/db;query=x", "z39.50r.record", "12", "z39.50r://h/db;query=x;record=12"},
		{"z39.50r://h/db;query=x", "z39.50r.extensions", "a=b;c=d", "z39.50r://h/db;query=x;a=b;c=d"},
		{"wais://h/db?x", "wais.database", "e/f", "wais://h/e%2Ff?x"},
		{"wais://h/db/T/1=a;", "wais.wtype", "U", "wais://h/db/U/1=a;"},
		{"wais://h/db/T/1=a;", "wais.wpath", "\x01\x01b", "wais://h/db/T/%01%01b"},
		{"wais://h/db/T/x", "wais.wpath", "1=a;", "wais://h/db/T/1=a;"},
		{"file:///a/b", "file.host", "h", "file://h/a/b"},
		{"file:///a/b", "file.segments", "c d/e%2Ff", "file:///c%20d/e%2Ff"},
		{"prospero://h/a;b=c", "prospero.hsoname", "/x;y", "prospero://h//x%3By;b=c"},
		{"prospero://h/a", "prospero.version", "3", "prospero://h/a%003"},
		{"prospero://h/a", "prospero.fields", "b=c%3B;d=e", "prospero://h/a;b=c%3B;d=e"},
		{"prospero://h/a", "prospero.fields", "b", "prospero://h/a;b="},
		{"mid:a@b/c", "mid.message_id", "d/e@f", "mid:d%2Fe@f/c"},
		{"cid:a", "cid.content_id", "b", "cid:b"},
		{"urn:ab:c", "urn.nss", "d/e%", "urn:ab:d/e%25"},
		{"urn:ab:c?=q", "urn.nid", "xy", "urn:xy:c?=q"},
	} {
		u := url.MustParse(test.text)
		got, err := scheme.Set(u, test.part, &test.value)
		if err != nil || got.String() != test.want {
			t.Errorf("Set(%q, %q, %q) = %q, %v; want %q", test.text, test.part, test.value, got, err, test.want)
		}
		if got.Standard() != u.Standard() {
			t.Errorf("Set(%q, %q, %q) = URL by %v, want the standard of the original", test.text, test.part, test.value, got.Standard())
		}
	}
}

func TestSetNothing(t *testing.T) {
	for _, test := range []struct{ text, part, want string }{
		{"http://h/a?b#c", "query", "http://h/a#c"},
		{"http://h/a?b#c", "fragment", "http://h/a?b"},
		{"http://h:80/a", "port", "http://h/a"},
		{"ftp://u:p@h/a", "ftp.user", "ftp://h/a"},
		{"telnet://u:p@h", "telnet.user", "telnet://h"},
		{"file://h/a/b", "file.segments", "file://h/"},
		{"ftp://u:p@h/a", "user", "ftp://h/a"},
		{"ftp://u:p@h/a", "ftp.password", "ftp://u@h/a"},
		{"ftp://h/a;type=i", "ftp.type", "ftp://h/a"},
		{"ftp://h/a/b", "ftp.dirs", "ftp://h/b"},
		{"ftp://h/a/b", "ftp.name", "ftp://h/a/"},
		{"http://h/a?b", "http.search", "http://h/a"},
		{"http://h/a?b", "http.path", "http://h/?b"},
		{"gopher://h/7a%09b%09+", "gopher.plus", "gopher://h/7a%09b"},
		{"gopher://h/7a%09b%09+", "gopher.search", "gopher://h/7a"},
		{"gopher://h/7a", "gopher.type", "gopher://h/1a"},
		{"nntp://h/a/1", "nntp.number", "nntp://h/a"},
		{"z39.50s://h/db?a;esn=F", "z39.50s.docid", "z39.50s://h/db;esn=F"},
		{"z39.50s://h/db?a;esn=F", "z39.50s.esn", "z39.50s://h/db?a"},
		{"z39.50s://h/db", "z39.50s.databases", "z39.50s://h/"},
		{"z39.50s://h/d;query=a;record=2", "z39.50s.record", "z39.50s://h/d;query=a"},
		{"wais://h/db?a", "wais.search", "wais://h/db"},
		{"wais://h/db/T/a", "wais.wpath", "wais://h/db"},
		{"file://h/a", "file.host", "file:/a"},
		{"prospero://h/a%0012b;c=d", "prospero.version", "prospero://h/a;c=d"},
		{"prospero://h/a;c=d", "prospero.fields", "prospero://h/a"},
		{"afs://c/a/b", "afs.segments", "afs://c/"},
		{"mailserver:a@b/c/d", "mailserver.subject", "mailserver:a@b"},
		{"mailserver:a@b/c/d", "mailserver.body", "mailserver:a@b/c"},
	} {
		got, err := scheme.Set(url.MustParse(test.text), test.part, nil)
		if err != nil || got.String() != test.want {
			t.Errorf("Set(%q, %q, nil) = %q, %v; want %q", test.text, test.part, got, err, test.want)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, test := range []struct {
		text, part, value string
		want              error // nil for any error
	}{
		{"http://h/", "colour", "x", scheme.ErrNoPart},
		{"http://h/", "http.colour", "x", scheme.ErrNoPart},
		{"http://h/", "ftp.type", "i", scheme.ErrNoPart},
		{"http://h/", "", "x", scheme.ErrNoPart},
		{"http://h/", "http.", "x", scheme.ErrNoPart},
		{"z39.50:x", "z39.50.x", "x", errors.ErrUnsupported},
		{"http://h/", "port", "x", nil},
		{"http://h/", "scheme", "a b", nil},
		{"http://h/", "host", "a/b]", nil},
		{"https://h/evil.com/x", "host", "", nil},
		{"gopher://h/1", "host", "", nil},
		{"mailto:a@b", "port", "1", nil},
		{"ftp://h/a", "ftp.type", "x", nil},
		{"ftp://h/a", "ftp.password", "p", nil},
		{"gopher://h/1", "gopher.type", "12", nil},
		{"gopher://h/1", "gopher.selector", "a\r\n", nil},
		{"gopher://h/1", "gopher.selector", "a\tb", nil},
		{"gopher://h/1", "gopher.plus", "a\r\nb", nil},
		{"nntp://h/a", "nntp.number", "x", nil},
		{"nntp://h/a", "nntp.number", "", nil},
		{"nntp://h/a", "nntp.group", "", nil},
		{"news:a", "news.group", "a@b", nil},
		{"news:a", "news.kind", "group", scheme.ErrNoPart},
		{"mailto:a@b", "mailto.address", "a", nil},
		{"urn:ab:c", "urn.nid", "a:b", nil},
		{"prospero://h/a", "prospero.version", "x", nil},
		{"cid:a", "cid.content_id", "", nil},
		{"ftp://h/a;type=x", "ftp.type", "i", nil},
	} {
		got, err := scheme.Set(url.MustParse(test.text), test.part, &test.value)
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("Set(%q, %q, %q) = %q, %v; want an error", test.text, test.part, test.value, got, err)
		}
	}
}

// The result of Set is read by the standard of the URL.
func TestSetStandard(t *testing.T) {
	value := "a~b c"
	for _, test := range []struct {
		std        url.Standard
		part, want string
	}{
		{url.RFC3986, "path", "ftp://h/x"},
		{url.RFC1738, "path", "ftp://h/x"},
	} {
		u, err := test.std.Parse("ftp://h/x")
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		path := "/" + value
		got, err := scheme.Set(u, test.part, &path)
		want := map[url.Standard]string{url.RFC3986: "ftp://h/a~b%20c", url.RFC1738: "ftp://h/a%7Eb%20c"}[test.std]
		if err != nil || got.String() != want || got.Standard() != test.std {
			t.Errorf("Set(%q, path, %q) (%v) = %q, %v; want %q", u, path, test.std, got, err, want)
		}
	}
}

// Set makes the escapes that the grammar of a part requires by the standard of the URL.
//
// req: 1738-2.2-4
func TestSetByStandard(t *testing.T) {
	for _, test := range []struct {
		std                     url.Standard
		text, part, value, want string
	}{
		{url.RFC1738, "http://h/a", "query", "a/b?c=d", "http://h/a?a%2Fb%3Fc=d"},
		{url.RFC1738, "http://h/a", "path", "/~a#b", "http://h/%7Ea%23b"},
		{url.RFC1738, "gopher://h/0a", "path", "/0a?b", "gopher://h/0a?b"},
		{url.RFC1738, "ftp://h/a", "ftp.name", "~;", "ftp://h/%7E%3B"},
		{url.RFC1630, "http://h/a", "query", "a=b+c/d", "http://h/a?a%3Db+c%2Fd"},
		{url.RFC1630, "http://h/a", "fragment", "x y", "http://h/a#x%20y"},
		{url.RFC3986, "http://h/a", "query", "a/b?c=d", "http://h/a?a/b?c=d"},
	} {
		u, err := test.std.Parse(test.text)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		got, err := scheme.Set(u, test.part, &test.value)
		if err != nil || got.String() != test.want || scheme.Judge(got) != nil {
			t.Errorf("%v: Set(%q, %q, %q) = %q, %v, with Judge = %v; want %q", test.std, test.text, test.part, test.value, got, err, scheme.Judge(got), test.want)
		}
	}
	for _, test := range []struct {
		std               url.Standard
		text, part, value string
		offset            int
	}{
		{url.RFC3986, "http://h/", "port", "8x", 10},
		{url.RFC3986, "http://h/", "scheme", "a b", 1},
		{url.RFC1738, "http://h/a", "fragment", "x", 11},
	} {
		u, err := test.std.Parse(test.text)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		_, err = scheme.Set(u, test.part, &test.value)
		if bad, ok := errors.AsType[*url.SyntaxError](err); !ok || bad.Offset != test.offset {
			t.Errorf("%v: Set(%q, %q, %q) = %v, want an error at offset %d", test.std, test.text, test.part, test.value, err, test.offset)
		}
	}
}
