package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"locus/gateway"
)

// MaxSize does not bound a tunnel.
func TestTunnelMaxSize(t *testing.T) {
	sent := strings.Repeat("0123456789", 1000)
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		io.WriteString(far, sent)
	}()
	g := &gateway.Gateway{MaxSize: 1, Tunnel: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
	conn, err := net.Dial("tcp", newProxy(t, g).addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n\r\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect})
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("CONNECT = %v, %v", resp, err)
	}
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(in, got); err != nil || string(got) != sent {
		t.Errorf("%d bytes came, want %d: %v", len(strings.TrimRight(string(got), "\x00")), len(sent), err)
	}
}
