package page_test

import (
	"testing"

	"locus/gateway/internal/page"
	"locus/url"
)

// A link leads through the gateway, unless the client uses the gateway as a proxy.
func TestHref(t *testing.T) {
	proxied := page.Links{Proxied: true, Origin: "http://gate:8080"}
	for _, test := range []struct {
		links page.Links
		url   string
		want  string
	}{
		{page.Links{}, "ftp://h/pub/a%2Fb;type=i", "/ftp://h/pub/a%2Fb;type=i"},
		{page.Links{}, "news:comp.lang.c", "/news:comp.lang.c"},
		{page.Links{}, "http://h/a?b#c", "/http://h/a?b#c"},
		{page.Links{}, "ftp://h/a/../b", "/-/open?url=ftp%3A%2F%2Fh%2Fa%2F..%2Fb"}, // a browser would rewrite the path
		{page.Links{}, "ftp://h/a/%2E/b", "/-/open?url=ftp%3A%2F%2Fh%2Fa%2F%252E%2Fb"},
		{page.Links{}, "ftp://h/a/...", "/ftp://h/a/..."},
		{proxied, "ftp://h/pub/a%2Fb;type=i", "ftp://h/pub/a%2Fb;type=i"},
		{proxied, "ftp://h/a/../b", "ftp://h/a/../b"},
	} {
		if got := test.links.Href(url.MustParse(test.url)); got != test.want {
			t.Errorf("%+v.Href(%s) = %s, want %s", test.links, test.url, got, test.want)
		}
	}
}

// Own escapes the bytes that a browser would drop or rewrite, and keeps escapes.
func TestOwn(t *testing.T) {
	for _, test := range []struct{ origin, page, want string }{
		{"", "schemes", "/-/schemes"},
		{"http://gate:8080", "schemes", "http://gate:8080/-/schemes"},
		{"", "open?url=a%2Fb", "/-/open?url=a%2Fb"},
		{"", "open?url=a b", "/-/open?url=a%20b"},
		{"", "open?url=50%", "/-/open?url=50%25"},
		{"", "open?url=%zz%4", "/-/open?url=%25zz%254"},
		{"", "open?url=\"<>\\^`{|}", "/-/open?url=%22%3C%3E%5C%5E%60%7B%7C%7D"},
		{"", "open?url=\x00\t\r\n\x7f", "/-/open?url=%00%09%0D%0A%7F"},
		{"", "open?url=é\xff", "/-/open?url=%C3%A9%FF"},
	} {
		if got := (page.Links{Origin: test.origin}).Own(test.page); string(got) != test.want {
			t.Errorf("Own(%q) at %q = %q, want %q", test.page, test.origin, got, test.want)
		}
	}
}

// A page of the client of a proxy does not link to a URL that its browser would run as a script. At
// the gateway the same link leads to the gateway.
func TestScriptLinks(t *testing.T) {
	shown := []page.FrontLink{{Title: "A script", URL: url.MustParse("javascript:alert(1)")}, {Title: "A file", URL: url.MustParse("ftp://h/x")}}
	for _, test := range []struct {
		links page.Links
		want  []string
	}{
		{page.Links{}, []string{"A script → /javascript:alert(1)", "A file → /ftp://h/x"}},
		{page.Links{Proxied: true}, []string{"A script → ", "A file → ftp://h/x"}},
	} {
		root := parsed(t, page.Front(test.links, page.Start{Links: shown}))
		if got := links(find(root, "ul.places")[0]); !equal(got, test.want) {
			t.Errorf("the front page of %+v has the links %q, want %q", test.links, got, test.want)
		}
	}
}

func TestAsset(t *testing.T) {
	for _, test := range []struct{ name, mediaType string }{
		{"style.css", "text/css; charset=utf-8"},
		{"keys.js", "text/javascript; charset=utf-8"},
		{"icon.svg", "image/svg+xml"},
		{"", ""},
		{"none.css", ""},
		{"../page.go", ""},
		{"page.templ", ""},
		{"/style.css", ""},
	} {
		content, mediaType, ok := page.Asset(test.name)
		if mediaType != test.mediaType && ok || ok != (test.mediaType != "") || ok && len(content) == 0 {
			t.Errorf("Asset(%q) = %d bytes, %q, %v, want %q", test.name, len(content), mediaType, ok, test.mediaType)
		}
	}
	if content, _, _ := page.Asset("style.css"); string(content) != page.Style() {
		t.Error("Style is not style.css")
	}
}
