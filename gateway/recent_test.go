package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
)

// A page has the URL that the browser remembers, without its password. A failed page and a page of
// the gateway itself do not have one.
func TestRecent(t *testing.T) {
	letter := content("message/rfc822", "Subject: s\n\ntext\n")
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) { return letter(req) })
	get := serve(t, &gateway.Gateway{Engine: access.Table{"x": engine}})
	for path, want := range map[string]string{
		"/x://h/a":               `data-recent="x://h/a"`,
		"/x://ada:sesame@h/a":    `data-recent="x://ada@h/a"`,
		"/x://h/%22%3E%3Cscript": `data-recent="x://h/%22%3E%3Cscript"`,
		"/-/open?url=x://h/./a":  `data-recent="x://h/./a"`,
		"/-/about?url=x://h/a":   "",
		"/y://h/a":               "",
		"/":                      "",
		"/-/schemes":             "",
	} {
		_, body, _ := get("GET", path)
		if got := strings.Contains(body, "data-recent"); got != (want != "") || !strings.Contains(body, want) {
			t.Errorf("GET %s: it is to be remembered: %v, want %q", path, got, want)
		}
	}
	_, body, _ := get("GET", "/")
	if !strings.Contains(body, `<section id="recent" data-origin="" hidden>`) {
		t.Error("the front page has no section for recent places, or shows it without its script")
	}
	resp, script, _ := get("GET", "/-/recent.js")
	if resp.StatusCode != http.StatusOK || !strings.Contains(script, "localStorage") || strings.Contains(script, "innerHTML") {
		t.Errorf("GET /-/recent.js = %d", resp.StatusCode)
	}
}
