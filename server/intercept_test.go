package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"strings"
	"testing"
	"time"

	"locus/gateway"
)

func authority(t *testing.T) *Authority {
	t.Helper()
	a, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// trustingClient returns a client of the proxy at a URL that trusts an authority.
func trustingClient(t *testing.T, proxy string, a *Authority) *http.Client {
	t.Helper()
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(a.PEM())
	transport := &http.Transport{
		Proxy:              func(*http.Request) (*neturl.URL, error) { return neturl.Parse(proxy) },
		TLSClientConfig:    &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		DisableCompression: true,
		ForceAttemptHTTP2:  true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// More tunnels to a host than it has turns do not block the requests in them.
func TestInterceptorTurns(t *testing.T) {
	a := authority(t)
	const tunnels = 40
	arrived, goOn := make(chan bool, tunnels), make(chan struct{})
	i := &Interceptor{Authority: a, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- true
		<-goOn
		io.WriteString(w, "here")
	})}
	defer i.Close()
	proxy := httptest.NewServer(&gateway.Gateway{Tunnel: i.Tunnel, TunnelsEndHere: true})
	defer proxy.Close()
	client := trustingClient(t, proxy.URL, a)
	client.Transport.(*http.Transport).ForceAttemptHTTP2 = false
	done := make(chan error, tunnels)
	for range tunnels {
		go func() {
			resp, err := client.Get("https://h.example/")
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			done <- err
		}()
	}
	for range tunnels {
		select {
		case <-arrived:
		case err := <-done:
			t.Fatal(err)
		case <-time.After(time.Minute):
			t.Fatal("a request waits for a turn")
		}
	}
	close(goOn)
	for range tunnels {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// Whatever host is named, its certificate is for that host, and only such a client is served.
func TestInterceptorCertificates(t *testing.T) {
	a := authority(t)
	i := &Interceptor{Authority: a, Handler: http.NotFoundHandler()}
	defer i.Close()
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(a.PEM())
	for _, tt := range []struct {
		address, name string
		isRefused     bool
	}{
		{"h.example:443", "h.example", false},
		{"h.example:443", "other.example", false}, // the name that TLS has counts
		{"192.0.2.1:443", "192.0.2.1", false},
		{"[2001:db8::1]:443", "2001:db8::1", false},
		{strings.Repeat("long.", 60) + "example:443", strings.Repeat("long.", 60) + "example", true},
	} {
		conn, err := i.Tunnel(t.Context(), "tcp", tt.address)
		if err != nil {
			t.Fatal(err)
		}
		client := tls.Client(conn, &tls.Config{RootCAs: trusted, ServerName: tt.name, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err = client.HandshakeContext(ctx)
		cancel()
		if (err != nil) != tt.isRefused {
			t.Errorf("%s for %s: %v", tt.address, tt.name, err)
		}
		conn.Close()
	}
	for range 2 * maxCertificates { // each SNI is one
		if _, err := i.certificate(fmt.Sprint(len(i.certificates), ".example")); err != nil {
			t.Fatal(err)
		}
	}
	if len(i.certificates) > maxCertificates {
		t.Errorf("%d certificates are kept", len(i.certificates))
	}
}

// After Close there is no tunnel.
func TestInterceptorClosed(t *testing.T) {
	i := &Interceptor{Authority: authority(t), Handler: http.NotFoundHandler()}
	conn, err := i.Tunnel(t.Context(), "tcp", "h:443")
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an open tunnel after Close: %v", err)
	}
	if _, err := i.Tunnel(t.Context(), "tcp", "h:443"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Tunnel after Close: %v", err)
	}
}

// An authority is read as it was written.
func TestAuthority(t *testing.T) {
	a := authority(t)
	var text bytes.Buffer
	if n, err := a.WriteTo(&text); err != nil || n != int64(text.Len()) {
		t.Fatalf("WriteTo = %d, %v", n, err)
	}
	again, err := ReadAuthority(text.Bytes())
	if err != nil || !again.key.Equal(a.key) || !bytes.Equal(again.PEM(), a.PEM()) {
		t.Errorf("read again: %v", err)
	}
	leaf, err := a.sign("h.example", a.key)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string][]byte{"nothing": nil, "no key": a.PEM(), "a server's": pemOf(t, leaf)} {
		if _, err := ReadAuthority(wrong); err == nil {
			t.Errorf("%s is taken for an authority", name)
		}
	}
}

// A gateway that runs for months never shows a certificate that has expired.
func TestInterceptorRenewal(t *testing.T) {
	i := &Interceptor{Authority: authority(t), Handler: http.NotFoundHandler()}
	i.once.Do(i.start)
	defer i.Close()
	first, err := i.certificate("h.example")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := i.certificate("h.example"); err != nil || again != first {
		t.Errorf("the second certificate is another one: %v", err)
	}
	if first.Leaf, err = x509.ParseCertificate(first.Certificate[0]); err != nil {
		t.Fatal(err)
	}
	first.Leaf.NotAfter = time.Now().Add(time.Hour)
	if again, err := i.certificate("h.example"); err != nil || again == first {
		t.Errorf("a certificate that is valid for an hour is kept: %v", err)
	}
}

// An authority that has expired is refused, because no browser trusts it any more.
func TestExpiredAuthority(t *testing.T) {
	a := authority(t)
	expired := template("locus archive")
	expired.NotBefore, expired.NotAfter = time.Now().AddDate(-1, 0, 0), time.Now().Add(-time.Hour)
	expired.IsCA, expired.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, expired, expired, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	text := pemOf(t, &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key})
	if _, err := ReadAuthority(text); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("it is read: %v", err)
	}
}

// pemOf returns the file of a certificate and its key.
func pemOf(t *testing.T, c *tls.Certificate) []byte {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
	return append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
}
