package extract

import (
	"slices"
	"strings"
	"testing"

	"locus/scheme"
)

// Where URLs start and end in the texts that people write.
func TestStanding(t *testing.T) {
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
	} {
		if got := texts(collect(t, test.in, Options{})); !slices.Equal(got, test.want) {
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
		{"user@example.org:22 user@host", []string{"example.org:22"}},
		{"example.org:http example.org:123456 example.org:", []string{"example.org", "example.org", "example.org"}},
		{"EXAMPLE.ORG Example.Org пример.рф, 例え.jp。", []string{"EXAMPLE.ORG", "пример.рф", "例え.jp"}},
		{"fe80::1, [::1] std::x add::face 1::2::3 00:1a:2b ::ffff:1.2.3.4.", []string{"fe80::1", "::1", "::ffff:1.2.3.4"}},
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
		{strings.Repeat("a", 65) + "@example.org", nil},
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
	} {
		got := collect(t, test.in, o)
		if !slices.Equal(texts(got), test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, texts(got), test.want)
		}
		for _, m := range got {
			if u, err := m.URL(); err != nil || !u.IsAbs() {
				t.Errorf("%q in its base is %v, %v", m.Text, u, err)
			}
		}
	}
}

func TestOwnSchemes(t *testing.T) {
	own := scheme.Table{"acme": {Name: "acme"}, "tree": {Name: "tree", Flags: scheme.Hierarchical}}
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
			t.Errorf("%s is not known", s.Name)
		}
	}
}

// Whatever a text is, its time is linear: what would take the square of these
// lengths would not end.
func TestLinear(t *testing.T) {
	const n = 1 << 18
	o := everything(t)
	for _, piece := range []string{
		"<URL:", "URL:", "<", "url:a-\n", "::", "(", "[", "http://(", "http://a(", "http://a:b", "://", "a.", "a@", "1:", "a.b@", "'http://a'",
		"/", "../", "http:", "urn:", "data:", "mailto:", "http://a%", "é", "http://é/(", "a+", "x-", "&gt;", "http://[", "<URL:x:",
	} {
		text := strings.Repeat(piece, n/len(piece))
		for range All(strings.NewReader(text), o) { //nolint:revive // all there is
		}
		for range Parallel(strings.NewReader(text), int64(len(text)), o, 2) { //nolint:revive // all there is
		}
	}
}

// What is found without a wrapper takes no memory of its own.
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
		t.Errorf("%v allocations for 300 URLs, want none", n)
	}
}
