package gateway_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// A page elsewhere cannot make the gateway open private addresses or sessions. The gateway asks the
// user first, and the page that asks names the URL.
func TestAttackSites(t *testing.T) {
	// attack: A link that was typed, mailed or bookmarked (`Sec-Fetch-Site: none`) redirects to the gateway, which
	// would open a private address, a file, mail or a session | a page asks and no address is dialled; such a
	// request opens public addresses only
	// attack: A page of another site uses speculation rules, prerendering, a frame, a script, `window.open`, meta
	// refresh or a form | a page names the URL and asks for a click; no address is dialled
	// attack: A link of another site leads to a session, or to a loopback or private address, also by a name | a
	// page asks, although the user clicked the link
	// attack: A browser sends no Fetch Metadata, because it is old, is a text browser, or uses http without
	// TLS to another machine | sessions and private addresses need a click, unless a Referer shows a page about the
	// same server
	// attack: A page of one server has a picture, style, frame, object or manifest at a private address of another
	// | 403, unless scheme, host and port are the page's own; redirects from there lead to public addresses only
	// attack: A link in a page of one server leads to a private address of another, by the URL, the field or a
	// redirect, and hides its Referer | a page asks, as for the same link outside
	const (
		opens   = "opens"
		asks    = "asks"
		refuses = "refuses"
	)
	for _, test := range []struct {
		request, path, fields string
		want                  string
	}{
		{"typed", "/gopher://h.example/1", typed, opens},
		{"typed, or redirected from what was typed, to this machine", "/gopher://127.0.0.1:7070/1", typed, asks},
		{"typed, to a session", "/telnet://h.example/", typed, asks},
		{"typed, to a file", "/file:///etc/passwd", typed, asks},
		{"typed, to mail", "/mid:1@h.example", typed, asks},
		{"typed, for the bytes", "/-/raw?url=gopher://127.0.0.1:7070/1", typed, asks},
		{"typed, to be stored", "/-/download?url=gopher://127.0.0.1:7070/1", typed, asks},
		{"typed, for a zip", "/-/archive?format=zip&url=ftp://127.0.0.1/", typed, asks},
		{"typed, by WebDAV", "/-/dav/ftp://127.0.0.1/", typed, asks},
		{"typed, by the field's path", "/-/open?url=gopher://127.0.0.1/../1", typed, asks},
		{"typed, with a ticket that is none", "/-/open?url=gopher://127.0.0.1/../1&ticket=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", typed, asks},
		{"a link of the gateway", "/gopher://h.example/1", clickedHere, opens},
		{"a link of the gateway to this machine", "/gopher://127.0.0.1:7070/1", clickedHere, asks},
		{"a link of the same server", "/gopher://127.0.0.1:7070/1", clickedHere + "\nReferer: http://GATEWAY/gopher://127.0.0.1:7070/", opens},
		{"a link of a page that is mounted", "/ftp://127.0.0.1/a", clickedHere + "\nReferer: http://GATEWAY/-/dav/ftp://127.0.0.1/", opens},
		{"a link of the same server with the usual port", "/gopher://127.0.0.1:70/1", clickedHere + "\nReferer: http://GATEWAY/gopher://127.0.0.1/", opens},
		{"a link of another port", "/gopher://127.0.0.1:7070/1", clickedHere + "\nReferer: http://GATEWAY/gopher://127.0.0.1:7071/", asks},
		{"a link of another scheme", "/gopher://127.0.0.1:70/1", clickedHere + "\nReferer: http://GATEWAY/http://127.0.0.1:70/", asks},
		{"a link of another host", "/gopher://127.0.0.1:7070/1", clickedHere + "\nReferer: http://GATEWAY/http://h.example/", asks},
		{"a link of another host, by the field's path", "/-/open?url=gopher://127.0.0.1:7070/../1", clickedHere + "\nReferer: http://GATEWAY/http://h.example/", asks},
		{"a link of what may be the front page", "/gopher://127.0.0.1:7070/1", clickedHere + "\nReferer: http://GATEWAY/", asks},
		{"a link of the raw bytes of another host", "/gopher://127.0.0.1:7070/1", clickedHere + "\nReferer: http://GATEWAY/-/raw?url=http://h.example/", asks},
		{"a link of an article to another", "/news:2@h.example", clickedHere + "\nReferer: http://GATEWAY/news:1@h.example", opens},
		{"a link of a mail to its picture", "/cid:2@h.example", clickedHere + "\nReferer: http://GATEWAY/mid:1@h.example", opens},
		{"a link of the gateway to a session", "/rlogin://u@h.example/", clickedHere, asks},
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
		{"a session by an alias", "/view-source:telnet://h.example/", clickedOff, asks},
		{"a session by an alias, typed", "/feed:view-source:telnet://h.example/", typed, asks},
		{"an alias of a private address", "/view-source:gopher://127.0.0.1:7070/1", clickedOff, asks},
		{"an alias of a file", "/-/raw?url=feed:file:///etc/passwd", clickedOff, asks},
		{"an alias of a public address", "/view-source:gopher://h.example/1", clickedOff, opens},
		{"an alias in a page of the same server", "/view-source:gopher://127.0.0.1:7070/1", clickedHere + "\nReferer: http://GATEWAY/view-source:gopher://127.0.0.1:7070/", opens},
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
		{"a preview of Safari", "/gopher://h.example/1", typed + "\nX-Purpose: preview", asks},
		{"prefetching by Firefox of old", "/gopher://h.example/1", "X-Moz: prefetch\n" + inClear, asks},
		{"a picture in a page of the same server", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/gopher://127.0.0.1:7070/1", opens},
		{"the same, in a sorted list", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/-/list?sort=name&url=gopher%3A%2F%2F127.0.0.1%3A7070%2F1", opens},
		{"a picture of this machine in a page of another server", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/gopher://h.example/1", asks},
		{"the same, in a page that hides where it is", "/gopher://127.0.0.1:7070/I", picture, asks},
		{"a picture at another port of the page's host", "/gopher://127.0.0.1:7070/I", picture + "Referer: http://GATEWAY/gopher://127.0.0.1:7071/1", asks},
		{"an object at another host", "/gopher://127.0.0.1:7070/I", strings.Replace(picture, "image\n", "object\n", 1) + "Referer: http://GATEWAY/http://h.example/", asks},
		{"a manifest at another host", "/gopher://127.0.0.1:7070/I", strings.Replace(picture, "image\n", "manifest\n", 1) + "Referer: http://GATEWAY/http://h.example/", asks},
		{"without Fetch Metadata", "/gopher://h.example/1", inClear, opens},
		{"without, to this machine", "/gopher://127.0.0.1:7070/1", inClear, asks},
		{"without, to a session", "/telnet://h.example/", inClear, asks},
		{"without, from the gateway", "/gopher://127.0.0.1:7070/1", inClear + "Referer: http://192.0.2.1/gopher://127.0.0.1:7070/1", opens},
		{"without, from elsewhere", "/gopher://127.0.0.1:7070/1", inClear + "Referer: http://evil.example/GATEWAY/", asks},
		{"without, a picture", "/gopher://127.0.0.1:7070/1", "Accept: image/webp,*/*\nUser-Agent: Mozilla/5.0", asks},
		{"without, a text browser", "/gopher://127.0.0.1:7070/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0\nHost: 192.0.2.1", asks},
		{"without, on loopback", "/gopher://127.0.0.1:7070/1", acceptsPage, asks},
		{"without, on loopback, to a session", "/telnet://h.example/", acceptsPage, asks},
		{"without, on loopback, from the gateway", "/gopher://127.0.0.1:7070/1", acceptsPage + "Referer: http://GATEWAY/gopher://127.0.0.1:7070/", opens},
		{"without, on loopback, from what may be the front page", "/gopher://127.0.0.1:7070/1", acceptsPage + "Referer: http://GATEWAY/", asks},
		{"a text browser on loopback", "/gopher://127.0.0.1:7070/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0", asks},
		{"a text browser on loopback, from the gateway", "/gopher://127.0.0.1:7070/1", "Accept: text/html\nUser-Agent: Lynx/2.9.0\nReferer: http://GATEWAY/gopher://127.0.0.1:7070/", opens},
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
		fields := strings.ReplaceAll(test.fields, "GATEWAY", strings.TrimPrefix(server.URL, "http://"))
		resp, body, err := askAt(t, server.URL, http.MethodGet, test.path, fields)
		server.Close()
		got := opens
		switch {
		case resp.StatusCode == http.StatusForbidden && strings.Contains(body, `action="/-/confirmed?ticket=`):
			got = asks
		case resp.StatusCode == http.StatusForbidden:
			got = refuses
		}
		if err != nil || got != test.want || got != opens && opened > 0 || got == opens && resp.StatusCode != http.StatusOK {
			t.Errorf("%s: GET %s = %d, %v; it %s and opened %d, want that it %s", test.request, test.path, resp.StatusCode, err, got, opened, test.want)
		}
		if got == asks && resp.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: the page of the question may be in a frame", test.request)
		}
		if got == asks && (resp.Header.Get("Cache-Control") != "no-store" || strings.Contains(body, "data-recent") || strings.Contains(body, "terminal.js")) {
			t.Errorf("%s: the page of the question is stored, or does more than ask", test.request)
		}
	}
}

// The page that asks shows the whole URL except its password. Its button opens the URL, in browsers
// with and without Fetch Metadata.
func TestConfirm(t *testing.T) {
	// attack: A page is double-clicked, or Enter is held down, so that the page that asks is confirmed by surprise
	// | the button of that page sleeps for a second, its field is empty, and frames are forbidden
	// attack: A browser sends no Fetch Metadata, because it is old, is a text browser, or uses http without
	// TLS to another machine
	synctest.Test(t, func(t *testing.T) {
		const target = "gopher://127.0.0.1:2003/0spec%20prefetch%0A?a=b"
		g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return content("text/plain", "text")(req)
		})}
		ask := func(method, path, fields string) (*http.Response, string) {
			w := record(g, method, path, fields, "")
			return w.Result(), w.Body.String()
		}
		_, body := ask(http.MethodGet, "/"+target, clickedOff)
		if !strings.Contains(body, ">"+target+"<") || strings.Contains(body, "<script") {
			t.Fatalf("the page does not show %s\n%s", target, body)
		}
		_, rest, _ := strings.Cut(body, `action="/-/confirmed?`)
		action, _, _ := strings.Cut(rest, `"`)
		action = "/-/confirmed?" + html.UnescapeString(action)
		const own = "Origin: http://localhost\n"
		if resp, body := ask(http.MethodPost, action, own+clickedHere); resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "/-/confirmed?") {
			t.Errorf("its button within a second = %d, want that it asks again", resp.StatusCode)
		}
		time.Sleep(time.Second) // as long as the button sleeps
		resp, _ := ask(http.MethodPost, action, own+clickedHere)
		if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || to != "/"+target {
			t.Errorf("its button = %d to %q, want 303 to /%s", resp.StatusCode, to, target)
		}
		granted, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
		for i, want := range []int{http.StatusOK, http.StatusForbidden} { // a grant counts once
			if resp, _ := ask(http.MethodGet, "/"+target, "Cookie: "+granted+"\n"+clickedHere); resp.StatusCode != want {
				t.Errorf("use %d of the grant = %d, want %d", i+1, resp.StatusCode, want)
			}
		}
		for _, other := range []string{strings.Replace(action, "ticket=", "ticket=A", 1), strings.Replace(action, "2003", "2004", 1), "/-/confirmed?url=gopher://127.0.0.1/"} {
			if resp, body := ask(http.MethodPost, other, own+clickedHere); resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "/-/confirmed?") {
				t.Errorf("a button with another ticket, %s = %d, want that it asks", other, resp.StatusCode)
			}
		}
		resp, body = ask(http.MethodPost, action, "Origin: http://192.0.2.1\n"+inClear)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `<pre class="text">text</pre>`) {
			t.Errorf("its button without Fetch Metadata = %d, %q", resp.StatusCode, body)
		}
		for _, fields := range []string{"Origin: http://evil.example\n" + inClear, "Origin: http://evil.example\n" + clickedOff, "Origin: null\n" + inClear} {
			if resp, _ := ask(http.MethodPost, action, fields); resp.StatusCode != http.StatusForbidden {
				t.Errorf("the button of another page (%q) = %d, want 403", fields, resp.StatusCode)
			}
		}
		if resp, _ := ask(http.MethodGet, action, typed); resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("a link to what the button does = %d, want 405", resp.StatusCode)
		}
		_, body = ask(http.MethodGet, "/ftp://u:sesame@127.0.0.1/", clickedOff)
		if shown, _, _ := strings.Cut(body, "<form method"); strings.Contains(shown, "sesame") || !strings.Contains(body, "<main") {
			t.Error("the page shows a password")
		}
	})
}

// For a link of another page, the gateway does not dial a public name that leads to this machine.
func TestAttackSiteNames(t *testing.T) {
	// attack: A link of another site leads to a session, or to a loopback or private address, also by a name
	i := &internet{}
	i.asked = 1 // every name is this machine
	client := &locus.Client{Dial: i.dial, Resolver: i}
	server := httptest.NewServer(&gateway.Gateway{Engine: client})
	defer server.Close()
	for _, test := range []struct {
		fields string
		status int
		dialed string
	}{
		{clickedOff, http.StatusForbidden, ""},
		{inClear, http.StatusForbidden, ""},
		{typed, http.StatusForbidden, ""},
		{clickedHere, http.StatusForbidden, ""},
		{clickedHere + "\nReferer: " + server.URL + "/gopher://rebound.example:7070/", http.StatusForbidden, ""}, // see TestAttackRebindingOfPages
	} {
		i.dialed = nil
		resp, body, err := askAt(t, server.URL, http.MethodGet, "/gopher://rebound.example:7070/1", test.fields)
		asks := strings.Contains(body, "/-/confirmed?ticket=")
		if err != nil || resp.StatusCode != test.status || strings.Join(i.dialed, " ") != test.dialed || asks != (test.dialed == "") {
			t.Errorf("%q = %d, %v, asks %v, dialled %q, want %d, %q", test.fields, resp.StatusCode, err, asks, i.dialed, test.status, test.dialed)
		}
	}
}

// Text browsers send neither Origin nor Referer. Even then, a form on a page of another site, or in
// content that the gateway shows, does not have an effect.
func TestAttackSilentForms(t *testing.T) {
	// attack: A form on a page of another site, or in content of the gateway, is sent by POST in a browser without
	// Fetch Metadata | a page asks, unless the Referer is the page of that very URL
	const target = "gopher://127.0.0.1:8103/0SHUTDOWN"
	for _, test := range []struct {
		fields string
		asks   bool
	}{
		{"Accept: text/html\nUser-Agent: w3m/0.5.3", true},
		{"User-Agent: Mozilla/5.0", true},
		{"Accept: text/html\nReferer: http://evil.example/vote", true},
		{"Accept: text/html\nReferer: http://GATEWAY/http://evil.example/vote", true},
		{"Accept: text/html\nReferer: http://GATEWAY/gopher://127.0.0.1:8103/0vote", true},
		{"Accept: text/html\nReferer: http://GATEWAY/", true},
		{"Accept: text/html\nReferer: http://GATEWAY/" + target, false},
		{"Accept: text/html\nOrigin: http://GATEWAY\nReferer: http://GATEWAY/" + target, false},
		{clickedHere + "\nReferer: http://GATEWAY/" + target, false},
		{clickedHere + "\nReferer: http://GATEWAY/http://evil.example/", true},
		{"Accept: */*\nUser-Agent: curl/8.5.0", false},
	} {
		asked := false
		server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			asked = true
			return content("text/plain", "text")(req)
		})})
		fields := strings.ReplaceAll(test.fields, "GATEWAY", strings.TrimPrefix(server.URL, "http://"))
		_, body, err := askAt(t, server.URL, http.MethodPost, "/"+target, fields)
		server.Close()
		if asks := strings.Contains(body, "/-/confirmed?ticket="); err != nil || asks != test.asks || asks && asked {
			t.Errorf("%q: %v, asks %v, opened %v, want that it asks: %v", test.fields, err, asks, asked, test.asks)
		}
	}
}

// The parts of a page, and links to its own server, may lead to private addresses at that server, but
// their redirects may not. The Engine gets that in PublicAway.
func TestAttackAway(t *testing.T) {
	// attack: A page of one server has a picture, style, frame, object or manifest at a private address of another
	var got *access.Request
	server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		got = req
		return content("text/plain", "text")(req)
	})})
	defer server.Close()
	_, _, err := askAt(t, server.URL, http.MethodGet, "/http://127.0.0.1:8110/same", picture+"Referer: "+server.URL+"/http://127.0.0.1:8110/")
	if err != nil || got == nil || got.PublicOnly || !got.PublicAway {
		t.Errorf("the request is %+v, %v, want PublicAway", got, err)
	}
}

// A program of the user gets a ticket that opens one URL in a browser once. A browser does not get a
// ticket.
func TestTicket(t *testing.T) {
	// attack: A page asks for the ticket that `locus open` gets, or uses a ticket twice | 403,
	// because a ticket is only for programs, for one URL, and for one use
	server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return content("text/plain", "text")(req)
	})})
	defer server.Close()
	const path = "/-/ticket?url=gopher://127.0.0.1:7070/0a"
	for _, fields := range []string{clickedHere, typed, scriptedOff, acceptsPage, "User-Agent: x\nOrigin: " + server.URL} {
		if resp, body, _ := askAt(t, server.URL, http.MethodPost, path, fields); resp.StatusCode == http.StatusOK {
			t.Errorf("a browser (%q) gets the ticket %q", fields, body)
		}
	}
	if resp, _, _ := askAt(t, server.URL, http.MethodGet, path, "User-Agent: x"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET = %d, want 405", resp.StatusCode)
	}
	_, ticket, err := askAt(t, server.URL, http.MethodPost, path, "User-Agent: x")
	if err != nil || len(ticket) < 32 {
		t.Fatalf("a program gets %q, %v", ticket, err)
	}
	open := func(u, fields string) int {
		resp, _, _ := askAt(t, server.URL, http.MethodGet, "/-/open?url="+u+"&ticket="+ticket, fields)
		return resp.StatusCode
	}
	if status := open("gopher://127.0.0.1:7070/0b", typed); status != http.StatusForbidden {
		t.Errorf("another URL with the ticket = %d, want 403", status)
	}
	if status := open("gopher://127.0.0.1:7070/0a", clickedOff); status != http.StatusForbidden {
		t.Errorf("a link elsewhere with the ticket = %d, want 403", status)
	}
	if status := open("gopher://127.0.0.1:7070/0a", typed); status != http.StatusSeeOther {
		t.Errorf("the URL with the ticket = %d, want 303", status)
	}
	if status := open("gopher://127.0.0.1:7070/0a", typed); status != http.StatusForbidden {
		t.Errorf("the same again = %d, want 403", status)
	}
	_, ticket, _ = askAt(t, server.URL, http.MethodPost, "/-/ticket?url=view-source:gopher://127.0.0.1:7070/0a", "User-Agent: x")
	if status := open("view-source:gopher://127.0.0.1:7070/0a", typed); status != http.StatusSeeOther {
		t.Errorf("an alias of the URL with its ticket = %d, want 303", status)
	}
}

// A text browser opens a URL without the cookie of a redirect. The page of the URL is at an address without the ticket
// of the field, because that ticket opens every URL for a day, and some text browsers send the whole address of a page
// to the servers to which it links.
func TestTicketOfTextBrowser(t *testing.T) {
	// attack: A text browser shows a page to whose address the ticket of the field belongs, and sends the address as its
	// Referer | the field leads to an address whose ticket is used up
	server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return content("text/html", "<a href=http://evil.example/>x</a>")(req)
	})})
	defer server.Close()
	const lynx, u = "Accept: text/html\nUser-Agent: Lynx/2.9.0", "http://127.0.0.1:7070/a"
	_, front, err := askAt(t, server.URL, http.MethodGet, "/", lynx)
	_, after, _ := strings.Cut(front, `name="ticket" value="`)
	ticket, _, ok := strings.Cut(after, `"`)
	if err != nil || !ok {
		t.Fatalf("the front page has no ticket: %v", err)
	}
	resp, _, err := askAt(t, server.URL, http.MethodGet, "/-/open?url="+u+"&ticket="+ticket, lynx)
	to := resp.Header.Get("Location")
	if err != nil || resp.StatusCode != http.StatusSeeOther || to == "" || strings.Contains(to, ticket) || len(resp.Cookies()) > 0 {
		t.Fatalf("the field = %d, %v, Location %q, want a redirect to an address without its ticket", resp.StatusCode, err, to)
	}
	for _, want := range []int{http.StatusOK, http.StatusForbidden} {
		if resp, _, err = askAt(t, server.URL, http.MethodGet, to, lynx); err != nil || resp.StatusCode != want {
			t.Errorf("GET %s = %d, %v, want %d", to, resp.StatusCode, err, want)
		}
	}
}

// A ticket opens the URL for which it was given. It does not open the listing in which the gateway looks for that URL.
func TestAttackBeside(t *testing.T) {
	// attack: While the user opens a URL with a ticket, a page of another site opens the URL beside it in a listing
	// at a private address | a page asks about the listing, because a ticket opens only its own URL
	const wanted, other = "gopher://127.0.0.1:7070/0a", "gopher://127.0.0.1:7071/1"
	var opened []string
	server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		opened = append(opened, req.URL.String())
		return content("text/plain", "text")(req)
	})})
	defer server.Close()
	for _, test := range []struct {
		in, fields string
		opens      string
	}{
		{other, clickedOff, ""},
		{other, clickedHere, ""},
		{other, typed, ""},
		{wanted, clickedOff, wanted},
	} {
		_, ticket, err := askAt(t, server.URL, http.MethodPost, "/-/ticket?url="+wanted, "User-Agent: x")
		if err != nil {
			t.Fatalf("POST /-/ticket?url=%s: %v", wanted, err)
		}
		resp, _, err := askAt(t, server.URL, http.MethodGet, "/-/open?url="+wanted+"&ticket="+ticket, typed)
		grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
		if err != nil || grant == "" {
			t.Fatalf("the ticket for %s gives the cookie %q, %v", wanted, grant, err)
		}
		opened = nil
		_, body, err := askAt(t, server.URL, http.MethodGet, "/-/beside?step=next&url="+wanted+"&in="+test.in, test.fields+"\nCookie: "+grant)
		asks := strings.Contains(body, "/-/confirmed?ticket=")
		if err != nil || strings.Join(opened, " ") != test.opens || asks != (test.opens == "") {
			t.Errorf("with a grant for %s, the URL beside it in %s (%q): asks %v, opens %q, %v, want that it opens %q", wanted, test.in, test.fields, asks, opened, err, test.opens)
		}
	}
}

// askAt sends a request with fields, one on each line, and does not follow redirects.
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
