package scheme_test

import (
	"testing"

	"locus/url"
)

// req: 1630-bnf-1, 1630-syn-1, 1630-syn-2, 1630-enc-3, 1630-ftp-1,
// 1630-news-1, 1630-wais-1, 1630-prospero-1, 1630-inter-1, 1630-mid-1,
// 1630-file-1, 1630-urn-1
func TestRFC1630(t *testing.T) {
	testGrammar(t, url.RFC1630, []grammar{
		{
			"partial forms",
			[]string{"", "g", "/g", "//g", "../g", "#f", "comp.lang.c", "199307@h"},
			[]string{"‸{", "g‸%"},
		},
		{
			"httpaddress, path, search, fragmentid",
			[]string{
				"http://h", "http://h/", "http://h:80/a//b/", "http://h?a", "http://h/a?b", "http://h/a?b+c", "http://h/a?+", "http://h/a#f",
				"http://h/a#", "http://h/$-_@.&+!*\"'(),%20", "https://h/a?b",
			},
			[]string{
				"http:‸", "http:‸x", "http://u‸@h/", "http://h/a‸;b", "http://h/a‸:b", "http://h/a‸=b", "http://h/a?b‸=c", "http://h/a?b‸/c",
				"http://h/a?‸", "http://h/a?‸#f", "http://h/a?b‸?c", "http://h/a#f‸/", "http://h/‸~", "https://h/a‸;b",
			},
		},
		{
			"ftpaddress, ftptype, formcode, login, user, password",
			[]string{
				"ftp://h/", "ftp://h/a/b/", "ftp://u:p@h:21/a", "ftp://a-b_c.d+1@h/", "ftp://h/a;type=A", "ftp://h/a;type=AN", "ftp://h/a;type=AT",
				"ftp://h/a;type=AC", "ftp://h/a;type=E", "ftp://h/a;type=EN", "ftp://h/a;type=ET", "ftp://h/a;type=EC", "ftp://h/a;type=I",
				"ftp://h/a;type=L8", "ftp://h/a;type=L36", "ftp://h/a;type=i", "ftp://h/;type=I", "ftps://h/a;type=EN",
			},
			[]string{
				"ftp:/‸a", "ftp://h‸", "ftp://‸@h/", "ftp://u:‸@h/", "ftp://u‸%41@h/", "ftp://u:p‸%41@h/", "ftp://h/a;type=‸", "ftp://h/a;type=‸D",
				"ftp://h/a;type=A‸X", "ftp://h/a;type=I‸N", "ftp://h/a;type=L‸", "ftp://h/a;type=L‸x", "ftp://h/a;type=L8‸x", "ftp://h/a;type=AN‸T",
				"ftp://h/a‸:b", "ftp://h/a‸?b", "ftp://h/a;t‸=I", "ftp://h/a;type‸",
			},
		},
		{
			"newsaddress, groupart, group, article",
			[]string{"news:*", "news:a", "news:comp.infosystems.gopher", "news:a.b*", "news:199307@h", "news:a@b@h.dom", "news:1@1.2.3.4", "snews:a"},
			[]string{
				"news:‸", "news:‸1a", "news:‸*x", "news:a‸/b", "news:a‸/b@h", "news:‸@h", "news:a@‸", "news:a@1‸", "news:a‸:b@h", "news:‸//h/g",
				"news:12345667123‸%asdghfh@info.cern.ch",
			},
		},
		{
			"nntpaddress",
			[]string{"nntp:comp.lang.c/4711", "nntp:a/0", "nntps:a/1", "nntp://h:119/a/1"},
			[]string{"nntp:‸", "nntp://h/‸1/1", "nntp:‸1/1", "nntp:a‸", "nntp:a/‸", "nntp:a/1‸x", "nntp:a/1‸/", "nntp:a/‸%31"},
		},
		{
			"midaddress, cidaddress",
			[]string{"mid:960830.1639@XIson.com", "mid:%22a%20b%22@h", "cid:foo4%25foo1@bar.net", "cid:part1"},
			[]string{
				"mid:‸", "mid:a‸", "mid:a@‸", "mid:a‸:b@h", "mid:a@b‸/c@d", "mid:‸%3Ca@b%3E", "mid:a‸%20@h", "mid:‸//a@b", "cid:‸", "cid:a‸/b",
				"cid:‸//x",
			},
		},
		{
			"mailtoaddress, xalphas, hostname",
			[]string{"mailto:a@b", "mailto:user%25gate@host.dom", "mailto:a@b@c", "mailto:%3C@h"},
			[]string{"mailto:‸", "mailto:a‸", "mailto:‸@b", "mailto:a@‸", "mailto:a@‸1", "mailto:a‸:b@c", "mailto:a@b‸?c", "mailto:‸//a@b", "mailto:a@‸%41"},
		},
		{
			"waisaddress, waisindex, waisdoc, wpath, database, wtype",
			[]string{
				"wais://h/db", "wais://h:210/db?a", "wais://h/db?a+b", "wais://h/db/TEXT/1=h%3A210;", "wais://h/db/TEXT/1=a;2=/b/c;7=%00;",
				"wais://h/db/TEXT/1=;",
			},
			[]string{
				"wais:‸", "wais://h‸", "wais://h/‸", "wais://h/db?‸", "wais://h/db?a‸/", "wais://h/db/‸", "wais://h/db/T‸", "wais://h/db/T/‸",
				"wais://h/db/T/‸a=b;", "wais://h/db/T/1‸a=b;", "wais://h/db/T/1=a‸", "wais://h/db/T/1=a;‸x", "wais://h/db/T/1=a‸=b;",
				"wais://h/db/T/‸%01", "wais://u‸@h/db",
			},
		},
		{
			"prosperolink, hsoname, version, attributes",
			[]string{
				"prospero://h/", "prospero://h//pros/name", "prospero://h/a%001", "prospero://h/a%0012abc", "prospero://h:1525/a/b%003",
			},
			[]string{
				"prospero:/‸a", "prospero://h‸", "prospero://h/a%00‸", "prospero://h/a%00‸x", "prospero://h/a%001‸/", "prospero://h/a%001‸%00",
				"prospero://h/a‸;b=c", "prospero://h/a‸:b%001", "prospero://u‸@h/a",
			},
		},
		{
			"telnetaddress",
			[]string{"telnet://h", "telnet://u:p@h:23", "rlogin://u@h", "tn3270://h"},
			[]string{
				"telnet:‸h", "telnet://h‸/", "telnet://‸@h", "telnet://u:‸@h", "rlogin://h‸/", "rlogin:‸", "rlogin://u‸%41@h", "tn3270://h‸/x", "tn3270:‸",
			},
		},
		{
			"gopheraddress, gtype, gcommand",
			[]string{
				"gopher://h", "gopher://h/", "gopher://h:70/1", "gopher://h/0a/b", "gopher://h/00a", "gopher://h/0a%09+", "gopher://h/0a%0D%0Ab",
				"gopher://h/%31a",
			},
			[]string{"gopher:‸1", "gopher://u‸@h/", "gopher://h/‸/a", "gopher://h/0a‸?b", "gopher://h/0a‸;b", "gopher://h/0a‸:b", "gopher://h/‸;a", "gopher://h‸?a"},
		},
		{
			"fileaddress",
			[]string{"file:///a", "file://localhost/etc/passwd", "file://h.dom/a//b/"},
			[]string{"file:‸", "file:/‸a", "file://h‸", "file://u‸@h/a", "file://h‸:80/a", "file:///a‸;b", "file:///a‸:b", "file:///a‸?b"},
		},
		{
			"generic uri",
			[]string{"urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3", "magic://a/b/c//d/e/f", "afs://cell.name/path", "x-y:a/b?c+d#e"},
			[]string{"fxqn:/us/va/reston/cnri/ietf/24/asdf‸%*.fred", "http://info.cern.ch/RDB/EMP?*%20where%20name‸%%3Ddobbins", "x-y:a‸{"},
		},
	})
}

// Views of the examples of RFC 1630 for specific schemes.
//
// req: 1630-http-1, 1630-http-2
func TestRFC1630Examples(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"http://www.my.work.com/", `{"path":"","search":null}`},
		{"http://www.my.uni.edu/info/matriculation/enroling.html", `{"path":"info/matriculation/enroling.html","search":null}`},
		{"http://info.my.org/AboutUs/Phonebook", `{"path":"AboutUs/Phonebook","search":null}`},
		{"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98", `{"path":"Catalogue/76523471236/wen44--4.98","search":null}`},
		{"http://www.my.org/462F4F2D4241522A314159265358979323846", `{"path":"462F4F2D4241522A314159265358979323846","search":null}`},
		{"http://info.cern.ch:8000/imaginary/test", `{"path":"imaginary/test","search":null}`},
		{"http://www.myu.edu/org/admin/people#andy", `{"path":"org/admin/people","search":null}`},
		{"http://info.my.org/AboutUs/Index/Phonebook?dobbins", `{"path":"AboutUs/Index/Phonebook","search":"dobbins"}`},
		{"http://info.cern.ch/albert/bertram/marie-claude", `{"path":"albert/bertram/marie-claude","search":null}`},
	} {
		for _, std := range []url.Standard{url.RFC3986, url.RFC1630} {
			v, err := parse(std, test.text)
			if err != nil {
				t.Errorf("%v: view of %q: %v", std, test.text, err)
				continue
			}
			if got := asJSON(t, v); got != test.want {
				t.Errorf("%v: view of %q = %s, want %s", std, test.text, got, test.want)
			}
		}
		if err := judge(url.RFC1630, test.text); err != nil {
			t.Errorf("RFC 1630: Read of its example %q = %v, want no error", test.text, err)
		}
	}
}
