package extract

import (
	"slices"
	"strings"
	"testing"

	"locus/scheme"
)

// URLs start and end where people who wrote the text would say.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		// punctuation and brackets
		{"(see http://h/a_(b), or http://h/c).", []string{"http://h/a_(b)", "http://h/c"}},
		{"http://h/a(b http://h/c)d", []string{"http://h/a", "http://h/c"}},
		{"http://h/a]b http://h/[a) http://h/{a}", []string{"http://h/a", "http://h/", "http://h/{a}"}},
		{"[x](http://h/y_(z)) ![](http://h/i.png)", []string{"http://h/y_(z)", "http://h/i.png"}},
		{"**http://h/** _http://h/_ ~http://h/~", []string{"http://h/", "http://h/_", "http://h/~"}},
		{"http://h/a... http://h/b?! http://h/c;) http://h/d?e=f?", []string{"http://h/a", "http://h/b", "http://h/c", "http://h/d?e=f"}},
		{"http://h/a&gt; http://h/b&quot;), http://h/c&d;", []string{"http://h/a", "http://h/b", "http://h/c&d"}},
		{"x='http://h/a','http://h/b' \"http://h/c\" `http://h/d`", []string{"http://h/a", "http://h/b", "http://h/c", "http://h/d"}},
		{"it's http://h/it's", []string{"http://h/it's"}},
		{"http://h/a\\nb http://h/c|d http://h/e^f", []string{"http://h/a", "http://h/c", "http://h/e"}},
		{"<http://h/a>, <a href=http://h/b>c</a>", []string{"http://h/a", "http://h/b"}},
		{"http://((((((((((h", nil},
		{"http://h/((((((((a))))))))", []string{"http://h/((((((((a))))))))"}},
		{"http://h/(((((((((a)))))))))", []string{"http://h/"}},

		// schemes
		{"HTTP://H/ hTTps://h/ Ftp://h/", []string{"HTTP://H/", "hTTps://h/", "Ftp://h/"}},
		{"git+ssh://h/r xyzhttp://h/ unheard://h/ 1http://h/ http+unix://s/", []string{"git+ssh://h/r", "http://h/", "http://h/", "http+unix://s/"}},
		{"http:h http:/h http:// http:///a http://. http://?", nil},
		{"file:///etc/motd file:/etc file:rel postgres:///db", []string{"file:///etc/motd", "file:/etc", "postgres:///db"}},
		{"mailto:a@b.c, mailto: x mailto:%20 Mailto:x", []string{"mailto:a@b.c", "mailto:%20", "Mailto:x"}},
		{"news:comp.lang.go news:<x@y> news:* news:!", []string{"news:comp.lang.go", "news:*"}},
		{"urn:isbn:0451450523 urn:x urn:: urn:ab:", []string{"urn:isbn:0451450523"}},
		{"data:text/plain,hi data:,x data:;base64,eA== data:nothing metadata:,x", []string{"data:text/plain,hi", "data:,x", "data:;base64,eA=="}},
		{"mailto:http://[]x", []string{"mailto:http://[]x"}},
		{"tel:+1-816 tel:now sms:5 geo:1,2 magnet:?xt=1 magnet:x", []string{"tel:+1-816", "sms:5", "geo:1,2", "magnet:?xt=1"}},
		{"x := y; a:b std::vector<int> label: go:generate 12:30:45 C:\\x", nil},
		{"gopher://h/1 telnet://h wais://h/db prospero://h/x nntp://h/g tn3270://h", []string{
			"gopher://h/1", "telnet://h", "wais://h/db", "prospero://h/x", "nntp://h/g", "tn3270://h",
		}},

		// authorities
		{"ftp://u:p@h/ ftp://u@h:21/ http://h:/ http://h:8080 http://h:80.", []string{"ftp://u:p@h/", "ftp://u@h:21/", "http://h:/", "http://h:8080", "http://h:80"}},
		{"http://h:port/ http://:80/ http://u@/ http://${x}/ http://a@b@c/", nil},
		{"http://[::1]/ http://[::1]:80/x http://[v1.x]/ http://[::1/ http://[x]/", []string{"http://[::1]/", "http://[::1]:80/x", "http://[v1.x]/"}},
		{"http://under_score/ http://1.2.3.4/ http://h?q http://h#f", []string{"http://under_score/", "http://1.2.3.4/", "http://h?q", "http://h#f"}},

		// beyond ASCII
		{"见http://例え.jp/パス。次 「http://h/a」 http://h/b、c http://h/d，e", []string{"http://例え.jp/パス", "http://h/a", "http://h/b", "http://h/d"}},
		{"http://h/a… “http://h/b” «http://h/c» http://h/d\u00a0e http://h/f\u200bg", []string{"http://h/a", "http://h/b", "http://h/c", "http://h/d", "http://h/f"}},
		{"http://h/a\xe9b http://bücher.example/", []string{"http://h/a", "http://bücher.example/"}},
		{"http://h/a–b http://h/ü?ö#ä", []string{"http://h/a–b", "http://h/ü?ö#ä"}},
		{"http://h/100%! http://h/%zz http://h/%41", []string{"http://h/100%", "http://h/%zz", "http://h/%41"}},
		{"http://h/a\u200eb \u202ahttp://h/c\u202c ｜http://h/d｜e http://h/f\u200dg http://h/h｡", []string{"http://h/a", "http://h/c", "http://h/d", "http://h/f\u200dg", "http://h/h"}},
		{"见http://h/a；备注 http://h/b：说明 http://h/c！真 http://h/d？是 http://例え.jp：見て", []string{"http://h/a", "http://h/b", "http://h/c", "http://h/d", "http://例え.jp"}},
		{"[url]http://h/a[/url] [img]http://h/b.png?c[]=1[/img][b]http://h/d[/B] [h1]http://h/e[/h1], http://h/f[/x] http://h/g[/", []string{"http://h/a", "http://h/b.png?c[]=1", "http://h/d", "http://h/e", "http://h/f", "http://h/g"}},
		{"http://h/?a=[/x/] http://h/?b=[/] http://h/[c] http://h/?d=[/x y]", []string{"http://h/?a=[/x/]", "http://h/?b=[/]", "http://h/[c]", "http://h/?d="}},
		{"http://h/复仇者联盟：终局之战 http://h/けいおん！第2期 http://h/死？谁；我。", []string{"http://h/复仇者联盟：终局之战", "http://h/けいおん！第2期", "http://h/死？谁；我"}},
		{"见http://h/a：说明 http://h/é；http://h/b http://h/c；，d http://h/死：，d http://h/死：x", []string{"http://h/a", "http://h/é", "http://h/b", "http://h/c", "http://h/死", "http://h/死"}},
		{"http://h/死？.png http://h/a！b http://h/c！ http://h/d？！ http://h/e！？f http://h/é；http://h/g", []string{"http://h/死？.png", "http://h/a！b", "http://h/c", "http://h/d", "http://h/e", "http://h/é", "http://h/g"}},
		{"（http://h/a） 【http://h/b】 ｛http://h/c｝ 《http://h/d》 http://h/e！ http://h/f？", []string{"http://h/a", "http://h/b", "http://h/c", "http://h/d", "http://h/e", "http://h/f"}},
		{"http://soft\u00adhyphen.example/ http://xn--bcher-kva.example/ http://ελ.ευ:80/", []string{"http://soft\u00adhyphen.example/", "http://xn--bcher-kva.example/", "http://ελ.ευ:80/"}},
	} {
		if got := texts(collect(t, test.in, Options{})); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// The cases with which other extractors are tested: linkify-it, URI::Find, and the autolinks of forges and chats.
// doc/extract-differences.md lists the cases in which those extractors find other URLs.
func TestOthers(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		// characters before and after a URL
		{">>http://h.example >http://h.example/a", []string{"http://h.example", "http://h.example/a"}},
		{"{see http://h.example/a_b} [see http://h.example/c] 'see http://h.example/d'", []string{"http://h.example/a_b", "http://h.example/c", "http://h.example/d"}},
		{"<jo@h.example>. <mailto:jo@h.example>, <h.example/x>;", []string{"jo@h.example", "mailto:jo@h.example", "h.example/x"}},
		{"[a](https://h.example)[b](mailto:jo@h.example) [c]: http://h.example/ \"t\"", []string{"https://h.example", "mailto:jo@h.example", "http://h.example/"}},
		{"text:http://h.example/ =http://h.example/a #http://h.example/b", []string{"http://h.example/", "http://h.example/a", "http://h.example/b"}},
		{"<a href=\"http://h.example/a\">http://h.example/b</a><img src='http://h.example/c'/>", []string{"http://h.example/a", "http://h.example/b", "http://h.example/c"}},
		{"|http://h.example/a|http://h.example/b|", []string{"http://h.example/a", "http://h.example/b"}},
		{"http://a.example,http://b.example;http://c.example", []string{"http://a.example", "http://b.example", "http://c.example"}},
		{"1,http://h.example/a,http://h.example:80/b?c,d;ftp://u:p@h.example,x", []string{"http://h.example/a", "http://h.example:80/b?c,d", "ftp://u:p@h.example,x"}},
		{"http://h.example/a:b,c:d http://h.example/a,unheard://b http://h.example/http://a http://h.example/(a,http://b)", []string{
			"http://h.example/a:b,c:d", "http://h.example/a,unheard://b", "http://h.example/http://a", "http://h.example/", "http://b",
		}},
		{"x@http://h.example http://u@h.example/@v,1z", []string{"http://h.example", "http://u@h.example/@v,1z"}},

		// ends of URLs
		{"http://h.example/a-. http://h.example/b-- http://h.example/c...d http://h.example/e..", []string{"http://h.example/a-", "http://h.example/b--", "http://h.example/c...d", "http://h.example/e"}},
		{"http://h.example/a/. http://h.example:80? http://h.example?q=1. http://h.example#f!", []string{"http://h.example/a/", "http://h.example:80", "http://h.example?q=1", "http://h.example#f"}},
		{"http://h.example/(a) (b) http://h.example/f(g(x),%20y)&z http://h.example/a-(b-(c)).", []string{"http://h.example/(a)", "http://h.example/f(g(x),%20y)&z", "http://h.example/a-(b-(c))"}},
		{"http://h.example/10'-x-30in http://h.example/{I'm} http://h.example/'a' http://h.example/a'", []string{"http://h.example/10'-x-30in", "http://h.example/{I'm}", "http://h.example/'a'", "http://h.example/a"}},
		{"http://h.example/a,,1-2,00.html http://h.example/#../x.pdf http://h.example/#!/y", []string{"http://h.example/a,,1-2,00.html", "http://h.example/#../x.pdf", "http://h.example/#!/y"}},
		{"http://h.example/\"a\" http://h.example/*b* http://h.example/~c~", []string{"http://h.example/", "http://h.example/*b", "http://h.example/~c~"}},
		{"http://999 http://a--b.example http://host-name http://h_", []string{"http://999", "http://a--b.example", "http://host-name", "http://h_"}},

		{"http://h.example's http://h.example:80's http://h.example/a's http://u'v:p@h.example/ 'http://h.example's'", []string{
			"http://h.example", "http://h.example:80", "http://h.example/a's", "http://u'v:p@h.example/", "http://h.example",
		}},
		{"http://h.example\ufffca http://h.example/a\ufff9b http://h.example/a\ufdd0b", []string{"http://h.example", "http://h.example/a", "http://h.example/a"}},

		// texts without spaces
		{"見よhttp://h.exampleだよ。http://h.example:80を http://h.exampleé.example/ http://h.コム", []string{"http://h.example", "http://h.example:80", "http://h.exampleé.example/", "http://h.コム"}},
		{"访问h.example查看，或jo@h.example。h.example:80在 h.コム", []string{"h.example", "jo@h.example", "h.example:80", "h.コム"}},
		{"ดูที่h.exampleที่นี่ か\u3099i.exampleか\u3099", []string{"h.example", "i.example"}},
		{"日本語h.example中国語i.example/a 例え.example", []string{"h.example", "i.example/a", "例え.example"}},

		// hosts and addresses
		{"a.test+b@h.example a.com-b@h.example a.com%b@h.example a.com_b@h.example a.com.b@h.example", []string{
			"a.test+b@h.example", "a.com-b@h.example", "a.com%b@h.example", "a.com_b@h.example", "a.com.b@h.example",
		}},
		{"o'malley@h.example 'jo@h.example' ~jo@h.example jo...mo@h.example +@h.example it's: mo@h.example", []string{
			"o'malley@h.example", "jo@h.example", "~jo@h.example", "mo@h.example", "+@h.example", "mo@h.example",
		}},
		{"i❤\ufe0f.ws \u0301a.example localhost:80/a xlocalhost:80 localhost:x localhost:800000 LOCALHOST:1", []string{"a.example", "localhost:80/a", "LOCALHOST:1"}},
		{"H.EXAMPLE. s.l.o.w.io a-b.com: // h.example?", []string{"H.EXAMPLE", "s.l.o.w.io", "a-b.com", "h.example"}},
		{"jo+tag@h.example 192.168.1.1@h.example jo@h.example! mailto:a@b", []string{"jo+tag@h.example", "192.168.1.1@h.example", "jo@h.example", "mailto:a@b"}},
		{"4.4.4.4 192.168.1.1/abc 1.2.3 1000.2.3.4 a1.2.3.4 1.2.3.4a 1.2.3.4.5", []string{"4.4.4.4", "192.168.1.1/abc"}},
		{"президент.рф www.例え.jp/パス münchen.de", []string{"президент.рф", "www.例え.jp/パス", "münchen.de"}},
		{"｜www.h.example/x｜y ｜jo@h.example｜z", []string{"www.h.example/x", "jo@h.example"}},

		// texts without URLs
		{"Foo::Bar URI::Find->new http:// http://. http://.. http://# http://? hppt://h.example", nil},
		{"localhost localhost/ foo.123 show image.jpg path:to:file.pm //h", nil},
	} {
		if got := texts(collect(t, test.in, Options{Bare: true, Mail: true})); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestBare(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"see example.org, www.example.co.uk/a_(b), (example.net:80).", []string{"example.org", "www.example.co.uk/a_(b)", "example.net:80"}},
		{"README.md main.rs x.py lib.so foo.sh docs.rs/x www.foo.sh a.b.sh", []string{"docs.rs/x", "www.foo.sh", "a.b.sh"}},
		{"time.Now() os.Open x.Name fmt.Println http.Client url.host(", nil},
		{"a/b/c.com x\\y.com my_file.com v1.2.3 1.2.3.4.5 1.2.3.4 1.2.3.256", []string{"1.2.3.4"}},
		{"a..com .com com. -a.com a-.com a.com-b", []string{"a.com"}},
		{"user@example.org:22 user@host @example.org a.com+b@example.org", nil},
		{"example.org:http example.org:123456 example.org:", []string{"example.org", "example.org", "example.org"}},
		{"EXAMPLE.ORG Example.Org пример.рф, 例え.jp。", []string{"EXAMPLE.ORG", "пример.рф", "例え.jp"}},
		{"fe80::1, [::1] std::x add::face 1::2::3 00:1a:2b ::ffff:1.2.3.4.", []string{"fe80::1", "::1", "::ffff:1.2.3.4"}},
		{"[::1]:80, [fe80::2]:8080/x?y [1::2](z) [1::3]: x [1::4]:http [1::5]/. [1::6]:123456 ([1::7]:9)", []string{
			"[::1]:80", "[fe80::2]:8080/x?y", "1::2", "1::3", "1::4", "[1::5]/", "1::6", "[1::7]:9",
		}},
		{"x.test y.local z.onion q.unheard", []string{"x.test", "y.local", "z.onion"}},
		{"http://a.com/b.com c.com?x=http://d.com/ e.com#f", []string{"http://a.com/b.com", "c.com?x=http://d.com/", "e.com#f"}},
		{strings.Repeat("a.", 200) + "com b.com", []string{"b.com"}},
	} {
		if got := texts(collect(t, test.in, Options{Bare: true})); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"<jo@example.org>, a.b+c@example.net; (x_y@z.example).", []string{"jo@example.org", "a.b+c@example.net", "x_y@z.example"}},
		{"@user a@ @example.org a@b a@-b.com .a@b.com a@1.2.3.4", []string{"a@b.com"}},
		{"mailto:jo@example.org git@github.com:a/b", []string{"mailto:jo@example.org", "git@github.com"}},
		{strings.Repeat("a", 65) + "@example.org " + strings.Repeat("b", 64) + "@example.org", []string{strings.Repeat("b", 64) + "@example.org"}},
		{"'jo@h.example --mo@h.example .-x@h.example o'1@h.example", []string{"jo@h.example", "mo@h.example", "x@h.example", "1@h.example"}},
		{"jo@ h.example jo@\u0301h.example jo@_h.example jo@.h.example jo@(h.example jo@", nil},
		{"jo@bücher.example jo@例え.jp。", []string{"jo@bücher.example", "jo@例え.jp"}},
	} {
		if got := texts(collect(t, test.in, Options{Mail: true})); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestPaths(t *testing.T) {
	o := everything(t)
	o.Bare, o.Mail = false, false
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"/a /b/c.html, (./d) \"../e/f\" x=/g", []string{"/a", "/b/c.html", "./d", "../e/f", "/g"}},
		{"and/or // comment /* c */ </b> / ./ .../x a/b", nil},
		{"http://h/a/b /c", []string{"http://h/a/b", "/c"}},
		{"/1 /.a /_b /~c /%41 /-d /é ./1 ../.a", []string{"/1", "/.a", "/_b", "/~c", "/%41", "/-d", "/é", "./1", "../.a"}},
		{"/.. /. ./., ../.. /* /+ x /", nil},
	} {
		got := collect(t, test.in, o)
		if !slices.Equal(texts(got), test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, texts(got), test.want)
		}
		for _, m := range got {
			if u, err := m.URL(); err != nil || !u.IsAbs() {
				t.Errorf("URL of the match %q = %v, %v", m.Text, u, err)
			}
		}
	}
}

func TestOwnSchemes(t *testing.T) {
	own := scheme.Table{"acme": {Name: "acme"}, "tree": {Name: "tree", Flags: scheme.Hierarchical}}
	if got, want := texts(collect(t, "acme:x http://h/", Options{Schemes: scheme.Table{"acme": {Name: "acme"}}})), []string{"acme:x", "http://h/"}; !slices.Equal(got, want) {
		t.Errorf("with another scheme, All = %q, want %q", got, want)
	}
	const text = "acme:x acme://h/y tree:x tree://z http://h/"
	if got, want := texts(collect(t, text, Options{Schemes: own})), []string{"acme:x", "acme://h/y", "tree://z", "http://h/"}; !slices.Equal(got, want) {
		t.Errorf("All(%q) = %q, want %q", text, got, want)
	}
	if got, want := texts(collect(t, text, Options{})), []string{"http://h/"}; !slices.Equal(got, want) {
		t.Errorf("All(%q) = %q, want %q", text, got, want)
	}
	for name, want := range map[string]bool{"http": true, "GOPHER": true, "z39.50": true, "acme": false, "": false} {
		if got := Known(name); got != want {
			t.Errorf("Known(%q) = %v, want %v", name, got, want)
		}
	}
	for _, s := range scheme.All() {
		if !Known(s.Name) {
			t.Errorf("Known(%q) = false, want true", s.Name)
		}
	}
}

// Matches without a wrapper are found without an allocation for each match.
func TestAllocations(t *testing.T) {
	text := strings.Repeat("see http://example.org/a?b=c#d, (ftp://h/x) and https://example.net.\n", 100)
	s, r := NewScanner(nil, Options{}), strings.NewReader("")
	if n := testing.AllocsPerRun(10, func() {
		r.Reset(text)
		for s.Reset(r); ; {
			if _, err := s.Next(); err != nil {
				return
			}
		}
	}); n > 0 {
		t.Errorf("300 URLs take %v allocations, want 0", n)
	}
}
