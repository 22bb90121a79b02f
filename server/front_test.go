package server_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/demo"
	"locus/gateway"
	"locus/internal/peers"
	"locus/server"
)

// The sample configurations of nginx and Caddy pass requests on unchanged, including terminal sessions.
func TestFronts(t *testing.T) {
	pair, certificate := selfSigned(t)
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string][]byte{"cert.pem": certificate, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	var dialer net.Dialer
	client := &locus.Client{Dial: dialer.DialContext}
	t.Cleanup(func() { client.Close() })
	at := start(t, &server.Server{Handler: &gateway.Gateway{Engine: client, Names: []string{"gate.example.org"}}}).at
	sample := func(name string, replace ...string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../release/files", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer(append(replace, "127.0.0.1:1738", at)...).Replace(string(text))
	}
	for name, front := range map[string]*peers.Server{
		"nginx": peers.NginxFile(t, folder, func(port uint16) string {
			return sample("nginx.conf", "listen 443 ssl", fmt.Sprintf("listen 127.0.0.1:%d ssl", port), "/etc/ssl/gate.example.org", folder)
		}),
		"Caddy": peers.CaddyFile(t, folder, func(port uint16) string {
			return sample("Caddyfile", "\ngate.example.org {", fmt.Sprintf("\nhttps://gate.example.org:%d {\n bind 127.0.0.1\n tls %s/cert.pem %[2]s/key.pem", port, folder))
		}),
	} {
		for path, want := range map[string]string{
			d.Service("gopher").URL + "0/etc/motd":                      "read the manual",
			d.Service("ftp").URL + "awkward/semi%3Bcolon.txt":           "A semicolon",
			"ftp://demo:demo@" + d.Service("ftp").Addr + "/%2Fetc/motd": "read the manual",
		} {
			status, body := throughFront(t, front.Addr, "/"+path, "")
			if !strings.HasPrefix(status, "200") || !strings.Contains(body, want) {
				t.Errorf("%s: /%s: %s %.300q, want %q", name, path, status, body, want)
			}
		}
		session := "/-/session?url=" + d.Service("telnet").URL
		if status, _ := throughFront(t, front.Addr, session, "https://"+hostAt(front.Addr)); !strings.HasPrefix(status, "101") {
			t.Errorf("%s: a session from its own page: %s", name, status)
		}
		if status, _ := throughFront(t, front.Addr, session, "https://evil.example"); !strings.HasPrefix(status, "403") {
			t.Errorf("%s: a session from a page of another site: %s", name, status)
		}
	}
}

// hostAt returns the Host that a browser sends to a front.
func hostAt(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return "gate.example.org:" + port
}

// throughFront asks a front for a path, without changing the path. If origin is not empty, it asks for a WebSocket,
// as a page of origin that opens a session does.
func throughFront(t *testing.T, addr, path, origin string) (status, body string) {
	t.Helper()
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, ServerName: "gate.example.org"}} // the test is not about the certificate
	conn, err := dialer.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	request := "GET " + path + " HTTP/1.1\r\nHost: " + hostAt(addr) + "\r\n"
	if origin != "" {
		request += "Origin: " + origin + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.Status, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Status, string(text)
}
