package gateway_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/guard"
)

// An internet has the servers that the gateways of these tests can reach, by their addresses. It
// keeps the addresses that were dialled.
type internet struct {
	servers map[string]func(net.Conn) // by "address:port"

	mu     sync.Mutex
	dialed []string
	asked  int // how often names were resolved
}

// LookupNetIP resolves every name to a public address the first time, and to
// this machine ever after.
func (i *internet) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asked++; i.asked > 1 {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
}

func (i *internet) dial(_ context.Context, _, address string) (net.Conn, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dialed = append(i.dialed, address)
	server, ok := i.servers[address]
	if !ok {
		return nil, errors.New("nobody is there")
	}
	near, far := net.Pipe()
	go func() { defer far.Close(); server(far) }()
	return near, nil
}

// gateway returns a public gateway, as the command starts it.
func (i *internet) gateway() *gateway.Gateway {
	return &gateway.Gateway{Engine: &locus.Client{
		Dial:    guard.Public{Dial: i.dial, Resolver: i}.DialContext,
		Engines: func(locus.Dial) map[string]locus.Scheme { return access.Table{"file": nil}.Schemes() },
	}}
}

// say is a server that reads a request, sends text and closes.
func say(text string) func(net.Conn) {
	return func(c net.Conn) {
		c.Read(make([]byte, 4096))
		io.WriteString(c, text)
	}
}

// stall sends text and then stays silent.
func stall(text string) func(net.Conn) {
	return func(c net.Conn) {
		say(text)(c)
		io.Copy(io.Discard, c)
	}
}

// hears sends text, and the request that it read to heard.
func hears(text string, heard chan<- string) func(net.Conn) {
	return func(c net.Conn) {
		buf := make([]byte, 4096)
		n, _ := c.Read(buf)
		heard <- string(buf[:n])
		io.WriteString(c, text)
	}
}

const page200 = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

// A public gateway refuses private addresses and ports, however they are written. It
// does not dial them.
func TestAttackTargets(t *testing.T) {
	// attack: A URL, redirect or menu link leads to a loopback, private, mapped or zoned address, or to a file |
	// the gateway answers 403 or 501 and dials no address
	for _, test := range []struct {
		attack, path string
		status       int
	}{
		{"this machine", "/http://127.0.0.1/", 403},
		{"by name", "/http://localhost/", 403},
		{"private", "/gopher://10.1.2.3/", 403},
		{"link-local, where clouds keep secrets", "/http://169.254.169.254/latest/meta-data/", 403},
		{"v4-mapped", "/http://[::ffff:127.0.0.1]/", 403},
		{"v4-mapped, in hexadecimal", "/http://[::ffff:7f00:1]/", 403},
		{"v4-compatible", "/http://[::127.0.0.1]/", 403},
		{"NAT64", "/http://[64:ff9b::7f00:1]/", 403},
		{"6to4", "/http://[2002:7f00:1::]/", 403},
		{"nowhere", "/http://0.0.0.0/", 403},
		{"nowhere, in IPv6", "/http://[::]/", 403},
		{"loopback, in IPv6", "/ftp://[::1]/", 403},
		{"unique local", "/wais://[fc00::1]/db", 403},
		{"multicast", "/prospero://224.0.0.1/", 403},
		{"files", "/file:///etc/passwd", 501},
		{"files of a host", "/file://localhost/etc/passwd", 501},
		{"a port of mail", "/gopher://8.8.8.8:25/0HELO", 403},
		{"a port of ssh", "/http://8.8.8.8:22/", 403},
		{"a port of news by gopher", "/gopher://8.8.8.8:119/0", 403},
		{"a port of databases", "/http://8.8.8.8:6379/", 403},
	} {
		i := &internet{}
		i.asked = 1 // every name is this machine
		resp, body, err := serve(t, i.gateway())("GET", test.path)
		if err != nil || resp.StatusCode != test.status || len(i.dialed) > 0 {
			t.Errorf("%s: GET %s = %d, %v, dialled %q, want %d\n%.800s", test.attack, test.path, resp.StatusCode, err, i.dialed, test.status, body[strings.Index(body, "<main")+1:])
		}
	}
}

// The gateway does not open zones, notations of inet_aton and invalid addresses.
func TestAttackAddresses(t *testing.T) {
	// attack: A URL, redirect or menu link leads to a loopback, private, mapped or zoned address, or to a file
	for _, path := range []string{
		"/http://[fe80::1%25lo]/", "/http://[fe80::1%25eth0]:80/", "/http://[::1%25lo]/", "/gopher://[fe80::1%25lo]/",
		"/http://2130706433/", "/http://0x7f000001/", "/http://0177.0.0.1/", "/http://127.1/", "/http://127.0.0.1./",
		"/http://%31%32%37.0.0.1/", "/http://[::ffff:127.0.0.1%25lo]/",
	} {
		i := &internet{}
		i.asked = 1
		resp, _, err := serve(t, i.gateway())("GET", path)
		if err != nil || resp.StatusCode < 400 || len(i.dialed) > 0 {
			t.Errorf("GET %s = %d, %v, dialled %q", path, resp.StatusCode, err, i.dialed)
		}
	}
}

// The gateway resolves a name once for each request, and dials the address that it has checked.
func TestAttackRebindingOfTargets(t *testing.T) {
	// attack: A host name changes to a private address after the check (DNS rebinding of a target) | the address
	// that was checked is the address that is dialled
	i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:70": say("text")}}
	get := serve(t, i.gateway())
	if resp, body, err := get("GET", "/gopher://rebind.example/0x"); err != nil || resp.StatusCode != http.StatusOK || body != "text" {
		t.Errorf("= %d, %q, %v", resp.StatusCode, body, err)
	}
	if resp, _, _ := get("GET", "/gopher://rebind.example/0x"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("once it is this machine = %d, want 403", resp.StatusCode)
	}
	if want := "8.8.8.8:70"; len(i.dialed) != 1 || i.dialed[0] != want {
		t.Errorf("dialled %q, want %q alone", i.dialed, want)
	}
}

// A redirect cannot reach an address that a typed URL cannot reach.
func TestAttackRedirects(t *testing.T) {
	// attack: A URL, redirect or menu link leads to a loopback, private, mapped or zoned address, or to a file
	for _, to := range []string{
		"http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "file:///etc/passwd", "http://8.8.8.8:25/", "javascript:alert(1)", "data:text/html,x", "//10.0.0.1/",
	} {
		i := &internet{servers: map[string]func(net.Conn){
			"8.8.8.8:80": say("HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
		}}
		resp, body, err := serve(t, i.gateway())("GET", "/http://8.8.8.8/")
		if err != nil || resp.StatusCode < 400 || resp.Header.Get("Location") != "" || len(i.dialed) != 1 {
			t.Errorf("redirect to %s = %d, %v, Location %q, dialled %q\n%.300s", to, resp.StatusCode, err, resp.Header.Get("Location"), i.dialed, body)
		}
	}
}

func TestAttackMenuLinks(t *testing.T) {
	// attack: A URL, redirect or menu link leads to a loopback, private, mapped or zoned address, or to a file
	// attack: `javascript:` or `data:` URLs are in menus and articles | they become a link to a page that explains
	// the refusal; clients of the proxy get text
	menu := "1Inside\t/\t127.0.0.1\t70\r\n0Mail\tHELO\t8.8.8.8\t25\r\nhScript\tURL:javascript:alert(1)\t8.8.8.8\t70\r\n" +
		"hData\tURL:data:text/html,<script>alert(1)</script>\t8.8.8.8\t70\r\nI\"><script>alert(1)</script>\t/x.png\" onerror=\"alert(1)\t8.8.8.8\t70\r\n.\r\n"
	i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:70": say(menu)}}
	get := serve(t, i.gateway())
	_, body, err := get("GET", "/gopher://8.8.8.8/1")
	if err != nil || strings.Contains(body, `"javascript:`) || strings.Contains(body, `"data:text`) || strings.Contains(body, "<script>alert") || strings.Contains(body, `" onerror`) {
		t.Fatalf("the menu = %v\n%s", err, body)
	}
	for rest := body[strings.Index(body, "<main"):]; ; {
		_, after, ok := strings.Cut(rest, `href="`)
		if !ok {
			break
		}
		href, tail, _ := strings.Cut(after, `"`)
		rest = tail
		if !strings.HasPrefix(href, "/") || strings.HasPrefix(href, "//") {
			t.Errorf("a link leads out of the gateway: %s", href)
		}
		if strings.Contains(href, "script") || strings.Contains(href, "data") || strings.Contains(href, "127.") || strings.Contains(href, ":25") {
			if resp, _, _ := get("GET", href); resp.StatusCode < 400 {
				t.Errorf("the link %s = %d", href, resp.StatusCode)
			}
		}
	}
	if len(i.dialed) != 1 {
		t.Errorf("dialled %q, want just the menu's", i.dialed)
	}
	// The clients of a proxy get unchanged URLs, except URLs of scripts.
	r := httptest.NewRequest(http.MethodGet, "gopher://8.8.8.8/1", http.NoBody)
	w := httptest.NewRecorder()
	i.gateway().ServeHTTP(w, r)
	if text := w.Body.String(); strings.Contains(text, `href="javascript:`) || strings.Contains(text, `href="data:text`) || !strings.Contains(text, `href="gopher://127.0.0.1/1/"`) {
		t.Errorf("the menu for a proxy's client:\n%s", text)
	}
}

// A URL cannot end a command and begin another one (RFC 1738 §6).
//
// req: 1738-6-2
func TestAttackLines(t *testing.T) {
	// attack: A URL contains an encoded CR, LF or NUL, which would end a command of the protocol and begin another
	for _, target := range []string{
		"ftp://8.8.8.8/a%0D%0ADELE%20b", "ftp://u%0Aser@8.8.8.8/", "ftp://u:p%0D@8.8.8.8/", "ftp://8.8.8.8/a%00b",
		"gopher://8.8.8.8/0a%0D%0Ab", "gopher://8.8.8.8/0a%0Ab", "nntp://8.8.8.8/g%0D%0AQUIT/1", "news://8.8.8.8/a%0D%0AQUIT@h",
		"rlogin://u%00x@8.8.8.8/", "http://8.8.8.8%0D%0AX:y/",
	} {
		i := &internet{}
		resp, _, err := serve(t, i.gateway())("GET", "/"+target)
		isPage := strings.HasPrefix(target, "rlogin:") // its page opens nothing
		if err != nil || !isPage && resp.StatusCode < 400 || len(i.dialed) > 0 {
			t.Errorf("GET /%s = %d, %v, dialled %q", target, resp.StatusCode, err, i.dialed)
		}
	}
	heard := make(chan string, 1)
	i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:80": hears(page200, heard)}}
	serve(t, i.gateway())("GET", "/http://8.8.8.8/a%0D%0AX-Evil:%20y?b%0D%0A")
	if got := <-heard; strings.Contains(got, "\nX-Evil") || !strings.HasPrefix(got, "GET /a%0D%0AX-Evil:%20y?b%0D%0A HTTP/1.1\r\n") {
		t.Errorf("the server heard %q", got)
	}
}

// Requests to another host name, and requests from pages of other sites, are refused.
func TestAttackFromPages(t *testing.T) {
	// attack: A page lets its own name resolve to the gateway or to its metrics (DNS rebinding by Host) | 421,
	// because only IP addresses, `localhost` and `Names` are accepted as Host
	// attack: A page of another site loads a picture, script or frame of the gateway, or sends it a form | 403, by
	// Fetch Metadata and Origin
	// attack: Content is loaded as a script, in case a policy fails | 403, by Fetch Metadata
	// attack: A page of another site uses an address that leads to this machine, and to which browsers send no Fetch
	// Metadata, such as 0.0.0.0 or [::ffff:7f00:1] | 421
	// attack: A page of another site opens a WebSocket at the path of a URL, because Chromium sends no Fetch Metadata
	// then, to make the gateway open the URL without a click | 403, by Origin
	opened := 0
	g := &gateway.Gateway{Names: []string{"gate.example"}, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		opened++
		return content("text/plain", "text")(req)
	})}
	get := serve(t, g)
	for _, test := range []struct {
		attack, method, fields string
		status                 int
	}{
		{"rebinding of the gateway", "GET", "Host: evil.example", 421},
		{"and its port", "GET", "Host: evil.example:1738", 421},
		{"a name that starts like ours", "GET", "Host: localhost.evil.example", 421},
		{"a name that ends like ours", "GET", "Host: evil.gate.example", 421},
		{"a picture at no address", "GET", "Host: 0.0.0.0:1738\nAccept: image/*", 421},
		{"a picture at no address of IPv6", "GET", "Host: [::]:1738\nAccept: image/*", 421},
		{"a picture at no address, mapped to IPv6", "GET", "Host: [::ffff:0.0.0.0]:1738\nAccept: image/*", 421},
		{"a picture at a loopback address, mapped to IPv6", "GET", "Host: [::ffff:7f00:1]:1738\nAccept: image/*", 421},
		{"a picture of a page of another site", "GET", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: image", 403},
		{"a script of a page of another site", "GET", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: cors", 403},
		{"a frame of a page of another site", "GET", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe", 403},
		{"a page of another port", "GET", "Sec-Fetch-Site: same-site\nSec-Fetch-Mode: no-cors", 403},
		{"a script that a page of others loads", "GET", "Sec-Fetch-Site: same-origin\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: script", 403},
		{"a form of a page of another site", "POST", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate", 403},
		{"a form, from an old browser", "POST", "Origin: http://evil.example", 403},
		{"a form of content in a sandbox", "POST", "Origin: null", 403},
		{"a WebSocket of Chromium", "GET", "Origin: http://evil.example\nConnection: Upgrade\nUpgrade: websocket\nAccept-Language: en", 403},
		{"a WebSocket of another port", "GET", "Origin: http://127.0.0.1:1\nConnection: Upgrade\nUpgrade: websocket", 403},
		{"a script of an old browser", "GET", "Origin: http://evil.example\nAccept: */*", 403},
		{"a script in a sandbox, of an old browser", "HEAD", "Origin: null", 403},
	} {
		resp, _, err := get(test.method, "/x:y", strings.Split(test.fields, "\n")...)
		if err != nil || resp.StatusCode != test.status || opened > 0 {
			t.Errorf("%s = %d, %v, opened %d, want %d", test.attack, resp.StatusCode, err, opened, test.status)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: others may read the answer", test.attack)
		}
	}
	for _, fields := range []string{"Host: gate.example:80", "Host:", "Host: LOCALHOST", "Host: [::1]:1738", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\nSec-Fetch-User: ?1", "Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate", "Sec-Fetch-Site: same-origin\nSec-Fetch-Mode: no-cors", "Host: localhost:1738\nOrigin: http://localhost:1738"} {
		if resp, _, err := get("GET", "/x:y", strings.Split(fields, "\n")...); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s = %d, %v, want 200", fields, resp.StatusCode, err)
		}
	}
}

// Only the gateway's own scripts run in its origin, whichever path a page takes for another script.
func TestAttackScripts(t *testing.T) {
	// attack: `/-/raw` is loaded as a script or service worker | 403, because only the gateway's own files are
	// scripts
	get := serve(t, &gateway.Gateway{Engine: resources{"http://evil/x.js": content("text/javascript", "alert(1)"), "ftp://h/d/": menu(io.EOF)}})
	for path, want := range map[string]int{
		"/http://evil/x.js": 403, "/-/raw?url=http://evil/x.js": 403, "/-/download?url=http://evil/x.js": 403, "/-/list?url=ftp://h/d/": 403,
		"/-/open?url=http://evil/./x.js": 403, "/-/keys.js": 200, "/-/recent.js": 200,
	} {
		for _, dest := range []string{"script", "worker", "serviceworker"} {
			resp, _, err := get("GET", path, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: same-origin", "Sec-Fetch-Dest: "+dest)
			if err != nil || resp.StatusCode != want {
				t.Errorf("GET %s as %s = %v, %v, want %d", path, dest, resp, err, want)
			}
		}
	}
}

// Content of other servers may not run a script in the gateway's origin. A test with Chromium
// shows that browsers obey.
func TestAttackContent(t *testing.T) {
	// attack: A media type, name or field contains line ends
	// attack: HTML or SVG of a server reads the gateway's pages | its Content-Security-Policy is a sandbox without
	// scripts
	const script = "<script>fetch('/')</script>"
	for _, test := range []struct {
		mediaType, content string
		want               string // the type it is sent as
		shown              bool   // a browser shows it, rather than keep it in a file
	}{
		{"text/html", script, "text/html", true},
		{"TEXT/HTML; charset=utf-8", script, "text/html; charset=utf-8", true},
		{"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "image/svg+xml", true},
		{"application/xhtml+xml", script, "application/xhtml+xml", true},
		{"application/xml", `<?xml-stylesheet type="text/xsl" href="/x"?><x/>`, "application/xml", false},
		{"text/xml", "<x/>", "text/xml", false},
		{"text/javascript", "alert(1)", "text/javascript", false},
		{"multipart/x-mixed-replace; boundary=x", "--x", "multipart/x-mixed-replace; boundary=x", false},
		{"multipart/related", script, "multipart/related", false},
		{"application/x-shockwave-flash", "FWS", "application/x-shockwave-flash", false},
		{"message/rfc822+x", script, "message/rfc822+x", false},
		{"application/pdf", "%PDF-1.4", "application/pdf", true},
		{"text/plain", script, "text/plain; charset=utf-8", true},
		{"", script, "text/plain; charset=utf-8", true},
		{"*/*", script, "*/*", false},
		{"text", script, "text/plain; charset=utf-8", true},
		{"text/html, text/plain", script, "text/plain; charset=utf-8", true},
		{"text/html\r\nSet-Cookie: a=b", script, "text/plain; charset=utf-8", true},
		{"text/html;charset=\"a\r\nSet-Cookie: a=b\"", script, "text/plain; charset=utf-8", true},
		{"text/html\x00", script, "text/plain; charset=utf-8", true},
	} {
		get := serve(t, &gateway.Gateway{Engine: resources{"gopher://h/hx": content(test.mediaType, test.content)}})
		resp, body, err := get("GET", "/gopher://h/hx")
		if err != nil || resp.StatusCode != http.StatusOK || body != test.content {
			t.Errorf("%q = %d, %v, %q", test.mediaType, resp.StatusCode, err, body)
			continue
		}
		h := resp.Header
		policy := h.Get("Content-Security-Policy")
		if h.Get("Content-Type") != test.want || (h.Get("Content-Disposition") == "") != test.shown || h.Get("Set-Cookie") != "" {
			t.Errorf("%q is %q, %q, cookie %q, want %q, shown %v", test.mediaType, h.Get("Content-Type"), h.Get("Content-Disposition"), h.Get("Set-Cookie"), test.want, test.shown)
		}
		isSandbox := strings.HasPrefix(policy, "sandbox ") || test.want == "application/pdf"
		if !isSandbox || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%q has the policy %q", test.mediaType, policy)
		}
		for _, may := range []string{"allow-scripts", "allow-forms", "allow-top", "allow-modals", "script-src", "connect-src", "http:", "https:", "*"} {
			if strings.Contains(policy, may) {
				t.Errorf("%q may %s: %q", test.mediaType, may, policy)
			}
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%q has %s: %q, want %q", test.mediaType, name, h.Get(name), want)
			}
		}
	}
}

// Names, tags and fields that servers make up cannot add a field to the header.
func TestAttackHeader(t *testing.T) {
	// attack: A media type, name or field contains line ends | the response gets no further field
	evil := "a\r\nSet-Cookie: a=b\r\n\r\n<script>"
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/a%0D%0ASet-Cookie:%20a=b%22%2F..%5C.zip": func(req *access.Request) (*access.Resource, error) {
			r, err := content("application/zip", "PK")(req)
			r.ETag = evil
			r.Header = told(map[string]string{"Cache-Control": evil, "Set-Cookie": "a=b", "Refresh": "0;url=//evil.example", "Link": "</x>; rel=preload", "Content-Security-Policy": "x", "Location": "//evil.example", "Access-Control-Allow-Origin": "*", "Clear-Site-Data": `"*"`, "Service-Worker-Allowed": "/"})
			return r, err
		},
	}})
	resp, _, err := get("GET", "/ftp://h/a%0D%0ASet-Cookie:%20a=b%22%2F..%5C.zip")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("= %d, %v", resp.StatusCode, err)
	}
	for _, name := range []string{"Set-Cookie", "Refresh", "Link", "Location", "Access-Control-Allow-Origin", "Clear-Site-Data", "Service-Worker-Allowed"} {
		if resp.Header.Get(name) != "" {
			t.Errorf("%s: %q", name, resp.Header.Get(name))
		}
	}
	if d := resp.Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment; filename=") || strings.ContainsAny(d, "\r\n/\\") {
		t.Errorf("Content-Disposition: %q", d)
	}
}

// told returns a header with these fields.
func told(fields map[string]string) (h access.Header) {
	for name, value := range fields {
		h = append(h, access.Field{Name: name, Value: value, Hidden: true})
	}
	return h
}

// The gateway does not pass the cookies and passwords that a browser sends to it on to servers.
func TestAttackCredentials(t *testing.T) {
	// attack: A server asks for a password that the browser keeps for another server
	heard := make(chan string, 4)
	i := &internet{servers: map[string]func(net.Conn){
		"8.8.8.8:80": hears("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", heard),
		"8.8.4.4:80": hears(page200, heard),
		"9.9.9.9:80": hears("HTTP/1.1 302 Found\r\nLocation: http://8.8.4.4/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", heard),
	}}
	token := base64.StdEncoding.EncodeToString([]byte("u:secret"))
	for _, path := range []string{"/http://8.8.4.4/", "/http://8.8.8.8/", "/http://9.9.9.9/", "/-/raw?url=http://u@8.8.8.8/", "/-/list?sort=name&url=http://u@8.8.8.8/", "/-/about?url=http://u@8.8.8.8/", "/http://u@8.8.8.8"} {
		serve(t, i.gateway())("GET", path, "Authorization: Basic "+token, "Cookie: a=b", "Referer: http://127.0.0.1/ftp://u:p@h/", "X-Mine: secret")
		for done := false; !done; {
			select {
			case got := <-heard:
				if strings.Contains(got, token) || strings.Contains(got, "Cookie") || strings.Contains(got, "Referer") || strings.Contains(got, "X-Mine") {
					t.Errorf("GET %s: the server heard %q", path, got)
				}
			default:
				done = true
			}
		}
	}
}

// Only pages ask a browser for a password, and only if the browser will not send the password to
// another server.
func TestAttackPasswords(t *testing.T) {
	// attack: A server asks for a password that the browser keeps for another server | a password is used only for
	// paths of one host
	get := serve(t, &gateway.Gateway{Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		user, _ := req.URL.User()
		answer, err := engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: "h", User: user})
		if err != nil {
			return nil, err
		}
		return content("text/plain", answer.Password)(req)
	})})
	for _, test := range []struct {
		path, fields string
		status       int
		asks         bool
		location     string
	}{
		{"/ftp://u@h/x", "", 401, true, ""},
		{"/ftp://u@h/x", "Sec-Fetch-Dest: document", 401, true, ""},
		{"/ftp://u@h/x", "Sec-Fetch-Dest: image", 403, false, ""},
		{"/ftp://u@h", "", 303, false, "/ftp://u@h/"},
		{"/-/raw?url=ftp://u@h/x", "", 403, false, ""},
		{"/-/open?url=ftp://u@h/../x", "", 403, false, ""},
		{"/ftp://u@h/x", "Authorization: Basic dTpzZWNyZXQ=", 200, false, ""},
		{"/ftp://u@h", "Authorization: Basic dTpzZWNyZXQ=", 303, false, "/ftp://u@h/"},
		{"/-/raw?url=ftp://u@h/x", "Authorization: Basic dTpzZWNyZXQ=", 403, false, ""},
	} {
		resp, body, err := get("GET", test.path, test.fields)
		asks := resp.Header.Get("WWW-Authenticate") != ""
		if err != nil || resp.StatusCode != test.status || asks != test.asks || resp.Header.Get("Location") != test.location {
			t.Errorf("GET %s (%s) = %d, %v, asks %v, Location %q, want %d, %v, %q", test.path, test.fields, resp.StatusCode, err, asks, resp.Header.Get("Location"), test.status, test.asks, test.location)
		}
		if resp.StatusCode == http.StatusOK && (body != "secret" || !strings.Contains(resp.Header.Get("Cache-Control"), "private")) {
			t.Errorf("GET %s = %q, Cache-Control %q", test.path, body, resp.Header.Get("Cache-Control"))
		}
	}
}

// After Timeout the gateway gives up on servers that are silent or stop in the middle.
func TestAttackSlowServers(t *testing.T) {
	// attack: A server is silent, or stops in the middle | 504, or the response is aborted, after `Timeout`
	for _, test := range []struct {
		says   string
		status int
	}{
		{"", http.StatusGatewayTimeout},
		{"one line and no", http.StatusOK}, // and then the answer breaks off
	} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			go stall(test.says)(far)
			engine := &locus.Client{Dial: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
			g := &gateway.Gateway{Engine: engine, Timeout: time.Minute}
			start := time.Now()
			broken := false
			w := httptest.NewRecorder()
			func() {
				defer func() { broken = recover() == http.ErrAbortHandler }()
				r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
				r.Host, r.RequestURI = "localhost", "/gopher://h/9x"
				g.ServeHTTP(w, r)
			}()
			if took := time.Since(start); w.Code != test.status || broken != (test.says != "") || took < time.Minute || took > 61*time.Second {
				t.Errorf("%q = %d, broken off %v, after %v", test.says, w.Code, broken, took)
			}
		})
	}
}

// If a client does not read, its response is aborted after ClientIdle.
func TestAttackSlowClients(t *testing.T) {
	// attack: A client sends a request and reads nothing | it is aborted after `ClientIdle`
	gone := make(chan struct{})
	g := &gateway.Gateway{ClientIdle: 50 * time.Millisecond, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: closing{endless{}, gone}}, nil
	})}
	server := httptest.NewServer(g)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /x:y HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-gone // without reading anything
}

type closing struct {
	io.Reader
	closed chan struct{}
}

func (c closing) Close() error {
	close(c.closed)
	return nil
}

// Compressed content that nobody asked for is decompressed while it is sent, and only up to a bound.
func TestAttackBombs(t *testing.T) {
	// attack: A server sends gzip bombs | content grows to at most 64 MiB and 100 times its size, and takes no memory
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 200 { // 200 KB become 200 MB
		z.Write(zeros)
	}
	z.Close()
	header := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", bomb.Len())
	i := &internet{servers: map[string]func(net.Conn){"8.8.8.8:80": say(header + bomb.String())}}
	resp, body, err := serve(t, i.gateway())("GET", "/http://8.8.8.8/", "Accept-Encoding: gzip")
	if err == nil || len(body) > 90<<20 || resp.Header.Get("Content-Encoding") != "" {
		t.Errorf("%d bytes are %d, %v, Content-Encoding %q, want an early end", bomb.Len(), len(body), err, resp.Header.Get("Content-Encoding"))
	}
}
