package compare_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// A URL of the browsers' standard may have a "%" that starts no escape. Views keep its bytes.
func TestBadEscapes(t *testing.T) {
	for _, test := range []struct {
		text string
		want scheme.View
	}{
		{"ftp://h/a%4", scheme.FTP{Scheme: "ftp", Host: scheme.Host{Name: "h"}, Name: "a%4"}},
		{"ftp://h/%41%/b", scheme.FTP{Scheme: "ftp", Host: scheme.Host{Name: "h"}, Dirs: []string{"A%"}, Name: "b"}},
		{"file:///a%4", scheme.File{Host: url.Some(""), Segments: []string{"a%4"}}},
		{"gopher://h/%", scheme.Gopher{Scheme: "gopher", Host: scheme.Host{Name: "h"}, Type: '%'}},
		{"gopher://h/0%zz%0", scheme.Gopher{Scheme: "gopher", Host: scheme.Host{Name: "h"}, Type: '0', Selector: "%zz%0"}},
	} {
		u, err := whatwg.Parse(test.text)
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		v, err := scheme.Parse(u)
		if err != nil || !reflect.DeepEqual(v, test.want) {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", test.text, v, err, test.want)
		}
	}
}

// Judge accepts URLs of the browsers' standard, because that standard has no grammars of schemes.
func TestJudgeWHATWG(t *testing.T) {
	for _, text := range []string{"http://h/~a", "mailto:a", "ftp://h/a;type=q", "telnet://h/ x", "prospero://h", "wais://h/a/b"} {
		if u, err := scheme.Read(whatwg.Standard, text); err != nil {
			t.Errorf("Read(%q) = %q, %v, want no error", text, u, err)
		}
	}
}

// Set changes URLs of the browsers' standard with their setters, and parts of a view as in other URLs.
func TestSetWHATWG(t *testing.T) {
	for _, test := range []struct{ text, part, value, want string }{ // an empty want means an error
		{"http://h/a%", "path", "/b%zz/../c d%", "http://h/c%20d%"}, // a "%" without digits stays
		{"http://h/", "host", "B\u00fccher.example", "http://xn--bcher-kva.example/"},
		{"http://h/", "host", "0x7f.1", "http://127.0.0.1/"},
		{"http://h/", "host", "", ""},
		{"http://h/", "host", "evil.com/x", ""},
		{"gopher://h/1x", "host", "", "gopher:///1x"}, // browsers do not read the path as a host
		{"http://h/", "user", "a b:c", "http://a%20b%3Ac@h/"},
		{"http://h/", "user", "\xff", "http://%EF%BF%BD@h/"},
		{"http://h/", "query", "a'b\"", "http://h/?a%27b%22"},
		{"http://h/", "query", "", "http://h/?"},
		{"http://h/", "fragment", "a b", "http://h/#a%20b"},
		{"http://h:8080/", "port", "80", "http://h/"},
		{"http://h/", "scheme", "mailto", ""},
		{"ftp://h/a/b", "ftp.name", "x/y", "ftp://h/a/x%2Fy"},
		{"ftp://h/a/b", "ftp.name", "..", ""},
		{"ftp://h/a/b", "ftp.type", "i", "ftp://h/a/b;type=i"},
		{"gopher://h/0a", "gopher.selector", `a\b`, "gopher://h/0a%5Cb"},
	} {
		u, err := whatwg.Parse(test.text)
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		got, err := scheme.Set(u, test.part, &test.value)
		if (err == nil) != (test.want != "") || got.String() != test.want {
			t.Errorf("Set(%q, %q, %q) = %q, %v; want %q", u, test.part, test.value, got, err, test.want)
		}
	}
}

// Every function of the package accepts every URL of the browsers' standard without a panic. It may return an error.
func FuzzWHATWG(f *testing.F) {
	for _, s := range []string{
		"ftp://u:p@h:2121/a/%2Fb//c;type=i", "https://h/a?b#c", "gopher://h/7s%09a%20b%09+", "mailto:a@b?subject=x", "news:a/b@c", "nntp://h/a/1",
		"telnet://u@h/", "wais://h/db/T/1=a%3B;", "file:///C:/a", "prospero://h//a%0012;c=d", "mid:a@b/c", "cid:a@b", "urn:a:b?+c", "afs:x", "ws://h:80/",
	} {
		f.Add(s)
	}
	for _, s := range []string{
		"gopher://h/%", "ftp://h/%", "http://h/%", "file:///%4", "news:%", "nntp://h/%", "mailto:%@", "mid:%@a", "cid:%", "wais://h/%/%/%",
		"prospero://h/%;%=%", "urn:%", "telnet://%@h/%", "gopher://h/7a%09%", "gopher://h/%0", "tn3270://h/%",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := whatwg.Parse(text)
		if err != nil {
			return
		}
		if err := scheme.Judge(u); err != nil {
			_ = err.Error()
		}
		for _, s := range scheme.All() {
			if s.Judge == nil {
				continue
			}
			if bad, ok := s.Judge(u).(*url.SyntaxError); ok {
				_, _, _ = bad.Error(), bad.Mark(), fmt.Sprintf("%+v", bad)
			}
		}
		for _, part := range []string{"scheme", "user", "password", "host", "port", "path", "query", "fragment", u.Scheme() + ".name"} {
			value := "a/%b"
			if v, err := scheme.Set(u, part, &value); err == nil {
				if again, err := whatwg.Parse(v.String()); err != nil || again != v {
					t.Errorf("Set(%q, %q) = %q, but Parse reads %q, %v", u, part, v, again, err)
				}
			}
			_, _ = scheme.Set(u, part, nil)
		}
		_, _ = u.Redacted(), scheme.Normalize(u, url.AllRewrites)
		if _, _, _, differ := scheme.Difference(u, u); differ {
			t.Errorf("Difference of %q and itself = true, want false", u)
		}
		v, err := scheme.Parse(u)
		if err != nil {
			_ = err.Error()
			return
		}
		w := v.URL()
		again, err := scheme.Parse(w)
		if keepsBytes(v) && err == nil {
			v = again // the view of the new text
			again, err = scheme.Parse(again.URL())
		}
		if err != nil || !reflect.DeepEqual(v, again) {
			t.Errorf("the view of %q, %+v, writes %q, but Parse of that = %+v, %v", u, v, w, again, err)
		}
		if _, err := json.Marshal(scheme.JSON(v)); err != nil {
			t.Errorf("JSON of %+v: %v", v, err)
		}
	})
}

// keepsBytes reports whether v has a part that is kept as written, so that its URL escapes the bytes that RFC 3986
// forbids there.
func keepsBytes(v scheme.View) bool {
	switch v := v.(type) {
	case scheme.HTTP, scheme.URN:
		return true
	case scheme.Mailto:
		return v.Fields.Present
	}
	return false
}
