package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

// A connection of HTTP/2 that breaks ends its requests at once, even if the last frames of the server want an answer.
func TestPutBrokenHTTP2(t *testing.T) {
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	const ping = "\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678"
	var failed <-chan struct{}
	s := httptest.NewUnstartedServer(nil)
	s.EnableHTTP2 = true
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			_, _ = io.WriteString(conn, settings)
			<-failed
			_, _ = io.WriteString(conn, ping)
		},
	}
	s.StartTLS()
	defer s.Close()
	roots := &tls.Config{RootCAs: x509.NewCertPool()}
	roots.RootCAs.AddCert(s.Certificate())
	c := &Client{TLS: roots}
	c.Dial, failed = wiretest.FailWrites(dialTo(s.Listener.Addr().String()), 10_000)
	_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader(strings.Repeat("x", 60_000)), Size: 60_000, URL: url.MustParse("https://example.com/f?x")})
	if err == nil || wire.IsTimeout(err) {
		t.Errorf("Put over a broken connection = %v, want an error that is not a timeout", err)
	}
}

// A connection with TLS may break before the client says that it closes the connection. The request still ends.
func TestCloseBrokenTLS(t *testing.T) {
	var broken atomic.Bool
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("Hijack = %v", err)
			return
		}
		broken.Store(true)
		_, _ = io.WriteString(conn, "not HTTP\r\n\r\n")
		conn.Close()
	}))
	defer s.Close()
	roots := &tls.Config{RootCAs: x509.NewCertPool()}
	roots.RootCAs.AddCert(s.Certificate())
	dial := dialTo(s.Listener.Addr().String())
	c := &Client{TLS: roots, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return breakingConn{conn, &broken}, err
	}}
	ended := make(chan error)
	go func() {
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("https://example.com/f")})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, access.ErrProtocol) {
			t.Errorf("Get over a broken connection = %v, want access.ErrProtocol", err)
		}
	case <-time.After(time.Minute):
		t.Error("Get over a broken connection does not end")
	}
}

// A breakingConn is a connection whose Write fails once broken is true.
type breakingConn struct {
	net.Conn
	broken *atomic.Bool
}

func (c breakingConn) Write(p []byte) (int, error) {
	if c.broken.Load() {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: errors.New("connection reset by peer")}
	}
	return c.Conn.Write(p)
}
