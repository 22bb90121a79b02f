package whatwg

import (
	"strings"
	"testing"
)

func TestDomains(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"EXAMPLE.org", "example.org"},
		{"ex%41mple.org", "example.org"},
		{"%65%78.org", "ex.org"},
		{"a_b.org", "a_b.org"},
		{"-a-.org", "-a-.org"},
		{"ab--c.org", "ab--c.org"},
		{"a..b", "a..b"},
		{"a.", "a."},
		{"a!$&'()*+,;=~b", "a!$&'()*+,;=~b"},
		{"faß.example", "xn--fa-hia.example"}, // not transitional
		{"bücher.example", "xn--bcher-kva.example"},
		{"B%C3%BCcher.example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"☕.example", "xn--53h.example"},
		{"a。b", "a.b"},
		{"ａ．ｂ", "a.b"},
		{"a\u00adb", "ab"},
		{"\u00ad", "! domain-to-ASCII"},
		{"a\u200bb", "ab"},
		{"\ufffd.com", "! domain-to-ASCII"},
		{"%ff.com", "! domain-to-ASCII"},
		{"%E4%B8", "! domain-to-ASCII"},
		{"xn--。evil.com", "! domain-to-ASCII"}, // an empty label
		{"xn--.é", "! domain-to-ASCII"},
		{"XN\u00ad--.é", "! domain-to-ASCII"},
		{"é․xn--․com", "! domain-to-ASCII"},
		{"é.\u00ad.com", "xn--9ca..com"},
		{"ℵb", "! domain-to-ASCII"}, // maps to Hebrew, so CheckBidi fails
		{"bℵ", "! domain-to-ASCII"},
		{"a.ℵb", "! domain-to-ASCII"},
		{"ℵ", "xn--4db"},
		{"a b", "! domain-to-ASCII"},
		{"a%20b", "! domain-to-ASCII"},
		{"a%2Fb", "! domain-to-ASCII"},
		{"a%40b", "! domain-to-ASCII"},
		{"a%3A80", "! domain-to-ASCII"},
		{"a%00b", "! domain-to-ASCII"},
		{"a%7Fb", "! domain-to-ASCII"},
		{"a%25b", "! domain-to-ASCII"},
		{"a%b", "! domain-to-ASCII"},
		{"a^b", "! domain-to-ASCII"},
		{"a|b", "! domain-to-ASCII"},
		{"a<b>", "! domain-to-ASCII"},
		{"a／b", "! domain-to-ASCII"}, // maps to a slash
		{"a]b", "! domain-to-ASCII"},
		{strings.Repeat("a", 64) + ".org", strings.Repeat("a", 64) + ".org"}, // the length is not checked
	} {
		if got := hostOf("https", test.in); got != test.want {
			t.Errorf("host of https://%s/ = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestOpaqueHosts(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"EXAMPLE.org", "EXAMPLE.org"},
		{"ex%41mple", "ex%41mple"},
		{"a%2Fb", "a%2Fb"},
		{"a%b", "a%b"},
		{"bücher", "b%C3%BCcher"},
		{"\xff", "%EF%BF%BD"},
		{"a\x01b\x7f", "a%01b%7F"},
		{"a!$&'()*+,;=~`{}\"b", "a!$&'()*+,;=~`{}\"b"},
		{"a^b", "! host-invalid-code-point"},
		{"a|b", "! host-invalid-code-point"},
		{"a b", "! host-invalid-code-point"},
		{"a<b", "! host-invalid-code-point"},
		{"a>b", "! host-invalid-code-point"},
		{"a\\b", "! host-invalid-code-point"},
		{"a]b", "! host-invalid-code-point"},
		{"a\x00b", "! host-invalid-code-point"},
		{"", ""},
	} {
		if got := hostOf("x", test.in); got != test.want {
			t.Errorf("host of x://%s/ = %q, want %q", test.in, got, test.want)
		}
	}
}

// ToASCII with and without the strict checks.
func TestToASCII(t *testing.T) {
	const bad = ""
	for _, test := range []struct{ in, lenient, strict string }{
		{"Example.ORG", "example.org", "example.org"},
		{"bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"", bad, bad},
		{"a_b", "a_b", bad},
		{"-a", "-a", bad},
		{"a-", "a-", bad},
		{"ab--cd", "ab--cd", bad},
		{"é_", "xn--_-9fa", bad},
		{"a..b", "a..b", bad},
		{"é..b", "xn--9ca..b", bad},
		{"é.", "xn--9ca.", "xn--9ca."},
		{"é..", "xn--9ca..", bad},
		{"a..", "a..", bad},
		{strings.Repeat("a", 63) + ".é", strings.Repeat("a", 63) + ".xn--9ca", strings.Repeat("a", 63) + ".xn--9ca"},
		{strings.Repeat("a", 64) + ".é", strings.Repeat("a", 64) + ".xn--9ca", bad},
		{strings.Repeat("a.", 127) + "é", strings.Repeat("a.", 127) + "xn--9ca", bad},
		{"\u0301a", bad, bad}, // starts with a mark
		{"a\u200dé", bad, bad},
		{"אa", bad, bad}, // the bidi rule
		{"xn--a-ä", bad, bad},
	} {
		for _, beStrict := range []bool{false, true} {
			want := test.lenient
			if beStrict {
				want = test.strict
			}
			got, ok := ToASCII(test.in, beStrict)
			if ok != (want != bad) || ok && got != want {
				t.Errorf("ToASCII(%q, %v) = %q, %v, want %q", test.in, beStrict, got, ok, want)
			}
		}
	}
}

// ToASCII returns an ASCII domain in lower case, without allocating if it is in lower case already.
func TestToASCIIAllocations(t *testing.T) {
	domain := "www.example.org"
	if n := testing.AllocsPerRun(10, func() { _, _ = ToASCII(domain, false) }); n != 0 {
		t.Errorf("ToASCII(%q) allocates %v times, want 0", domain, n)
	}
}

func TestPorts(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"http://h:80/", "http://h/"},
		{"http://h:0080/", "http://h/"},
		{"http://h:443/", "http://h:443/"},
		{"https://h:443/", "https://h/"},
		{"ws://h:80/", "ws://h/"},
		{"wss://h:443/", "wss://h/"},
		{"ftp://h:21/", "ftp://h/"},
		{"ftp://h:2121/", "ftp://h:2121/"},
		{"http://h:/", "http://h/"},
		{"x://h:/", "x://h/"},
		{"x://h:80", "x://h:80"},
		{"x://h:00080", "x://h:80"},
		{"http://h:0/", "http://h:0/"},
		{"http://h:65535/", "http://h:65535/"},
		{"http://h:" + strings.Repeat("0", 1000) + "7/", "http://h:7/"},
		{"http://h:8\t0/", "http://h/"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
	} {
		if got, err := Parse(test.in); err != nil || got.String() != test.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
	for in, want := range map[string]Error{
		"http://h:65536/": {PortOutOfRange, 9, true},
		"http://h:" + strings.Repeat("9", 1000) + "/": {PortOutOfRange, 9, true},
		"http://h:-1/":    {PortInvalid, 9, true},
		"http://h:1a/":    {PortInvalid, 10, true},
		"http://h:1:2/":   {PortInvalid, 10, true},
		"http://h:%38/":   {PortInvalid, 9, true},
		"http://h:８/":     {PortInvalid, 9, true},
		"http://[::1]:x/": {PortInvalid, 13, true},
		"x://h:65536":     {PortOutOfRange, 6, true},
		"x://:80":         {HostMissing, 4, true},
		"x://u@":          {HostMissing, 6, true},
		"http://:80":      {HostMissing, 7, true},
		"http://":         {HostMissing, 7, true},
		"http://?":        {HostMissing, 7, true},
	} {
		_, err := Parse(in)
		if e, ok := err.(*Error); !ok || *e != want {
			t.Errorf("Parse(%.40q) = %v, want %v", in, err, &want)
		}
	}
}

// The last "@" of the authority ends the user name and the password.
func TestLogins(t *testing.T) {
	for _, test := range []struct{ in, user, password, host string }{
		{"http://u@h/", "u", "", "h"},
		{"http://u:p@h/", "u", "p", "h"},
		{"http://:p@h/", "", "p", "h"},
		{"http://u:@h/", "u", "", "h"},
		{"http://:@h/", "", "", "h"},
		{"http://@h/", "", "", "h"},
		{"http://a@b@h/", "a%40b", "", "h"},
		{"http://a:b@c@h/", "a", "b%40c", "h"},
		{"http://a:b:c@h/", "a", "b%3Ac", "h"},
		{"http://u%40:p%3A@h/", "u%40", "p%3A", "h"},
		{"http://u;=[]^|:p'~@h/", "u%3B%3D%5B%5D%5E%7C", "p'~", "h"},
		{"http://ü:é@h/", "%C3%BC", "%C3%A9", "h"},
		{"x://u:p@h", "u", "p", "h"},
		{"http://h/u:p@x", "", "", "h"},
		{"http://h?u:p@x", "", "", "h"},
		{"http://h\\u:p@x", "", "", "h"},
		{"x://h#u:p@x", "", "", "h"},
	} {
		u, err := Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.in, err)
			continue
		}
		if f := FieldsOf(u); f.Username != test.user || f.Password != test.password || f.Host != test.host {
			t.Errorf("Parse(%q) = user, password and host %q, %q, %q, want %q, %q, %q", test.in, f.Username, f.Password, f.Host, test.user, test.password, test.host)
		}
	}
}
