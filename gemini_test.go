package locus

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/internal/certtest"
	"locus/limit"
	"locus/url"
)

// geminiServers returns the Dial of gemini servers, each with a certificate. answer gets the request, and whether the
// client has shown a certificate.
func geminiServers(t *testing.T, answer func(request string, hasCertificate bool) string) Dial {
	own, _ := certtest.New(t)
	config := &tls.Config{Certificates: []tls.Certificate{own}, ClientAuth: tls.RequestClientCert}
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			conn := tls.Server(server, config)
			request, err := bufio.NewReader(conn).ReadString('\n')
			if err == nil {
				io.WriteString(conn, answer(strings.TrimSpace(request), len(conn.ConnectionState().PeerCertificates) > 0))
				conn.CloseWrite()
			}
		}()
		return client, nil
	}
}

// A client certificate is shown to its server only, also if that server redirects to another one.
func TestClientCertificate(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	dial := geminiServers(t, func(request string, hasCertificate bool) string {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(request, " ", hasCertificate))
		switch request {
		case "gemini://h/":
			return "30 gemini://h/next\r\n"
		case "gemini://h/next":
			return "30 gemini://other/\r\n"
		}
		return "20 text/plain\r\nwords"
	})
	own := url.MustParse("gemini://h/")
	certificate, _ := certtest.New(t)
	c := &Client{Dial: dial, Certificate: func(u url.URL) *tls.Certificate {
		if limit.Server(u) == limit.Server(own) {
			return &certificate
		}
		return nil
	}}
	defer c.Close()
	r, err := c.Do(t.Context(), &access.Request{URL: own})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	want := []string{"gemini://h/ true", "gemini://h/next true", "gemini://other/ false"}
	if !slices.Equal(seen, want) {
		t.Errorf("the servers see the certificate in %q, want %q", seen, want)
	}
}

// A request waits as long as the server asks with status 44.
func TestSlowDown(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	dial := geminiServers(t, func(string, bool) string {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 1 {
			return "44 1\r\n"
		}
		return "20 text/plain\r\nwords"
	})
	c := &Client{Dial: dial}
	defer c.Close()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gemini://h/")})
	if err != nil {
		t.Fatalf("after %d requests: %v", asked, err)
	}
	r.Body.Close()
	if asked != 2 {
		t.Errorf("the server gets %d requests, want two", asked)
	}
}

// Redirects that lead in a circle end.
func TestGeminiCircle(t *testing.T) {
	dial := geminiServers(t, func(request string, _ bool) string {
		if strings.HasSuffix(request, "a") {
			return "30 b\r\n"
		}
		return "31 a\r\n"
	})
	c := &Client{Dial: dial}
	defer c.Close()
	if r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gemini://h/a")}); err == nil {
		r.Body.Close()
		t.Error("redirects in a circle give a resource")
	}
}
