package gateway_test

import (
	"encoding/json"
	neturl "net/url"
	"strings"
	"testing"

	"locus/gateway"
)

// The page says whether programs agree where a URL leads, and why not. It does not open the URL, even
// for a request of another site.
func TestComparePage(t *testing.T) {
	get := serve(t, &gateway.Gateway{}) // without an Engine
	for _, test := range []struct {
		text  string
		wants []string
	}{
		{"http://example.org/a?b", []string{"agree about where the URL leads: http example.org:80.", "<code>/a</code>", "<code>b</code>", "Node.js"}},
		{`http://good.example\@evil.example/`, []string{
			`role="alert"><b>These programs do not agree`, `<mark>\</mark>`, "<b>backslash</b> at byte 19", "http good.example:80", `class="odd"><span>http evil.example:80`,
			`<th scope="col" class="differ">Host</th>`, "Refuses it:", "PHP parse_url",
		}},
		{"http://127.1/", []string{"ipv4-shorthand", "http 127.0.0.1:80"}},
		{"http://h/<script>alert(1)</script>\x1b[31m\n", []string{"&lt;", "<mark>"}},
		{"http://\xff/", []string{"<table"}},
		{"", []string{`name="url" type="text" inputmode="url" value=""`}},
	} {
		for _, site := range []string{"none", "cross-site"} {
			resp, body, err := get("GET", "/-/compare?url="+neturl.QueryEscape(test.text), "Sec-Fetch-Site: "+site, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
			if err != nil || resp.StatusCode != 200 || resp.Header.Get("Cache-Control") != "no-store" {
				t.Fatalf("compare %q = %d, %v", test.text, resp.StatusCode, err)
			}
			for _, want := range test.wants {
				if !strings.Contains(body, want) {
					t.Errorf("compare %q lacks %q:\n%s", test.text, want, body)
				}
			}
			_, shown, _ := strings.Cut(body, `<p class="target`) // after the field, which keeps the text
			if strings.Contains(body, "<script>alert") || strings.Contains(shown, "\x1b") || strings.Contains(shown, "\xff") {
				t.Errorf("compare %q shows what it must not", test.text)
			}
		}
	}
	if resp, _, err := get("GET", "/-/compare?url=http://h/"+strings.Repeat("a", 9000)); err != nil || resp.StatusCode != 414 {
		t.Errorf("a long URL = %d, %v, want 414", resp.StatusCode, err)
	}
}

func TestCompareJSON(t *testing.T) {
	resp, body, err := serve(t, &gateway.Gateway{})("GET", "/-/compare?url=http://127.1/", "Accept: application/json")
	var answer struct {
		URL      string
		Readings []struct{ Parser string }
	}
	if err != nil || resp.Header.Get("Content-Type") != "application/json" || json.Unmarshal([]byte(body), &answer) != nil || answer.URL != "http://127.1/" || len(answer.Readings) != 13 {
		t.Errorf("the JSON is %s, %v", body, err)
	}
}

func TestTools(t *testing.T) {
	get := serve(t, &gateway.Gateway{})
	_, body, err := get("GET", "/-/")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`action="/-/compare"`, `action="/-/about"`, `href="/-/compare"`, `href="/-/schemes"`, `href="/-/handlers"`, "/-/open?url=", "/-/dav/ftp://", `href="/-/help"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the index lacks %s:\n%s", want, body)
		}
	}
	if _, front, _ := get("GET", "/"); !strings.Contains(front, `<a href="/-/">Tools</a>`) {
		t.Error("no page leads to the index")
	}
}
