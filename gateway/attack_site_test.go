package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/gateway"
)

// Fields that Chromium 131 sends with requests of each kind.
const (
	acceptsPage = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\n"
	navigates   = acceptsPage + "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n"
	typed       = navigates + "Sec-Fetch-Site: none\nSec-Fetch-User: ?1"
	clickedHere = navigates + "Sec-Fetch-Site: same-origin\nSec-Fetch-User: ?1"
	clickedOff  = navigates + "Sec-Fetch-Site: cross-site\nSec-Fetch-User: ?1"
	scriptedOff = navigates + "Sec-Fetch-Site: cross-site"
	picture     = "Accept: image/avif,image/webp,*/*;q=0.8\nUser-Agent: Mozilla/5.0\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: image\nSec-Fetch-Site: same-origin\n"
	inClear     = acceptsPage + "Host: 192.0.2.1\n" // at a gateway without TLS that is not on loopback
)

// A page elsewhere makes the gateway open nothing that it should not. The user is asked,
// and the page of the question names the URL.
func TestAttackSites(t *testing.T) {
	const (
		opens   = "opens"
		asks    = "asks"
		refuses = "refuses"
	)
	for _, tt := range []struct {
		request, path, fields string
		want                  string
	}{
		{"typed", "/gopher://127.0.0.1:7070/1", typed, opens},
		{"typed, to a session", "/telnet://h.example/", typed, opens},
		{"a link of the gateway", "/gopher://127.0.0.1:7070/1", clickedHere, opens},
		{"a link of the gateway to a session", "/rlogin://u@h.example/", clickedHere, opens},
		{"a link elsewhere", "/gopher://h.example/1", clickedOff, opens},
		{"a link elsewhere to this machine", "/gopher://127.0.0.1:7070/1", clickedOff, asks},
		{"by name", "/gopher://LocalHost.:7070/1", clickedOff, asks},
		{"by a name below it", "/gopher://x.localhost/1", clickedOff, asks},
		{"v4-mapped", "/gopher://[::ffff:127.0.0.1]:7070/1", clickedOff, asks},
		{"encoded", "/gopher://%31%32%37.0.0.1:7070/1", clickedOff, asks},
		{"with an empty host", "/gopher:///1", clickedOff, asks},
		{"a private address", "/gopher://192.168.1.1/1", clickedOff, asks},
		{"a name in the house", "/http://router/", clickedOff, asks},
		{"a name of multicast DNS", "/http://nas.local/", clickedOff, asks},
		{"a session", "/telnet://h.example/", clickedOff, asks},
		{"a session that sends a name", "/rlogin://u@h.example/", clickedOff, asks},
		{"a session of another kind", "/tn3270://h.example/", clickedOff, asks},
		{"a script elsewhere", "/gopher://h.example/1", scriptedOff, asks},
		{"a page at another port", "/gopher://h.example/1", strings.Replace(scriptedOff, "cross-", "same-", 1), asks},
		{"a script elsewhere, by the field", "/-/open?url=gopher://h.example/../1", scriptedOff, asks},
		{"a script elsewhere, for the bytes", "/-/raw?url=gopher://h.example/1", scriptedOff, asks},
		{"a script elsewhere, for a list", "/-/list?sort=name&url=gopher://h.example/1", scriptedOff, asks},
		{"a script elsewhere, about a URL", "/-/about?url=gopher://h.example/1", scriptedOff, asks},
		{"a frame elsewhere", "/gopher://h.example/1", strings.Replace(clickedOff, "document", "iframe", 1), refuses},
		{"a picture elsewhere", "/gopher://h.example/1", strings.Replace(picture, "same-origin", "cross-site", 1), refuses},
		{"speculation rules", "/gopher://h.example/1", scriptedOff + "\nSec-Purpose: prefetch", asks},
		{"prerendering", "/gopher://h.example/1", scriptedOff + "\nSec-Purpose: prefetch;prerender", asks},
		{"prefetching from here", "/gopher://h.example/1", clickedHere + "\nSec-Purpose: prefetch", asks},
		{"prefetching what is being typed", "/gopher://h.example/1", typed + "\nSec-Purpose: prefetch;prerender", asks},
		{"prefetching by Firefox of old", "/gopher://h.example/1", "X-Moz: prefetch\n" + inClear, asks},
		{"a picture in a page of the same server", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/gopher://127.0.0.1:7070/1", opens},
		{"the same, in a sorted list", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/-/list?sort=name&url=gopher%3A%2F%2F127.0.0.1%3A7070%2F1", opens},
		{"a picture of this machine in a page of another server", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/gopher://h.example/1", asks},
		{"the same, in a page that hides where it is", "/gopher://127.0.0.1:7070/I", picture, asks},
		{"without Fetch Metadata", "/gopher://h.example/1", inClear, opens},
		{"without, to this machine", "/gopher://127.0.0.1:7070/1", inClear, asks},
		{"without, to a session", "/telnet://h.example/", inClear, asks},
		{"without, from the gateway", "/gopher://127.0.0.1:7070/1", inClear + "Referer: http://192.0.2.1/gopher://127.0.0.1:7070/1", opens},
		{"without, from elsewhere", "/gopher://127.0.0.1:7070/1", inClear + "Referer: http://evil.example/GATEWAY/", asks},
		{"without, a picture", "/gopher://127.0.0.1:7070/1", "Accept: image/webp,*/*\nUser-Agent: Mozilla/5.0", asks},
		{"without, a text browser", "/gopher://127.0.0.1:7070/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0\nHost: 192.0.2.1", asks},
		{"without, on loopback", "/gopher://127.0.0.1:7070/1", acceptsPage, asks},
		{"without, on loopback, to a session", "/telnet://h.example/", acceptsPage, asks},
		{"without, on loopback, from the gateway", "/gopher://127.0.0.1:7070/1", acceptsPage + "Referer: http://GATEWAY/", opens},
		{"a text browser on loopback", "/gopher://127.0.0.1:7070/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0", asks},
		{"a text browser on loopback, from the gateway", "/gopher://127.0.0.1:7070/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0\nReferer: http://GATEWAY/", opens},
		{"a text browser, to a public address", "/gopher://h.example/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0", opens},
		{"a program", "/gopher://127.0.0.1:7070/1", "Accept: */*\nUser-Agent: curl/8.5.0", opens},
		{"a program that wants JSON", "/telnet://h.example/", "Accept: application/json", opens},
	} {
		opened := 0
		g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			opened++
			return content("text/plain", "text")(req)
		})}
		server := httptest.NewServer(g)
		fields := strings.ReplaceAll(tt.fields, "GATEWAY", strings.TrimPrefix(server.URL, "http://"))
		resp, body, err := askAt(t, server.URL, http.MethodGet, tt.path, fields)
		server.Close()
		got := opens
		switch {
		case resp.StatusCode == http.StatusForbidden && strings.Contains(body, `action="/-/confirmed?url=`):
			got = asks
		case resp.StatusCode == http.StatusForbidden:
			got = refuses
		}
		if err != nil || got != tt.want || got != opens && opened > 0 || got == opens && resp.StatusCode != http.StatusOK {
			t.Errorf("%s: GET %s = %d, %v; it %s and opened %d, want that it %s", tt.request, tt.path, resp.StatusCode, err, got, opened, tt.want)
		}
		if got == asks && (resp.Header.Get("Cache-Control") != "no-store" || strings.Contains(body, "data-recent") || strings.Contains(body, "terminal.js")) {
			t.Errorf("%s: the page of the question is stored, or does more than ask", tt.request)
		}
	}
}

// The page of the question names the URL in full, without its password. Its button opens
// the URL, in browsers with and without Fetch Metadata.
func TestConfirm(t *testing.T) {
	const target = "gopher://127.0.0.1:2003/0spec%20prefetch%0A?a=b"
	server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return content("text/plain", "text")(req)
	})})
	defer server.Close()
	_, body, err := askAt(t, server.URL, http.MethodGet, "/"+target, clickedOff)
	if err != nil || !strings.Contains(body, ">"+target+"<") || strings.Contains(body, "<script") {
		t.Fatalf("the page does not show %s, %v\n%s", target, err, body)
	}
	_, rest, _ := strings.Cut(body, `action="/-/confirmed?`)
	action, _, _ := strings.Cut(rest, `"`)
	action = "/-/confirmed?" + action
	own := "Origin: " + server.URL + "\n"
	resp, _, err := askAt(t, server.URL, http.MethodPost, action, own+clickedHere)
	if to := resp.Header.Get("Location"); err != nil || resp.StatusCode != http.StatusSeeOther || to != "/"+target {
		t.Errorf("its button = %d to %q, %v, want 303 to /%s", resp.StatusCode, to, err, target)
	}
	resp, body, err = askAt(t, server.URL, http.MethodPost, action, "Origin: http://192.0.2.1\n"+inClear)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(body, `<pre class="text">text</pre>`) {
		t.Errorf("its button without Fetch Metadata = %d, %q, %v", resp.StatusCode, body, err)
	}
	for _, fields := range []string{"Origin: http://evil.example\n" + inClear, strings.Replace(own+clickedOff, server.URL, "http://evil.example", 1), "Origin: null\n" + inClear} {
		if resp, _, _ := askAt(t, server.URL, http.MethodPost, action, fields); resp.StatusCode != http.StatusForbidden {
			t.Errorf("the button of another page (%q) = %d, want 403", fields, resp.StatusCode)
		}
	}
	if resp, _, _ := askAt(t, server.URL, http.MethodGet, action, typed); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a link to what the button does = %d, want 405", resp.StatusCode)
	}
	_, body, _ = askAt(t, server.URL, http.MethodGet, "/ftp://u:sesame@127.0.0.1/", clickedOff)
	if shown, _, _ := strings.Cut(body, "<form method"); strings.Contains(shown, "sesame") || !strings.Contains(body, "<main") {
		t.Error("the page shows a password")
	}
}

// A name elsewhere that leads to this machine is not dialled for a link of another page.
func TestAttackSiteNames(t *testing.T) {
	i := &internet{}
	i.asked = 1 // every name is this machine
	client := &locus.Client{Dial: i.dial, Resolver: i}
	server := httptest.NewServer(&gateway.Gateway{Engine: client})
	defer server.Close()
	for _, tt := range []struct {
		fields string
		status int
		dialed string
	}{
		{clickedOff, http.StatusForbidden, ""},
		{inClear, http.StatusForbidden, ""},
		{clickedHere, http.StatusBadGateway, "rebound.example:7070"},
	} {
		i.dialed = nil
		resp, body, err := askAt(t, server.URL, http.MethodGet, "/gopher://rebound.example:7070/1", tt.fields)
		asks := strings.Contains(body, "/-/confirmed?url=")
		if err != nil || resp.StatusCode != tt.status || strings.Join(i.dialed, " ") != tt.dialed || asks != (tt.dialed == "") {
			t.Errorf("%q = %d, %v, asks %v, dialled %q, want %d, %q", tt.fields, resp.StatusCode, err, asks, i.dialed, tt.status, tt.dialed)
		}
	}
}

// askAt sends a request with fields, one on each line, and follows no redirect.
func askAt(t *testing.T, at, method, path, fields string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = path
	for field := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSpace(field), ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	req.Header.Del("")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return &http.Response{Header: http.Header{}}, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}
