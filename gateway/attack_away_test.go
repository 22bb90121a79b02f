package gateway_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/gateway"
)

// A user who wants a URL at a public address has not decided about the private address to which its server redirects.
// The page that asks names that address, whoever started the request.
func TestAttackWantedRedirects(t *testing.T) {
	// attack: A public URL that the user typed or confirmed redirects to a private address | a page asks, and names the
	// target of the redirect
	const inside = "http://127.0.0.3:8111/x"
	moved := say("HTTP/1.1 302 Found\r\nLocation: " + inside + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			path, fields string // TICKET stands for the ticket of a form
			asks         string // the URL that the page that asks names; "" if the URL opens
		}{
			{"/http://8.8.8.8/r", clickedOff, inside},
			{"/http://8.8.8.8/r", typed, inside},
			{"/-/raw?url=http://8.8.8.8/r", clickedOff, inside},
			{"/-/about?url=http://8.8.8.8/r", clickedOff, inside},
			{"/-/list?sort=name&url=http://8.8.8.8/r", clickedOff, inside},
			{"/-/open?url=http://8.8.8.8/r&ticket=TICKET", clickedHere, inside},
			{"/-/about?url=http://8.8.8.8/r&ticket=TICKET", clickedHere, inside},
			{"/http://127.0.0.2:8110/r", clickedHere + "\nReferer: http://localhost/http://127.0.0.2:8110/", inside},
			{"/-/open?url=http://127.0.0.2:8110/r&ticket=TICKET", clickedHere, ""}, // the user trusts this private server
			{"/http://8.8.8.8/r", "User-Agent: curl/8.5.0", ""},
		} {
			i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:80": moved, "127.0.0.2:8110": moved, "127.0.0.3:8111": say(page200)}}
			get := serveHere(&gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}})
			_, front, _ := get(http.MethodGet, "/", strings.Split(clickedHere, "\n")...)
			time.Sleep(time.Second)
			resp, body, _ := get(http.MethodGet, strings.ReplaceAll(test.path, "TICKET", ticketIn(t, front)), strings.Split(test.fields, "\n")...)
			if to := resp.Header.Get("Location"); to != "" {
				resp, body, _ = get(http.MethodGet, to, append(strings.Split(test.fields, "\n"), "Cookie: "+resp.Header.Get("Set-Cookie"))...)
			}
			asks := between(body, `<p class="target"><code>`, `</code>`)
			isReached := strings.Contains(strings.Join(i.dialed, " "), "127.0.0.3:8111")
			if asks != test.asks || isReached != (test.asks == "") || test.asks != "" && !strings.Contains(body, "url=http%3A%2F%2F127.0.0.3%3A8111%2Fx") {
				t.Errorf("GET %s (%q) = %d, asks about %q and dials %q, want %q", test.path, test.fields, resp.StatusCode, asks, i.dialed, test.asks)
			}
			if test.asks == "" {
				continue
			}
			time.Sleep(time.Second)
			action := between(body, `action="/-/confirmed?`, `"`)
			resp, _, _ = get(http.MethodPost, "/-/confirmed?"+action, strings.Split(clickedHere+"\nOrigin: http://localhost", "\n")...)
			grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
			resp, _, _ = get(http.MethodGet, resp.Header.Get("Location"), append(strings.Split(clickedHere, "\n"), "Cookie: "+grant)...)
			if resp.StatusCode != http.StatusOK || i.dialed[len(i.dialed)-1] != "127.0.0.3:8111" {
				t.Errorf("GET %s (%q), confirmed = %d after dialing %q", test.path, test.fields, resp.StatusCode, i.dialed)
			}
		}
	})
}

// A page of a public server gives its links and parts no trust in a private address, even if its name leads there later.
// The name of a private server that the user has confirmed keeps the trust.
func TestAttackRebindingOfPages(t *testing.T) {
	// attack: A page of a public server has a picture at its own server, whose name then changes to a private address |
	// 403; a name is trusted like an address only after its user has confirmed it
	synctest.Test(t, func(t *testing.T) {
		const u = "gopher://rebound.example:7070/0SHUTDOWN"
		const at = "\nReferer: http://localhost/gopher://rebound.example:7070/h"
		i := &internet{asked: 1} // every name is this machine
		g := &gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}}
		get := serveHere(g)
		isOpened := func(path, fields string) bool {
			i.dialed = nil
			_, body, _ := get(http.MethodGet, path, strings.Split(fields, "\n")...)
			if asks := strings.Contains(body, "/-/confirmed?ticket="); asks == (len(i.dialed) > 0) {
				t.Errorf("GET %s (%q) dials %q and asks: %v", path, fields, i.dialed, asks)
			}
			return len(i.dialed) > 0
		}
		for _, test := range []struct{ path, fields string }{
			{"/" + u, picture + at},
			{"/" + u, clickedHere + at},
			{"/" + u, inClear + "Host: localhost" + at},
			{"/-/raw?url=" + u, picture + at},
			{"/-/about?url=" + u, clickedHere + at},
			{"/-/about?url=" + u, clickedOff},
			{"/-/list?sort=name&url=" + u, clickedHere + at},
		} {
			if isOpened(test.path, test.fields) {
				t.Errorf("GET %s (%q) opens a private address", test.path, test.fields)
			}
		}
		_, front, _ := get(http.MethodGet, "/", strings.Split(clickedHere, "\n")...)
		time.Sleep(time.Second)
		resp, _, _ := get(http.MethodGet, "/-/open?url=gopher://rebound.example:7070/h&ticket="+ticketIn(t, front), strings.Split(clickedHere, "\n")...)
		grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
		_, body, _ := get(http.MethodGet, "/gopher://rebound.example:7070/h", append(strings.Split(clickedHere, "\n"), "Cookie: "+grant)...)
		action := between(body, `action="/-/confirmed?`, `"`)
		time.Sleep(time.Second)
		resp, _, _ = get(http.MethodPost, "/-/confirmed?"+action, strings.Split(clickedHere+"\nOrigin: http://localhost", "\n")...)
		grant, _, _ = strings.Cut(resp.Header.Get("Set-Cookie"), ";")
		if !isOpened("/gopher://rebound.example:7070/h", clickedHere+"\nCookie: "+grant) {
			t.Error("a private server that the user has confirmed does not open by its name")
		}
		if !isOpened("/"+u, picture+at) {
			t.Error("a picture in a page that the user wanted is refused")
		}
		for _, other := range []string{"gopher://rebound.example:7071/", "http://rebound.example:7070/", "gopher://other.example:7070/"} {
			if isOpened("/"+other, picture+"Referer: http://localhost/"+other) {
				t.Errorf("a picture at %s opens a private address", other)
			}
		}
		time.Sleep(13 * time.Hour)
		if isOpened("/"+u, picture+at) {
			t.Error("a name is trusted forever")
		}
	})
}

// A gateway that opens public addresses only says so, and does not ask again after the user has confirmed.
func TestConfirmedOnPublicGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		get := serveHere(new(internet).gateway())
		_, front, _ := get(http.MethodGet, "/", strings.Split(clickedHere, "\n")...)
		time.Sleep(time.Second)
		for _, u := range []string{"http://192.0.2.2/", "http://127.0.0.1/", "http://10.0.0.1/"} {
			resp, _, _ := get(http.MethodGet, "/-/open?url="+u+"&ticket="+ticketIn(t, front), strings.Split(clickedHere, "\n")...)
			grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
			resp, body, _ := get(http.MethodGet, "/"+u, append(strings.Split(clickedHere, "\n"), "Cookie: "+grant)...)
			if resp.StatusCode != http.StatusForbidden || strings.Contains(body, "/-/confirmed?") {
				t.Errorf("GET /%s with a ticket = %d, %q, want an error", u, resp.StatusCode, body)
			}
		}
	})
}

// A page of another site knows the public address of its visitor. The gateway asks before it opens this address.
func TestAttackNearAddresses(t *testing.T) {
	// attack: A page of another site knows the public address of its visitor, such as an IPv6 address, and leads to a
	// server at this machine or in its network, which a firewall protects
	synctest.Test(t, func(t *testing.T) {
		i := &internet{}
		get := serveHere(&gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i, Interfaces: func() ([]net.Addr, error) {
			return []net.Addr{&net.IPNet{IP: net.ParseIP("2606:2800::7"), Mask: net.CIDRMask(64, 128)}}, nil
		}}})
		for path, asks := range map[string]bool{
			"/gopher://[2606:2800::7]:7070/0SHUTDOWN": true, "/http://[2606:2800::8]:8080/": true, "/gopher://[2606:2801::7]:7070/": false,
		} {
			i.dialed = nil
			_, body, _ := get(http.MethodGet, path, strings.Split(clickedOff, "\n")...)
			if asked := strings.Contains(body, "/-/confirmed?ticket="); asked != asks || asks == (len(i.dialed) > 0) {
				t.Errorf("GET %s asks: %v, and dials %q, want that it asks: %v", path, asked, i.dialed, asks)
			}
		}
	})
}
