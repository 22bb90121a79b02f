package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/gateway"
	"locus/guard"
	"locus/url"
)

// Requests of a proxy's clients, and tunnels, do not use the engines. They must not reach addresses
// that the engines cannot reach.
func TestAttackAround(t *testing.T) {
	// attack: A client of the proxy asks for private addresses, or for a tunnel to one or to a mail port | 403,
	// and no address is dialled
	for _, test := range []struct {
		request string
		status  int
		dialed  string
	}{
		{"GET http://127.0.0.1/", 403, ""},
		{"GET http://localhost:8080/", 403, ""},
		{"GET http://[::ffff:10.0.0.1]/", 403, ""},
		{"POST http://169.254.169.254/latest", 403, ""},
		{"GET http://rebound.example/", 403, ""},
		{"CONNECT 127.0.0.1:443", 403, ""},
		{"CONNECT [::1]:443", 403, ""},
		{"CONNECT [::ffff:7f00:1]:443", 403, ""},
		{"CONNECT 169.254.169.254:443", 403, ""},
		{"CONNECT rebound.example:443", 403, ""},
		{"CONNECT 8.8.8.8:25", 403, ""},
		{"CONNECT 8.8.8.8:22", 403, ""},
		{"CONNECT 8.8.8.8:80", 403, ""},
		{"CONNECT 8.8.8.8:443", 502, "8.8.8.8:443"},
		{"GET http://8.8.8.8/", 502, "8.8.8.8:80"},
	} {
		i := &internet{}
		i.asked = 1 // every name is this machine
		dial := guard.Public{Dial: i.dial, Resolver: i}.DialContext
		g := i.gateway()
		g.Web, g.Tunnel = gateway.Transport(dial), dial
		method, target, _ := strings.Cut(test.request, " ")
		r := httptest.NewRequest(method, target, http.NoBody)
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if dialed := strings.Join(i.dialed, " "); w.Code != test.status || dialed != test.dialed {
			t.Errorf("%s = %d, dialled %q, want %d, %q", test.request, w.Code, dialed, test.status, test.dialed)
		}
	}
}

// A request cannot hide in the body of another request, even if servers disagree where that body
// ends (RFC 9112 §11.2).
func TestAttackSmuggling(t *testing.T) {
	// attack: A request is hidden in the body of another | the server never receives it
	const hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"
	var asked, found atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/hidden" {
			found.Add(1)
		}
		io.Copy(io.Discard, r.Body)
	}))
	defer origin.Close()
	server := httptest.NewServer(&gateway.Gateway{Web: gateway.Transport((&net.Dialer{}).DialContext)})
	defer server.Close()
	for _, fields := range []string{
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + hidden,
		"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden,
		"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + hidden,
		"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
		"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + hidden,
		"X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"Content-Length: 0\r\nContent-Length: 36\r\n\r\n" + hidden,
		"Content-Length: 0, 36\r\n\r\n" + hidden,
		"Content-Length: +0\r\n\r\n" + hidden,
		"Content-Length: 0x0\r\n\r\n" + hidden,
		"Connection: Content-Length\r\nContent-Length: 37\r\n\r\n" + hidden,
		"Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n25\r\n" + hidden + "\r\n0\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n0;\r\n x\r\n\r\n" + hidden,
		"Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 9\r\n\r\n" + hidden,
		"Content-Length: 36\r\nExpect: 100-continue\r\n\r\n" + hidden,
		"\r\n" + hidden,
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s/x HTTP/1.1\r\nHost: h\r\n%s", origin.URL, fields)
		conn.(*net.TCPConn).CloseWrite()
		conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(conn); err != nil {
			t.Errorf("%q: %v", fields, err)
		}
		conn.Close()
		if found.Load() > 0 {
			t.Fatalf("%q: the server hears the request that was hidden", fields)
		}
	}
	if asked.Load() == 0 {
		t.Error("the server was never asked")
	}
}

// Neither a typed URL nor a path redirects a browser out of the gateway.
func TestAttackRedirection(t *testing.T) {
	// attack: Input names another host, to lead the browser there | it is a path of the gateway, or 400
	get := serve(t, &gateway.Gateway{})
	for _, typed := range []string{
		"//evil.example/", "///evil.example/", `/\evil.example/`, `\\evil.example\`, "evil.example", "http:evil.example", "javascript:alert(1)", "data:text/html,x",
		"%2f%2fevil.example", "\t//evil.example", "http://h/%0d%0aSet-Cookie:a=b", "x:\r\nSet-Cookie: a=b", ".//evil.example", "@evil.example",
	} {
		resp, _, err := get("GET", "/-/open?url="+strings.NewReplacer("%", "%25", "\t", "%09", "\r", "%0D", "\n", "%0A", " ", "%20", `\`, "%5C").Replace(typed))
		to := resp.Header.Get("Location")
		isInside := strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.HasPrefix(to, `/\`)
		if err != nil || resp.StatusCode == http.StatusSeeOther && !isInside || resp.StatusCode != http.StatusSeeOther && to != "" || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("typed %q = %d, to %q, %v", typed, resp.StatusCode, to, err)
		}
	}
	for _, path := range []string{"//evil.example/", "///evil.example", `/\evil.example`, "/ftp:/h/", "/http:/evil.example", "/gopher:/h/1", "/%2e%2e/x"} {
		w := ask(&gateway.Gateway{}, "192.0.2.1:1", path)
		if to := w.Header().Get("Location"); w.Code != http.StatusBadRequest || to != "" {
			t.Errorf("GET %s = %d, to %q", path, w.Code, to)
		}
	}
}

// URLs of scripts in an article are text instead of links, in its header and in its body, for
// browsers at the gateway and for the clients of a proxy.
func TestAttackArticles(t *testing.T) {
	// attack: `javascript:` or `data:` URLs are in menus and articles
	// attack: Names, replies and articles contain markup, terminal escapes or log lines
	article := "From: <a href=\"javascript:alert(1)\">x</a> <javascript:alert(2)@h>\r\nSubject: </title><script>alert(3)</script>\r\n" +
		"References: <\" onmouseover=\"alert(4)@h>\r\nMessage-ID: <javascript:alert(5)@h>\r\nFollowup-To: javascript:alert(6)\r\n\r\n" +
		"javascript:alert(7) <javascript:alert(8)> <URL:javascript:alert(9)> <URL:data:text/html,<script>alert(10)</script>>\r\n<script>alert(11)</script>\r\n"
	g := &gateway.Gateway{Engine: resources{"news:x@h": content("message/rfc822", article)}}
	for _, target := range []string{"/news:x@h", "news:x@h"} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.RequestURI, r.Host = target, "localhost"
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		page := w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(page, "alert(7)") {
			t.Fatalf("GET %s = %d\n%s", target, w.Code, page)
		}
		for _, evil := range []string{`"javascript:`, `"data:`, "<script>alert", `" onmouse`, `<a href="javascript`} {
			if strings.Contains(page, evil) {
				t.Errorf("GET %s has %s in\n%s", target, evil, page)
			}
		}
	}
}

// An error that quotes the URL is text in the page and one line in the log.
func TestAttackErrors(t *testing.T) {
	// attack: Names, replies and articles contain markup, terminal escapes or log lines | pages
	// show them as text, and each request has one line in the log
	var log bytes.Buffer
	g := &gateway.Gateway{Log: slog.New(slog.NewTextHandler(&log, nil)), Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, fmt.Errorf("550 <script>alert(1)</script>\r\nlevel=INFO msg=forged \x1b[31m\u202e")
	})}
	get := serve(t, g)
	for _, path := range []string{"/x:%3Cscript%3Ealert(1)%3C/script%3E%0D%0A", "/x://h/%1B[31m", "/-/about?url=x:%2522%253E%253Cscript%253E", "/-/none<script>alert(1)</script>"} {
		_, body, err := get("GET", path)
		if err != nil || strings.Contains(body, "<script>alert") || strings.ContainsAny(body, "\x1b\u202e") {
			t.Errorf("GET %s, %v\n%s", path, err, body)
		}
	}
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 2 || strings.ContainsAny(log.String(), "\x1b\u202e") {
		t.Errorf("the log has %q", lines)
	}
}

// The log of a failed access hides the secrets of its URL, and of the URL that it led to.
func TestAttackTokensInErrors(t *testing.T) {
	// attack: A URL has a token in its query
	for _, path := range []string{
		"/http://h/?token=sesame", "/http://h/?a=b&sig=sesame&c=d", "/ftp://h/x?access_token=sesame", "/http://h/#token=sesame", "/ftp://u:sesame@h/x",
		"/-/raw?url=http://h/%3Ftoken=sesame", "/-/list?url=http://h/%3Ftoken=sesame", "/-/dav/http://h/?token=sesame", "/-/dav/http://u:sesame@h/", "/telnet://u:sesame@h/?token=sesame%zz",
	} {
		var log bytes.Buffer
		g := &gateway.Gateway{Log: slog.New(slog.NewTextHandler(&log, nil)), Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			next := &access.Error{Op: "read", URL: url.MustParse("http://other/?session_id=sesame"), Err: errors.New("no such session")}
			return nil, &access.Error{Op: "open", URL: req.URL, Err: fmt.Errorf(`redirected to "http://h/?code=sesame": %w`, next)}
		})}
		get := serve(t, g)
		if _, _, err := get("GET", path); err != nil {
			t.Fatalf("GET %s: %v", path, err)
		}
		text := log.String()
		if strings.Contains(text, "sesame") {
			t.Errorf("GET %s is logged as %s", path, text)
		}
		if !strings.HasPrefix(path, "/telnet") && (!strings.Contains(text, "no such session") || !strings.Contains(text, "http://other/")) {
			t.Errorf("GET %s is logged without its reason: %s", path, text)
		}
	}
}

var manyX = bytes.Repeat([]byte("x"), 32<<10)

// endlessBody is a form that is longer than any test reads. It counts the bytes read.
type endlessBody struct {
	read   int64
	before io.Reader
}

func (b *endlessBody) Read(p []byte) (int, error) {
	if b.read > 64<<20 {
		return 0, io.ErrUnexpectedEOF
	}
	n, _ := b.before.Read(p)
	if n == 0 {
		n = copy(p, manyX)
	}
	b.read += int64(n)
	return n, nil
}

// The gateway reads at most maxForm bytes of a form, and at most maxFields bytes of a form without
// files, because it keeps those in memory. Without a form it does not read the body.
func TestAttackForms(t *testing.T) {
	// attack: An endless form is sent to the gateway's own pages | they read only the query; a form may have 1
	// MiB, or 32 MiB with files
	for _, path := range []string{"/-/open?url=x:y", "/-/schemes", "/-/raw?url=x:y", "/-/list?sort=name&url=x:y", "/-/search?url=x:y", "/-/about?url=x:y", "/", "/x:y", "/-/open?url=x://h/../y"} {
		for mediaType, most := range map[string]int64{"multipart/form-data; boundary=b": 33 << 20, "application/x-www-form-urlencoded": 2 << 20} {
			body := &endlessBody{before: strings.NewReader("--b\r\nContent-Disposition: form-data; name=url; filename=f\r\n\r\n")}
			r := httptest.NewRequest(http.MethodPost, "/", body)
			r.Header.Set("Content-Type", mediaType)
			r.RequestURI, r.Host = path, "localhost"
			r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
			w := httptest.NewRecorder()
			(&gateway.Gateway{Engine: resources{"x:y": content("text/plain", "x"), "x://h/../y": content("text/plain", "x")}}).ServeHTTP(w, r)
			if body.read > most || strings.HasPrefix(path, "/-/s") && body.read > 0 {
				t.Errorf("POST %s reads %d bytes of %s", path, body.read, mediaType)
			}
			if body.read > 0 && w.Code != http.StatusRequestEntityTooLarge {
				t.Errorf("POST %s, %s: status %d, want 413", path, mediaType, w.Code)
			}
		}
	}
}

// Content for a proxy's client has the origin of its server. It may not run a script there, and
// pages of other sites cannot load it.
func TestProxyPolicy(t *testing.T) {
	p := newProxy(t, &gateway.Gateway{Engine: resources{"ftp://h/x.zip": content("application/zip", "PK")}})
	resp, body, err := p.ask("GET ftp://h/x.zip HTTP/1.1\nHost: h\n\n")
	if err != nil || body != "PK" {
		t.Fatalf("%q, %v", body, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/zip", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Disposition": "", "Referrer-Policy": "", "Cross-Origin-Opener-Policy": "",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox ") {
		t.Errorf("Content-Security-Policy: %q, want a sandbox", policy)
	}
}
