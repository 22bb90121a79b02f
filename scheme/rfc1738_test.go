package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

// A grammar is a production with some of its members and some near misses. A near miss has a "‸" before the first byte
// with which no member can continue.
type grammar struct {
	name    string
	members []string
	misses  []string
}

// testGrammar checks that Read accepts the members and refuses the near misses at the mark.
func testGrammar(t *testing.T, std url.Standard, productions []grammar) {
	for _, p := range productions {
		t.Run(p.name, func(t *testing.T) {
			for _, text := range p.members {
				if err := judge(std, text); err != nil {
					t.Errorf("%v: Read(%q) = %v, want no error", std, text, err)
				}
				checkLaws(t, text)
			}
			for _, s := range p.misses {
				text, offset := marked(t, s)
				wantOffset(t, std.String(), text, judge(std, text), offset)
				checkLaws(t, text)
			}
		})
	}
}

// req: 1738-5-1, 1738-2.1-1, 1738-2.1-2, 1738-3.1-1, 1738-3.1-2, 1738-3.1-4,
// 1738-3.1-5
func TestRFC1738(t *testing.T) {
	testGrammar(t, url.RFC1738, []grammar{
		{
			"genericurl, otherurl, scheme",
			[]string{"x-new:anything;/?:@&=", "x-a+b.c:", "X-UPPER:x", "z39.50:x", "3x:y", "afs://cell/path", "nfs:x"},
			[]string{"‸", "‸:x", "x‸_y:z", "abc‸", "x-new:a‸#b", "x-new:a‸\\b", "x-new:‸ ", "x-new:‸%zz"},
		},
		{
			"ip-schemepart, login, user, password",
			[]string{
				"x-y://h", "x-y://u@h/", "x-y://u:p@h", "x-y://@h", "x-y://:@h", "x-y://u:@h:1/x",
				"x-y://a;?&=$-_.+!*'(),%3A:a;?&=%40@h",
			},
			[]string{"ftp://‸", "ftp://‸/x", "ftp://u:p‸:q@h", "ftp://a‸~@h", "ftp://a‸%4@h"},
		},
		{
			"hostport, host, hostname, domainlabel, toplabel, hostnumber, port",
			[]string{
				"x-y://a", "x-y://a-b.c", "x-y://1a.b", "x-y://1.b1", "x-y://a--b.c", "x-y://1.2.3.4", "x-y://999.1.1.1",
				"x-y://h:0", "x-y://h:80", "x-y://h:99999", "ftp://a%61",
			},
			[]string{
				"ftp://‸-a", "ftp://a-‸", "ftp://a-‸.b", "ftp://a.‸.b", "ftp://a.‸", "ftp://a.1‸", "ftp://1‸", "ftp://1.2.3‸",
				"ftp://a‸_b", "ftp://‸[::1]", "ftp://a‸%5F", "ftp://h:‸", "ftp://h:8‸x", "ftp://h:‸-1",
			},
		},
		{
			"httpurl",
			[]string{
				"http://h", "http://h/", "http://h:80/", "http://h/a", "http://h/a/b//c/", "http://h/?", "http://h/?a",
				"http://h/a?b", "http://h/;:@&=$-_.+!*'(),%2F?;:@&=$-_.+!*'(),%3F", "HTTP://H/", "https://h/a?b",
			},
			[]string{
				"http:‸", "http:‸x", "http:/‸x", "http://‸", "http://‸/x", "http://u‸@h/", "http://u:‸p@h/", "http://u:80‸@h/",
				"http://‸@h/", "http://h/?a‸/b", "http://h/?a‸?b", "http://h/a‸#b", "http://h‸?x", "http://h/a‸~", "https://u‸@h/",
			},
		},
		{
			"ftpurl, fpath, fsegment, ftptype",
			[]string{
				"ftp://h", "ftp://h/", "ftp://u:p@h:21/", "ftp://@h/", "ftp://foo:@h/", "ftp://h/a", "ftp://h/a/b", "ftp://h//a//",
				"ftp://h/?:@&=$-_.+!*'(),%3B%2F", "ftp://h/;type=a", "ftp://h/a/b;type=i", "ftp://h/a;type=d",
				"ftp://h/a;type=A", "ftp://h/a;type=I", "ftp://h/a;type=D", "ftps://h/a;type=d",
			},
			[]string{
				"ftp:‸", "ftp:/‸a", "ftp://‸/a", "ftp://h/a;‸", "ftp://h/a;‸x", "ftp://h/a;type‸", "ftp://h/a;type‸/b", "ftp://h/a;type=‸",
				"ftp://h/a;type=‸x", "ftp://h/a;type=‸e", "ftp://h/a;type=‸l8", "ftp://h/a;type=a‸n", "ftp://h/a;type=i‸/b",
				"ftp://h/a;‸b/c;type=i", "ftp://h/a;type=a‸;type=a", "ftp://h‸;type=a", "ftps://h/a;type=‸x",
			},
		},
		{
			"fileurl",
			[]string{
				"file:///", "file:///a/b", "file://localhost/a", "file://vms.host.edu/disk$user/my/notes/note12345.txt",
				"file:////a", "file:///a?b:c@d&e=f",
			},
			[]string{
				"file:‸", "file:/‸a", "file:‸a", "file://‸", "file://h‸", "file:///a‸;b", "file://u‸@h/a", "file://h‸:80/a", "file://h‸:", "file://u‸:1@h/a", "file:///a‸|b",
			},
		},
		{
			"gopherurl, gtype, selector, gopher+_string",
			[]string{
				"gopher://h", "gopher://h/", "gopher://h:70/", "gopher://h/1", "gopher://h/0a", "gopher://h/00a", "gopher://h//a",
				"gopher://h/0;/?:@&=$-_.+!*'(),%2F", "gopher://h/%31x", "gopher://h/%00x", "gopher://h/7a%09b", "gopher://h/7a%09", "gopher://h/7a%09b/c", "gopher://h/7a%09?", "gopher://h/7a%09b%09",
				"gopher://h/0a%09%09+", "gopher://h/0a%09%09;/?:@&=", "gopher://h/0a%00b",
				"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Ax%0D%0A.%0D%0A",
			},
			[]string{
				"gopher:‸", "gopher:‸1", "gopher://‸/1", "gopher://u‸@h/", "gopher://h/0a‸#b", "gopher://h/0a‸%0Ab", "gopher://h/0a‸%0D",
				"gopher://h/‸%09", "gopher://h/‸%0Aa", "gopher://h/7a‸%0A%09b/c",
				"gopher://h/7a%09b/%09‸%0D", "gopher://h/0a%09%09‸%0D%0A", "gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Ax%0D%0A‸",
			},
		},
		{
			"mailtourl, encoded822addr",
			[]string{
				"mailto:a@b", "mailto:a.b@c.d", "mailto:user%25gate@host.dom", "mailto:%22J.%20Doe%22@h", "mailto:a@%5B10.0.0.1%5D",
				"mailto:%22a%5C%22b%22@h", "mailto:a@h?subject=x", "mailto:a/b=c&d@h", "mailto:/a@b", "mailto://a@b",
			},
			[]string{
				"mailto:‸", "mailto:‸@b", "mailto:a‸", "mailto:a@‸", "mailto:a.‸@b", "mailto:a@b‸@c", "mailto:a@b‸,c@d", "mailto:a‸%20b@c",
				"mailto:a‸ b@c", "mailto:%22a@h‸", "mailto:a@b.‸", "mailto:a@%5B1‸", "mailto:a‸%3Ca@b%3E",
				"mailto:a@b‸%0D%0A",
			},
		},
		{
			"newsurl, grouppart, group, article",
			[]string{
				"news:*", "news:a", "news:comp.infosystems.www.misc", "news:comp.lang.c++", "news:alt.a_b-c.1", "news:a@h",
				"news:;/?:&=%40$-_.+!*'(),@h.dom", "news:1@1.2.3.4", "news:/a@h", "news://h/g@h", "snews:comp.x",
			},
			[]string{
				"news:‸", "news:‸*x", "news:‸1a", "news:a‸%20b", "news:a‸/b", "news:a‸*", "news:‸@h", "news:a@‸", "news:a@h‸:80",
				"news:a@‸-", "news:a@h‸/", "news:a@b‸@h", "news:‸//h/g", "snews:‸1",
			},
		},
		{
			"nntpurl, digits",
			[]string{"nntp://h/a", "nntp://h:119/comp.lang.misc/4711", "nntp://h/a/0", "nntp://h/a%41", "nntps://h/a.b/1"},
			[]string{
				"nntp:‸a/1", "nntp://h‸", "nntp://h/‸", "nntp://h/a/‸", "nntp://h/a/1‸x", "nntp://h/a/1‸/", "nntp://h/‸1/1", "nntp://h/‸*",
				"nntp://h/a‸?b", "nntp://u‸@h/a/1", "nntp://h/a‸%2F", "nntps://h/‸",
			},
		},
		{
			"telneturl",
			[]string{"telnet://h", "telnet://h/", "telnet://u:p@h:23/", "telnet://u@h", "telnet://:@h/"},
			[]string{"telnet:‸h", "telnet://‸", "telnet://h/‸x", "telnet://h/‸/", "telnet://h/‸?"},
		},
		{
			"waisurl, waisdatabase, waisindex, waisdoc, database, wtype, wpath",
			[]string{
				"wais://h/", "wais://h/db", "wais://h:210/db%2F1", "wais://h/db?", "wais://h/db?a;b:c@d&e=f", "wais://h/db/t/p",
				"wais://h/db//", "wais://h/db/TEXT/%01%03abc%02%01%3B",
			},
			[]string{
				"wais:/‸db", "wais://h‸", "wais://h/db/t‸", "wais://h/db/t/p‸/q", "wais://h/db/t/1‸=x;", "wais://h/db?a‸/b", "wais://h/db?a‸?",
				"wais://h/d‸;b", "wais://h/db/t/p‸?q", "wais://u‸@h/db", "wais://h/d‸:b",
			},
		},
		{
			"prosperourl, ppath, psegment, fieldspec, fieldname, fieldvalue",
			[]string{
				"prospero://h/", "prospero://host.dom//pros/name", "prospero://h:1525/a?b:c@d&e=f", "prospero://h/a;b=c",
				"prospero://h/a;b=c;d=", "prospero://h/a;=", "prospero://h/a;?:@&=?:@&", "prospero://h/a%00%3B",
			},
			[]string{
				"prospero:/‸a", "prospero://h‸", "prospero://h/a;‸", "prospero://h/a;b‸", "prospero://h/a;b‸;c=d", "prospero://h/a;b=c‸=d",
				"prospero://h/a;b‸/c=d", "prospero://h/a;b=c‸/", "prospero://u‸@h/a", "prospero://u:‸p@h/a",
			},
		},
		{
			"uchar, xchar, escape, hex, safe, extra, national, punctuation",
			[]string{"x-y:azAZ09$-_.+!*'(),%00%aF%Ff;/?:@&="},
			[]string{
				"x-y:‸{", "x-y:‸}", "x-y:‸|", "x-y:‸\\", "x-y:‸^", "x-y:‸~", "x-y:‸[", "x-y:‸]", "x-y:‸`", "x-y:‸<", "x-y:‸>", "x-y:‸#",
				"x-y:‸\"", "x-y:‸%", "x-y:‸%1", "x-y:‸%g0", "x-y:‸%0g", "x-y:‸\x00", "x-y:‸\x1f", "x-y:‸\x7f", "x-y:‸\x80", "x-y:‸\xff", "x-y:‸ ",
			},
		},
	})
}

// Views of the examples of RFC 1738.
//
// req: 1738-3.1-3, 1738-3.2-1, 1738-3.2-2, 1738-3.6-1, 1738-3.11-1
func TestRFC1738Examples(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"http://www.acl.lanl.gov/URI/archive/uri-archive.index.html", `{"path":"URI/archive/uri-archive.index.html","search":null}`},
		{"ftp://@host.com/", `{"user":"","password":null,"dirs":[],"name":"","type":null}`},
		{"ftp://host.com/", `{"user":null,"password":null,"dirs":[],"name":"","type":null}`},
		{"ftp://foo:@host.com/", `{"user":"foo","password":"","dirs":[],"name":"","type":null}`},
		{"ftp://myname@host.dom/%2Fetc/motd", `{"user":"myname","password":null,"dirs":["/etc"],"name":"motd","type":null}`},
		{"ftp://myname@host.dom/etc/motd", `{"user":"myname","password":null,"dirs":["etc"],"name":"motd","type":null}`},
		{"ftp://myname@host.dom//etc/motd", `{"user":"myname","password":null,"dirs":["","etc"],"name":"motd","type":null}`},
		{"ftp://info.cern.ch/pub/www/doc;type=d", `{"user":null,"password":null,"dirs":["pub","www"],"name":"doc","type":"d"}`},
		{"ftp://ds.internic.net/rfc", `{"user":null,"password":null,"dirs":[],"name":"rfc","type":null}`},
		{"ftp://ds.internic.net/rfc/rfc1436.txt;type=a", `{"user":null,"password":null,"dirs":["rfc"],"name":"rfc1436.txt","type":"a"}`},
		{"http://ds.internic.net/instructions/overview.html", `{"path":"instructions/overview.html","search":null}`},
		{"news:*", `{"kind":"all","group":null,"message_id":null}`},
		{"news:comp.infosystems.www.misc", `{"kind":"group","group":"comp.infosystems.www.misc","message_id":null}`},
		{"file://vms.host.edu/disk$user/my/notes/note12345.txt", `{"host":"vms.host.edu","segments":["disk$user","my","notes","note12345.txt"]}`},
		{"prospero://host.dom//pros/name", `{"hsoname":"/pros/name","version":null,"fields":[]}`},
		{"gopher://h/0a%09%09!+ABSTRACT%20+SMELL", `{"type":"0","selector":"a","search":"","plus":"!+ABSTRACT +SMELL"}`},
		{
			"gopher://h/0a%09%09+application/postscript%20Es_ES",
			`{"type":"0","selector":"a","search":"","plus":"+application/postscript Es_ES"}`,
		},
	} {
		for _, std := range standards {
			v, err := parse(std, test.text)
			if err != nil {
				if std != url.RFC1630 { // RFC 1630 allows no empty user or password
					t.Errorf("%v: view of %q: %v", std, test.text, err)
				}
				continue
			}
			if got := asJSON(t, v); got != test.want {
				t.Errorf("%v: view of %q = %s, want %s", std, test.text, got, test.want)
			}
		}
		if err := judge(url.RFC1738, test.text); err != nil {
			t.Errorf("RFC 1738: Read of its example %q = %v, want no error", test.text, err)
		}
		checkLaws(t, test.text)
	}
}

// Judge accepts every URL of RFC 3986.
func TestJudgeRFC3986(t *testing.T) {
	for _, text := range []string{"ftp:x", "http://u:p@h/", "nntp://h", "news:", "a/b", ""} {
		if err := scheme.Judge(url.MustParse(text)); err != nil {
			t.Errorf("Judge(%q) = %v, want no error", text, err)
		}
	}
}

// Read reports an error by the scheme's production if that comes before the error by the generic syntax.
//
// req: 1738-5-1, 1738-3.3-1
func TestReadFindsTheFirstOffence(t *testing.T) {
	for _, s := range []string{
		"http://u‸@h/a b", "http://u‸@h/%zz", "http://u‸@-", "http://u‸@h:8x", "http://u:‸p%zz@h/", "http://u:‸p@", "http:/‸x%zz", "http:‸x y",
		"http://h/?a‸/b c", "http://h/a‸ b?c/d", "http://h‸ ?", "http://h/a‸%zz?/", "news:a/b‸ c", "news:a/b‸ c@h", "news:a@b‸/ ", "news://h/‸ ", "mailto:a@b‸@c d", "ftp://h/a;‸x y",
		"ftp://u:p‸ @h/;x", "telnet://h/‸x#", "wais://h/d/‸ ", "x-new:a/?b‸#", "http://h/‸\xff",
	} {
		text, offset := marked(t, s)
		u, err := scheme.Read(url.RFC1738, text)
		wantOffset(t, "Read", text, err, offset)
		if u != (url.URL{}) {
			t.Errorf("Read(%q) = %q with an error, want the zero URL", text, u)
		}
	}
	for _, s := range []string{"http://u‸@h/a~b", "http://u‸@1.2~", "ftp:/‸a b", "mailto:‸//a b", "http://h/a‸:b{", "ftp://u@1.2.‸x/"} {
		text, offset := marked(t, s)
		_, err := scheme.Read(url.RFC1630, text)
		wantOffset(t, "Read", text, err, offset)
	}
	for _, text := range []string{"http://u@h/", "news:a/b", "", "?"} {
		u, err := scheme.Read(url.RFC3986, text)
		if want := url.MustParse(text); u != want || err != nil {
			t.Errorf("Read(%q) = %q, %v, want %q", text, u, err, want)
		}
	}
	_, err := scheme.Read(url.RFC3986, "http://u@h/a b")
	wantOffset(t, "Read", "http://u@h/a b", err, len("http://u@h/a"))
}
