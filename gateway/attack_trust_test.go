package gateway_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/gateway"
	"locus/url"
)

// A private server that redirects to a public one does not lend its address to the content there. A browser goes to the
// address of the content, so that the content has the trust of its own server.
func TestAttackLentAddress(t *testing.T) {
	// attack: A trusted private server redirects to a page or style of a public server, which then has links and pictures
	// at the private server | the browser is redirected, so that content is shown at the address of its own server
	const inside, outside = "http://127.0.0.2:8110/out", "http://8.8.8.8/evil"
	const fromInside = "\nReferer: http://localhost/http://127.0.0.2:8110/"
	moved := say("HTTP/1.1 302 Found\r\nLocation: " + outside + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	evil := say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\n<p>x")
	i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:80": evil, "127.0.0.2:8110": moved}}
	get := serveHere(&gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}})
	for _, test := range []struct{ path, fields, to string }{
		{"/" + inside, clickedHere + fromInside, "/" + outside},
		{"/" + inside + ".png", clickedHere + fromInside, "/" + outside},
		{"/" + inside, strings.Replace(picture, "image\n", "style\n", 1) + fromInside, "/" + outside},
		{"/-/raw?url=" + inside, clickedHere + fromInside, "/" + outside},
		{"/-/list?sort=name&url=" + inside, clickedHere + fromInside, "/" + outside},
		{"/-/dav/" + inside, clickedHere + fromInside, "/" + outside},
		{"/" + inside, inClear + "Host: localhost" + fromInside, "/" + outside},
		{"/" + inside, "User-Agent: curl/8.5.0", ""},
		{"/-/dav/" + inside, "User-Agent: gvfs/1.50.3", ""},
		{"/http://8.8.8.8/evil", clickedHere, ""},
	} {
		resp, body, _ := get(http.MethodGet, test.path, strings.Split(test.fields, "\n")...)
		if to := resp.Header.Get("Location"); to != test.to || test.to == "" && resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s (%q) = %d to %q, want %q\n%.300s", test.path, test.fields, resp.StatusCode, to, test.to, body)
		}
	}
}

// A user who types the name of a public server does not trust the private address to which the name may lead later.
func TestAttackRebindingOfTypedNames(t *testing.T) {
	// attack: The user types the name of a public server, or is led to press "Open" there, and the name then changes to a
	// private address | a page asks; a name is trusted like an address only after its user has confirmed it on that page
	synctest.Test(t, func(t *testing.T) {
		const u = "gopher://rebound.example:7070/h"
		text := say("0x\t/x\trebound.example\t7070\r\n.\r\n")
		i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:7070": text, "127.0.0.1:7070": text, "rebound.example:7070": text}}
		get := serveHere(&gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}})
		_, front, _ := get(http.MethodGet, "/", strings.Split(clickedHere, "\n")...)
		_, handed, _ := get(http.MethodPost, "/-/ticket?url="+u, "User-Agent: x")
		time.Sleep(time.Second)
		open := func(path, fields string) (dialed string, asks bool) {
			i.dialed = nil
			resp, body, _ := get(http.MethodGet, path, strings.Split(fields, "\n")...)
			if to := resp.Header.Get("Location"); to != "" {
				grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
				_, body, _ = get(http.MethodGet, to, strings.Split(fields+"\nCookie: "+grant, "\n")...)
			}
			return strings.Join(i.dialed, " "), strings.Contains(body, "/-/confirmed?ticket=")
		}
		field := "/-/open?url=" + u + "&ticket=" + ticketIn(t, front)
		part := picture + "Referer: http://localhost/" + u
		const lynx = "Accept: text/html\nUser-Agent: Lynx/2.9.0"
		for _, test := range []struct {
			path, fields, dialed string
			asked                int // how often the name was resolved
		}{
			{field, clickedHere, "8.8.8.8:7070", 0},
			{"/" + u, part, "", 1},
			{field, clickedHere, "", 1},
			{field, lynx, "8.8.8.8:7070", 0},
			{field, lynx, "", 1},
			{"/-/open?url=" + u + "&ticket=" + handed, typed, "rebound.example:7070", 1}, // after locus open, see TestHandedNames
			{"/" + u, part, "", 1},
		} {
			i.asked = test.asked
			if dialed, asks := open(test.path, test.fields); dialed != test.dialed || asks == (dialed != "") {
				t.Errorf("GET %s (%q) dials %q and asks: %v, want %q", test.path, test.fields, dialed, asks, test.dialed)
			}
		}
	})
}

// A URL that the user has typed after locus open opens without a question, also if its host is the name of a private
// server. The links and pictures of its page are not trusted, because the name may lead elsewhere later.
func TestHandedNames(t *testing.T) {
	const u = "gopher://nas.example:7070/1"
	text := say("0x\t/x\tnas.example\t7070\r\n.\r\n")
	for _, fields := range []string{typed, "Accept: text/html\nUser-Agent: Lynx/2.9.0"} {
		i := &internet{servers: map[string]func(net.Conn){"nas.example:7070": text}, asked: 1}
		get := serveHere(&gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}})
		_, handed, _ := get(http.MethodPost, "/-/ticket?url="+u, "User-Agent: x")
		for _, opens := range []bool{true, false} {
			resp, body, _ := get(http.MethodGet, "/-/open?url="+u+"&ticket="+handed, strings.Split(fields, "\n")...)
			if to := resp.Header.Get("Location"); to != "" {
				grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
				resp, body, _ = get(http.MethodGet, to, strings.Split(fields+"\nCookie: "+grant, "\n")...)
			}
			if asks := strings.Contains(body, "/-/confirmed?ticket="); asks == opens || (resp.StatusCode == http.StatusOK) != opens {
				t.Errorf("%q: the URL with a ticket that is new: %v = %d and asks: %v\n%.300s", fields, opens, resp.StatusCode, asks, body)
			}
		}
	}
}

// The upgrade of a private server from http to https does not ask again.
func TestConfirmedUpgrade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := ""
		engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			opened = ""
			at, err := url.Parse(strings.Replace(req.URL.String(), "http:", "https:", 1))
			if host, _ := req.URL.Host(); host == "away.example" {
				at, err = url.Parse("https://other.example/")
			}
			if err != nil {
				return nil, err
			}
			if req.PublicOnly {
				return nil, &access.Error{URL: req.URL, Err: access.ErrNotPublic}
			}
			if req.PublicAway && at != req.URL {
				return nil, &access.Error{URL: at, Err: access.ErrNotPublic}
			}
			opened = at.String()
			resource, err := content("text/plain", "text")(req)
			resource.URL = at
			return resource, err
		})
		get := serveHere(&gateway.Gateway{Engine: engine})
		for _, test := range []struct {
			url    string
			opened string // "" if the page asks again
		}{
			{"http://nas.example/a", "https://nas.example/a"},
			{"http://nas.example:80/a", ""},
			{"http://nas.example:8080/a", ""},
			{"http://away.example/a", ""},
		} {
			_, asking, _ := get(http.MethodGet, "/"+test.url, strings.Split(typed, "\n")...)
			time.Sleep(time.Second)
			resp, body, _ := get(http.MethodPost, "/-/confirmed?"+between(asking, `action="/-/confirmed?`, `"`), strings.Split(clickedHere+"\nOrigin: http://localhost", "\n")...)
			for range 5 {
				to := resp.Header.Get("Location")
				if to == "" {
					break
				}
				grant, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
				resp, body, _ = get(http.MethodGet, to, strings.Split(clickedHere+"\nReferer: http://localhost/"+test.url+"\nCookie: "+grant, "\n")...)
			}
			if opened != test.opened || strings.Contains(body, "/-/confirmed?ticket=") != (test.opened == "") {
				t.Errorf("%s, confirmed = %d and opens %q, want %q", test.url, resp.StatusCode, opened, test.opened)
			}
		}
	})
}

// A browser without cookies is asked once, whatever Referer it sends.
func TestConfirmWithoutCookies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, u := range []string{"gopher://127.0.0.1:7070/0a", "gopher://nas.example/0a"} {
			for _, test := range []struct{ browser, fields, referer string }{
				{"Dillo", "User-Agent: Dillo/3.0.5\nAccept: */*", "http://localhost/"},
				{"Dillo with whole Referers", "User-Agent: Dillo/3.0.5\nAccept: */*", "http://localhost/" + u},
				{"Dillo without Referers", "User-Agent: Dillo/3.0.5\nAccept: */*", ""},
				{"lynx", "Accept: text/html\nUser-Agent: Lynx/2.9.0", "http://localhost/" + u},
				{"w3m", "Accept: text/html\nUser-Agent: w3m/0.5.3", ""},
				{"an old browser", inClear + "Host: localhost", "http://localhost/" + u},
				{"Firefox", clickedHere + "\nOrigin: http://localhost", "http://localhost/" + u},
			} {
				opened := 0
				get := serveHere(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
					if req.PublicOnly {
						return nil, &access.Error{URL: req.URL, Err: access.ErrNotPublic}
					}
					opened++
					return content("text/plain", "text")(req)
				})})
				_, asking, _ := get(http.MethodGet, "/"+u, strings.Split(test.fields, "\n")...)
				time.Sleep(time.Second)
				fields := strings.Split(test.fields+"\nReferer: "+test.referer, "\n")
				resp, _, _ := get(http.MethodPost, "/-/confirmed?"+between(asking, `action="/-/confirmed?`, `"`), fields...)
				if to := resp.Header.Get("Location"); to != "" {
					resp, _, _ = get(http.MethodGet, to, fields...)
				}
				if resp.StatusCode != http.StatusOK || opened != 1 {
					t.Errorf("%s, %s without cookies, confirmed = %d and opened %d, want 200 and 1", u, test.browser, resp.StatusCode, opened)
				}
			}
		}
	})
}

// The page of a thread shows a listing, so its links have the trust in the server of the listing, and not in the server
// of the URL beside which the entries are.
func TestAttackThreads(t *testing.T) {
	// attack: A page of another site leads to the thread of a URL at a private server, whose name the user has confirmed,
	// in a menu of a public server, which also lists other URLs of the private server | a page asks, as for the same link
	// outside
	synctest.Test(t, func(t *testing.T) {
		const private, menu = "http://wiki.example:8080/delete", "gopher://8.8.8.8/1"
		i := &internet{asked: 1, servers: map[string]func(net.Conn){
			"8.8.8.8:70": say("hx\tURL:" + private + "\t8.8.8.8\t70\r\n.\r\n"), "wiki.example:8080": say(page200),
		}}
		get := serveHere(&gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}})
		_, asking, _ := get(http.MethodGet, "/http://wiki.example:8080/", strings.Split(typed, "\n")...)
		time.Sleep(time.Second)
		get(http.MethodPost, "/-/confirmed?"+between(asking, `action="/-/confirmed?`, `"`), strings.Split(clickedHere+"\nOrigin: http://localhost", "\n")...)
		for _, test := range []struct {
			page, url, dialed string
		}{
			{"/-/beside?step=thread&in=" + menu + "&url=" + private, private, ""},
			{"/-/beside?step=thread&in=" + menu + "&url=" + private, "gopher://8.8.8.8/0x", "8.8.8.8:70"},
			{"/-/beside?step=thread&url=" + menu + "&in=http://wiki.example:8080/", private, "wiki.example:8080"},
		} {
			i.dialed = nil
			_, body, _ := get(http.MethodGet, "/"+test.url, strings.Split(clickedHere+"\nReferer: http://localhost"+test.page, "\n")...)
			if asks := strings.Contains(body, "/-/confirmed?ticket="); strings.Join(i.dialed, " ") != test.dialed || asks != (test.dialed == "") {
				t.Errorf("the link to %s in %s dials %q and asks: %v, want %q", test.url, test.page, i.dialed, asks, test.dialed)
			}
		}
	})
}

// A client does not confirm a name for another client, also not in the same network.
func TestAttackConfirmedByOther(t *testing.T) {
	// attack: A neighbour in the network of a user confirms the name of a server, so that pages there are trusted when
	// the user opens them | confirmed names belong to one address
	synctest.Test(t, func(t *testing.T) {
		const u = "gopher://rebound.example:7070/0SHUTDOWN"
		i := &internet{asked: 1} // every name is this machine
		g := &gateway.Gateway{Engine: &locus.Client{Dial: i.dial, Resolver: i}}
		isOpened := func(client, method, path, fields string) (opened bool, body string) {
			i.dialed = nil
			r := httptest.NewRequest(method, "http://localhost"+path, http.NoBody)
			r.Host, r.RequestURI, r.RemoteAddr = "localhost", path, client
			for field := range strings.Lines(fields) {
				name, value, _ := strings.Cut(strings.TrimSpace(field), ": ")
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			return len(i.dialed) > 0, w.Body.String()
		}
		const w3m = "Accept: text/html\nUser-Agent: w3m/0.5.3"
		_, asking := isOpened("[2001:db8::1]:1", http.MethodGet, "/"+u, w3m)
		time.Sleep(time.Second)
		if opened, _ := isOpened("[2001:db8::1]:1", http.MethodPost, "/-/confirmed?"+between(asking, `action="/-/confirmed?`, `"`), w3m); !opened {
			t.Fatal("the button does not open the URL")
		}
		for client, want := range map[string]bool{"[2001:db8::1]:2": true, "[2001:db8::2]:2": false, "192.0.2.7:2": false} {
			if opened, _ := isOpened(client, http.MethodGet, "/"+u, "Accept: image/*\nUser-Agent: Mozilla/5.0\nReferer: http://localhost/"+u); opened != want {
				t.Errorf("a picture for %s is opened: %v, want %v", client, opened, want)
			}
		}
	})
}
