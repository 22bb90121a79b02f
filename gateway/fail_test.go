package gateway_test

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"locus/gateway"
)

// style finds the style inside a page.
var style = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

// A proxy's client gets an error page of the gateway. The page contains its style, and its policy has
// the hash of the style.
func TestFailForProxy(t *testing.T) {
	p := newProxy(t, &gateway.Gateway{Web: refuser{}})
	resp, body, err := p.ask("GET http://h.example/x HTTP/1.1\nHost: h.example\n\n")
	if err != nil || resp.StatusCode != http.StatusBadGateway {
		t.Fatalf("GET http://h.example/x = %v, %v, want %d", resp.Status, err, http.StatusBadGateway)
	}
	if regexp.MustCompile(`<link|<script| src=`).MatchString(body) {
		t.Errorf("the page wants more from h.example:\n%s", body)
	}
	found := style.FindStringSubmatch(body)
	if found == nil || !strings.Contains(found[1], "color-scheme: light dark") {
		t.Fatalf("the page has no style:\n%s", body)
	}
	hash := sha256.Sum256([]byte(found[1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; form-action http://" + p.addr +
		"; base-uri 'none'; frame-ancestors 'none'"
	if got := resp.Header.Get("Content-Security-Policy"); got != want {
		t.Errorf("its policy is %q\nwant %q", got, want)
	}
	if !strings.Contains(body, `<form action="http://`+p.addr+`/-/open"`) {
		t.Errorf("its field is not sent to the gateway:\n%s", body)
	}
	resp, body, err = p.ask("GET /x://h/ HTTP/1.1\nHost: $PROXY\n\n")
	if err != nil || style.MatchString(body) || !strings.Contains(body, `href="/-/style.css"`) || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "style-src 'self'") {
		t.Errorf("a browser at the gateway has it in the page too: %v, %v\n%s", err, resp.Header, body)
	}
}

// The error page of a proxy with TLS uses the name in its certificate.
func TestFailForProxyTLS(t *testing.T) {
	for _, test := range []struct {
		names []string
		host  string // "": its address
	}{
		{nil, ""},
		{[]string{"gate.example", "other.example"}, "gate.example"},
	} {
		server := httptest.NewTLSServer(&gateway.Gateway{Web: refuser{}, Names: test.names})
		address := server.Listener.Addr().String()
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // of a test
		if err != nil {
			t.Fatalf("names %q: dial %s: %v", test.names, address, err)
		}
		io.WriteString(conn, "GET http://h.example/x HTTP/1.1\r\nHost: h.example\r\nConnection: close\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("names %q: read the response: %v", test.names, err)
		}
		body, err := io.ReadAll(resp.Body)
		want := "https://" + address
		if test.host != "" {
			_, port, _ := net.SplitHostPort(address)
			want = "https://" + test.host + ":" + port
		}
		if err != nil || !strings.Contains(string(body), `<form action="`+want+`/-/open"`) || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "form-action "+want+";") {
			t.Errorf("with the names %q it is not at %s: %v, %v\n%s", test.names, want, err, resp.Header, body)
		}
		conn.Close()
		server.Close()
	}
}
