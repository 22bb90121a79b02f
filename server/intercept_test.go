package server

import (
	"bytes"
	"context"
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
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/archive"
	"locus/gateway"
	"locus/proto/web"
	"locus/url"
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

// What a browser asks for over https is recorded through a gateway, and answered from the
// archive when the server is gone.
func TestInterceptorRecords(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.RequestURI, body)
	}))
	site.EnableHTTP2 = true
	site.StartTLS()
	defer site.Close()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w, err := archive.Create(root, "a.warc.gz", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	to := &web.Client{Dial: new(net.Dialer).DialContext, TLS: site.Client().Transport.(*http.Transport).TLSClientConfig}
	defer to.CloseIdleConnections()
	a := authority(t)
	g := &gateway.Gateway{Web: w.Transport(to), TunnelsEndHere: true, TunnelPorts: []uint16{portOf(t, site.URL)}}
	i := &Interceptor{Handler: g, Authority: a}
	defer i.Close()
	g.Tunnel = i.Tunnel
	proxy := httptest.NewServer(g)
	defer proxy.Close()
	client := trustingClient(t, proxy.URL, a)
	host := strings.TrimPrefix(site.URL, "https://")
	for _, path := range []string{"/", "/a%2Fb?x=%41", "//double"} {
		resp, err := client.Get(site.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if body := read(t, resp); body != "GET "+host+" "+path+" " || resp.Header.Get("Via") == "" {
			t.Errorf("%s: %q, Via %q", path, body, resp.Header.Get("Via"))
		}
	}
	resp, err := client.Post(site.URL+"/form", "text/plain", strings.NewReader("Ada"))
	if err != nil {
		t.Fatal(err)
	}
	if body := read(t, resp); body != "POST "+host+" /form Ada" {
		t.Errorf("POST: %q", body)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	site.Close()
	replay, err := archive.Open(root, "a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := replay.Do(t.Context(), &access.Request{URL: url.MustParse(site.URL + "/a%2Fb?x=%41")}); err != nil {
		t.Error(err)
	} else if body, err := io.ReadAll(r.Body); err != nil || string(body) != "GET "+host+" /a%2Fb?x=%41 " {
		t.Errorf("recorded: %q, %v", body, err)
	}
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

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func portOf(t *testing.T, text string) uint16 {
	t.Helper()
	port, _ := url.MustParse(text).Port()
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(n)
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
