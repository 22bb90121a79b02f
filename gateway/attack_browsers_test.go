package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
)

// Some browsers do not send Fetch Metadata, and accept "*/*" as programs do. They follow links, redirects and refreshes
// of strangers like every other browser. The browsers of Debian 12, Dillo 3.1, Emacs 29
// and Opera 12 send these fields.
func TestAttackBrowsersLikePrograms(t *testing.T) {
	// attack: A page of another site is open in a browser that accepts `*/*` and sends no Fetch Metadata, such as ELinks,
	// Links, edbrowse or Dillo | such a browser is recognized by its name, its language or its Referer; a page asks
	for _, test := range []struct {
		fields string
		asks   bool
	}{
		{"User-Agent: ELinks/0.13.2 (textmode; Linux 6.1.0 x86_64; 80x24-2)\nAccept: */*\nAccept-Language: en", true},
		{"User-Agent: Links (2.28; Linux 6.1.0 x86_64; GNU C 12.2; text)\nAccept: */*\nAccept-Language: en,*;q=0.1", true},
		{"User-Agent: Links (2.28; Linux 6.1.0 x86_64; GNU C 12.2; text)\nAccept: */*", true},
		{"User-Agent: edbrowse/3.7.7\nAccept: */*\nAccept-Language: c", true},
		{"User-Agent: Dillo/3.0.5\nAccept: */*", true},
		{"User-Agent: Dillo/3.1.0\nAccept: image/png,image/*;q=0.8,*/*;q=0.5", true},
		{"User-Agent: URL/Emacs Emacs/29.1 (PureGTK; x86_64-pc-linux-gnu)\nAccept: */*", true},
		{"User-Agent: Opera/9.80 (X11; Linux x86_64) Presto/2.12.388 Version/12.16\nAccept: image/png, */*;q=0.1", true},
		{"User-Agent: unknown/1\nAccept: */*\nAccept-Language: cs", true},
		{"User-Agent: unknown/1\nReferer: http://evil.example/", true},
		{"User-Agent: unknown/1\nReferer: http://GATEWAY/http://evil.example/", true},
		{"User-Agent: unknown/1\nReferer: http://GATEWAY/gopher://127.0.0.1:7070/", false},
		{"User-Agent: gvfs/1.50.3\nAccept-Language: en-us, en;q=0.9", false}, // a file manager
		{"User-Agent: VLC/3.0.18 LibVLC/3.0.18\nAccept: */*\nAccept-Language: en_US", false},
		{"User-Agent: node\nAccept: */*\nAccept-Language: *\nSec-Fetch-Mode: cors", false},
		{"User-Agent: Wget/1.21.3\nAccept: */*", false},
		{"User-Agent: LinksChecker/1\nAccept: */*", false},
	} {
		for _, path := range []string{"/gopher://127.0.0.1:7070/0SHUTDOWN", "/-/raw?url=gopher://127.0.0.1:7070/0SHUTDOWN", "/-/dav/gopher://127.0.0.1:7070/1/-/a"} {
			opened := 0
			server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				opened++
				return content("text/plain", "text")(req)
			})})
			fields := strings.ReplaceAll(test.fields, "GATEWAY", strings.TrimPrefix(server.URL, "http://"))
			resp, body, err := askAt(t, server.URL, http.MethodGet, path, fields)
			server.Close()
			asks := resp.StatusCode == http.StatusForbidden && strings.Contains(body, `action="/-/confirmed?ticket=`)
			if err != nil || asks != test.asks || asks == (opened > 0) {
				t.Errorf("GET %s from %q = %d, %v; it asks: %v, and opened %d, want that it asks: %v", path, test.fields, resp.StatusCode, err, asks, opened, test.asks)
			}
		}
	}
}
