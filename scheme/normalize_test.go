package scheme_test

import (
	"fmt"
	"testing"

	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// req: 1630-gopher-1, 1738-2.3-1, 1738-3.1-5, 1738-2.1-2
func TestNormalize(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"HTTP://H:80", "http://h/"},
		{"http://h?a", "http://h/?a"},
		{"http://h/a/./b/../c", "http://h/a/c"},
		{"https://h:443/", "https://h/"},
		{"https://h:80/", "https://h:80/"},
		{"ftp://h:21/a/../b", "ftp://h/b"},
		{"ftp://h", "ftp://h/"},
		{"ldap://h", "ldap://h"},
		{"file:///a/../b", "file:///b"},
		{"gopher://h:70/1/a/../b", "gopher://h/1/a/../b"},
		{"gopher://h:71/1", "gopher://h:71/1"},
		{"prospero://h:1525//a/./b", "prospero://h//a/./b"},
		{"wais://h:210/db/T/a..", "wais://h/db/T/a.."},
		{"nntp://h:119/a/1", "nntp://h/a/1"},
		{"nntps://h:563/a", "nntps://h/a"},
		{"telnet://h:23/", "telnet://h/"},
		{"rlogin://h:513", "rlogin://h"},
		{"magic://H:80/a/../b", "magic://h:80/a/../b"},
		{"WS://h:80/a", "ws://h/a"},
		{"ws://h:443", "ws://h:443/"},
		{"wss://h:443/a/../b?c", "wss://h/b?c"},
		{"ssh://u@H:22/", "ssh://u@h/"},
		{"sftp://h:22/a/../b", "sftp://h/b"},
		{"sftp://h", "sftp://h/"},
		{"ldap://h:389", "ldap://h"},
		{"imap://h:/a", "imap://h/a"},
		{"smtp://h:0025", "smtp://h"},
		{"sip:u@h:5060", "sip:u@h:5060"},
		{"a/../b", "a/../b"},
	} {
		if got := scheme.Normalize(url.MustParse(test.text), url.AllRewrites).String(); got != test.want {
			t.Errorf("Normalize(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// In every scheme with a default port, a URL with that port means the same as a URL without a port (RFC 3986 §6.2.3).
func TestDefaultPorts(t *testing.T) {
	for s := range facts.All() {
		if s.Port == 0 || !s.Has(facts.Host) {
			continue
		}
		for _, std := range standards {
			long, err := std.Parse(fmt.Sprintf("%s://h.dom:%d/", s.Name, s.Port))
			short, errShort := std.Parse(s.Name + "://h.dom/")
			if err != nil || errShort != nil {
				t.Fatalf("%v: %v %v", std, err, errShort)
			}
			if std == url.RFC1738 && s.Has(facts.NoHost1738) {
				continue // because "//" is data there
			}
			if got, want := scheme.Normalize(long, url.AllRewrites), scheme.Normalize(short, url.AllRewrites); got != want {
				t.Errorf("%v: Normalize(%q) = %q, want %q", std, long, got, want)
			}
			if part, at, other, differ := scheme.Difference(long, short); differ {
				t.Errorf("%v: %q and %q differ in the %v at %d and %d", std, long, short, part, at, other)
			}
		}
	}
}

// Normalizing a URL that fits its scheme does not change its view.
func TestNormalizeKeepsViews(t *testing.T) {
	for _, text := range []string{
		"ftp://h:21/%61/b%2fc;type=i", "gopher://h:70/0a%3fb%09c", "http://h:80/%7ea?b%26c", "news:%61", "nntp://h:119/a/1",
		"wais://h:210/db?a%2Bb", "prospero://h:1525/a%3Bb;c=d", "file:///C:/%7e", "mid:a@b/c", "urn:example:a%2fb", "mailto:a%2Bb@c",
	} {
		for _, std := range standards {
			u, err := std.Parse(text)
			if err != nil {
				continue
			}
			n := scheme.Normalize(u, url.AllRewrites)
			v, err := scheme.Parse(u)
			if err != nil {
				t.Fatalf("%v: %v", std, err)
			}
			w, err := scheme.Parse(n)
			if err != nil {
				t.Errorf("%v: Parse of Normalize(%q) = %q: %v", std, text, n, err)
				continue
			}
			if got, want := asJSON(t, w), asJSON(t, v); got != want {
				t.Errorf("%v: Normalize(%q) = %q with the view %s, want %s", std, text, n, got, want)
			}
		}
	}
}

// req: 1630-enc-2, 1738-2.2-5
func TestEquivalent(t *testing.T) {
	for _, test := range []struct {
		std  url.Standard
		a, b string
		want bool
	}{
		{url.RFC3986, "http://h", "HTTP://H:80/", true},
		{url.RFC3986, "ftp://h", "ftp://h/", true},
		{url.RFC3986, "ldap://h", "ldap://h/", false},
		{url.RFC3986, "http://h:80/", "https://h:80/", false},
		{url.RFC3986, "ftp://h:21/a", "ftp://h/a", true},
		{url.RFC3986, "ws://h:80/", "ws://h", true},
		{url.RFC3986, "ws://h:80/", "wss://h/", false},
		{url.RFC3986, "ws://h:443/", "ws://h/", false},
		{url.RFC3986, "ssh://h:22/", "SSH://h:/", true},
		{url.RFC3986, "ssh://h:22/", "ssh://h", false},
		{url.RFC3986, "ldaps://h:636/a", "ldaps://h/a", true},
		{url.RFC3986, "x-own://h:22/", "x-own://h/", false},
		{url.RFC1738, "gopher://h/0a%3Bb", "gopher://h/0a;b", true},
		{url.RFC1738, "ftp://h/a%3Bb", "ftp://h/a%3bb", true},
		{url.RFC1738, "ftp://h/a%2Fb", "ftp://h/a/b", false},
		{url.RFC1738, "http://h/a+", "http://h/a%2B", true},
		{url.RFC1630, "http://h/?a+", "http://h/?a%2B", false},
	} {
		a, errA := test.std.Parse(test.a)
		b, errB := test.std.Parse(test.b)
		if errA != nil || errB != nil {
			t.Fatalf("%v: %v %v", test.std, errA, errB)
		}
		if got := equivalent(a, b); got != test.want {
			t.Errorf("%v: equivalent(%q, %q) = %v, want %v", test.std, test.a, test.b, got, test.want)
		}
		if _, _, _, differ := scheme.Difference(a, b); differ == test.want {
			t.Errorf("%v: Difference(%q, %q) = %v, want %v", test.std, test.a, test.b, differ, !test.want)
		}
	}
}
