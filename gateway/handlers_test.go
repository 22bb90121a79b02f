package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"locus/gateway"
)

func TestHandlers(t *testing.T) {
	get := serve(t, new(gateway.Gateway))
	resp, body, err := get("GET", "/-/handlers")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET /-/handlers = %d, %v", resp.StatusCode, err)
	}
	for _, want := range []string{`data-scheme="ftp"`, `data-scheme="news"`, `data-scheme="urn"`, `src="/-/handlers.js"`, "locus install-handlers", "<noscript>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	// The page of a mailto URL links to the URL itself, for a mail program. If the browser opened it
	// with the gateway, the link would lead back to the page.
	for _, none := range []string{`data-scheme="mailto"`, `data-scheme="gopher"`, `data-scheme="http"`, "ZgotmplZ"} {
		if strings.Contains(body, none) {
			t.Errorf("the page has %s", none)
		}
	}
	resp, script, _ := get("GET", "/-/handlers.js")
	if got := resp.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" || !strings.Contains(script, "registerProtocolHandler") || !strings.Contains(script, `unregisterProtocolHandler?.("mailto"`) {
		t.Errorf("the script is %s", got)
	}
	// The gateway opens the URL that a browser puts in place of the handler's %s.
	resp, _, _ = get("GET", "/-/open?url=ftp%3A%2F%2Fh%2Fa%252Fb%3Btype%3Di")
	if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != "/ftp://h/a%2Fb;type=i" {
		t.Errorf("the handler leads to %d, %q", resp.StatusCode, got)
	}
}
