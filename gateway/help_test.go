package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"locus/gateway"
)

// The page of help leads to the documentation if the gateway has it.
func TestHelp(t *testing.T) {
	pages := fstest.MapFS{"index.html": {Data: []byte("<p>Documentation")}}
	for _, test := range []struct {
		gateway      *gateway.Gateway
		want, absent string
	}{
		{&gateway.Gateway{}, "<code>locus help serve</code>", "/-/help/"},
		{&gateway.Gateway{Documentation: pages}, `href="/-/help/index.html"`, "<code>locus help serve</code>"},
	} {
		get := serve(t, test.gateway)
		resp, body, err := get("GET", "/-/help")
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(body, test.want) || strings.Contains(body, test.absent) {
			t.Errorf("/-/help = %d, %v, want %s and not %s:\n%s", resp.StatusCode, err, test.want, test.absent, body)
		}
		for _, at := range []string{"/", "/-/", "/-/schemes"} {
			if _, body, _ := get("GET", at); !strings.Contains(body, `<a href="/-/help">Help</a>`) {
				t.Errorf("%s does not lead to the help:\n%s", at, body)
			}
		}
	}
}

// The gateway serves the files of the documentation in a sandbox, in which they load each other, and no other files.
//
// attack: A script in the folder of the documentation reads the gateway's pages
func TestDocumentation(t *testing.T) {
	get := serve(t, &gateway.Gateway{Documentation: fstest.MapFS{
		"index.html":     {Data: []byte("<p>Start")},
		"doc/serve.html": {Data: []byte("<p>Serve")},
		"search.js":      {Data: []byte("search()")},
		"site.css":       {Data: []byte("p {}")},
		"doc/a.svg":      {Data: []byte("<svg/>")},
		"secret.txt":     {Data: []byte("secret")},
	}})
	for _, test := range []struct {
		at, wantType, want string
		status             int
	}{
		{"/-/help/", "text/html; charset=utf-8", "<p>Start", 200},
		{"/-/help/index.html", "text/html; charset=utf-8", "<p>Start", 200},
		{"/-/help/doc/serve.html", "text/html; charset=utf-8", "<p>Serve", 200},
		{"/-/help/search.js", "text/javascript; charset=utf-8", "search()", 200},
		{"/-/help/site.css", "text/css; charset=utf-8", "p {}", 200},
		{"/-/help/doc/a.svg", "image/svg+xml", "<svg/>", 200},
		{"/-/help/secret.txt", "text/html; charset=utf-8", "", 404},
		{"/-/help/missing.html", "text/html; charset=utf-8", "", 404},
		{"/-/help/doc", "text/html; charset=utf-8", "", 404},
		{"/-/help/doc/../index.html", "text/html; charset=utf-8", "", 404},
		{"/-/help/%2E%2E/index.html", "text/html; charset=utf-8", "", 404},
		{"/-/help//index.html", "text/html; charset=utf-8", "", 404},
	} {
		resp, body, err := get("GET", test.at)
		if err != nil || resp.StatusCode != test.status || resp.Header.Get("Content-Type") != test.wantType || test.status == 200 && body != test.want {
			t.Errorf("%s = %d %s %q, %v, want %d %s %q", test.at, resp.StatusCode, resp.Header.Get("Content-Type"), body, err, test.status, test.wantType, test.want)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if test.status == 200 && (!strings.HasPrefix(policy, "sandbox ") || strings.Contains(policy, "allow-same-origin") || !strings.Contains(policy, "default-src 'none'; style-src 'self';")) {
			t.Errorf("%s has the policy %q", test.at, policy)
		}
		if test.status == 404 && !strings.HasPrefix(policy, "default-src 'none'; style-src 'self';") {
			t.Errorf("the error for %s has the policy %q", test.at, policy)
		}
	}
	// A page in the sandbox is another site to the browser.
	for at, want := range map[string]string{"/-/help/search.js": "cross-origin", "/-/help/missing.js": "same-origin", "/-/style.css": "same-origin"} {
		resp, _, err := get("GET", at, "Sec-Fetch-Dest: script", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Site: cross-site")
		if got := resp.Header.Get("Cross-Origin-Resource-Policy"); err != nil || (resp.StatusCode == http.StatusOK) != (want == "cross-origin") || got != want {
			t.Errorf("%s for another site = %d with the policy %q, %v, want %q", at, resp.StatusCode, got, err, want)
		}
	}
	resp, _, err := get("GET", "/-/help/doc/serve.html")
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := get("GET", "/-/help/doc/serve.html", "If-None-Match: "+resp.Header.Get("Etag")); err != nil || again.StatusCode != http.StatusNotModified {
		t.Errorf("an unchanged page = %d, %v, want 304", again.StatusCode, err)
	}
	if resp, _, err := get("POST", "/-/help/doc/serve.html"); err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST = %d, %v, want 405", resp.StatusCode, err)
	}
}
