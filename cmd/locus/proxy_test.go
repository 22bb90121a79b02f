package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// proxyHost is a host that only the proxies of these tests know. They connect to this machine for
// it, so a connection to it has come through a proxy.
const proxyHost = "behind.invalid"

// newSOCKS starts a SOCKS5 proxy (RFC 1928) for the user ada, whose password is
// sesame (RFC 1929), and returns its address.
func newSOCKS(t *testing.T) string { return listen(t, socks) }

// newHTTPProxy starts an HTTP proxy for the same user. It makes tunnels, and answers other requests
// with their first line.
func newHTTPProxy(t *testing.T) string { return listen(t, httpProxy) }

func listen(t *testing.T, serve func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return l.Addr().String()
}

func socks(c net.Conn) {
	r := bufio.NewReader(c)
	take := func(n int) string {
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			c.Close()
		}
		return string(b)
	}
	counted := func() string { return take(int(take(1)[0])) }
	if take(1) != "\x05" || !strings.Contains(counted(), "\x02") {
		io.WriteString(c, "\x05\xff")
		return
	}
	io.WriteString(c, "\x05\x02")
	take(1)
	if user, password := counted(), counted(); user+password != "adasesame" {
		io.WriteString(c, "\x01\x01")
		return
	}
	io.WriteString(c, "\x01\x00")
	var host string
	switch take(4) {
	case "\x05\x01\x00\x01":
		host = net.IP(take(4)).String()
	case "\x05\x01\x00\x03":
		host = counted()
	default:
		return
	}
	port := take(2)
	io.WriteString(c, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
	relay(c, r, fmt.Sprintf("%s:%d", host, int(port[0])<<8|int(port[1])))
}

func httpProxy(c net.Conn) {
	r := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:sesame"))
		switch {
		case req.Header.Get("Proxy-Authorization") != want:
			io.WriteString(c, "HTTP/1.1 407 Who Are You\r\nContent-Length: 0\r\n\r\n")
		case req.Method == http.MethodConnect:
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			relay(c, r, req.Host)
			return
		case strings.HasPrefix(req.RequestURI, "nntp:"): // as squid answers
			io.WriteString(c, "HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n")
		default:
			text := req.Method + " " + req.RequestURI + "\n"
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		}
	}
}

// relay connects c with an address. r has read the beginning of c.
func relay(c net.Conn, r io.Reader, address string) {
	there, err := net.Dial("tcp", strings.Replace(address, proxyHost, "127.0.0.1", 1))
	if err != nil {
		return
	}
	go func() {
		io.Copy(there, r)
		there.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(c, there)
	there.Close()
}
