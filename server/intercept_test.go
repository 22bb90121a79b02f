package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"locus/gateway"
	"locus/internal/certtest"
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

// A tunnel takes no turn of its host, so more tunnels than turns do not block the requests in them.
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

// The certificate is for the host that TLS names, or else for the host of the CONNECT.
func TestInterceptorCertificates(t *testing.T) {
	a := authority(t)
	i := &Interceptor{Authority: a, Handler: http.NotFoundHandler()}
	defer i.Close()
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(a.PEM())
	for _, test := range []struct {
		address, name string
		isRefused     bool
	}{
		{"h.example:443", "h.example", false},
		{"h.example:443", "other.example", false}, // the name in TLS counts
		{"192.0.2.1:443", "192.0.2.1", false},
		{"[2001:db8::1]:443", "2001:db8::1", false},
		{strings.Repeat("long.", 60) + "example:443", strings.Repeat("long.", 60) + "example", true},
	} {
		conn, err := i.Tunnel(t.Context(), "tcp", test.address)
		if err != nil {
			t.Fatalf("%s: %v", test.address, err)
		}
		client := tls.Client(conn, &tls.Config{RootCAs: trusted, ServerName: test.name, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err = client.HandshakeContext(ctx)
		cancel()
		if (err != nil) != test.isRefused {
			t.Errorf("%s for %s: %v", test.address, test.name, err)
		}
		conn.Close()
	}
	for range 2 * maxCertificates { // each SNI adds a certificate
		if _, err := i.certificate(fmt.Sprint(len(i.certificates), ".example")); err != nil {
			t.Fatal(err)
		}
	}
	if len(i.certificates) > maxCertificates {
		t.Errorf("%d certificates are kept, want at most %d", len(i.certificates), maxCertificates)
	}
}

// A Server logs the requests in tunnels, with the client and the user of the tunnel. It asks
// for the login once, not in the tunnel.
func TestInterceptorLog(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("sesame"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	users, err := ParseUsers("ada:" + string(hash))
	if err != nil {
		t.Fatal(err)
	}
	lines := make(lineWriter, 16)
	addresses := make(chan string, 8)
	g := &gateway.Gateway{TunnelsEndHere: true, Web: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTeapot, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("tea"))}, nil
	})}
	s := &Server{Handler: g, Proxy: true, Users: users, Log: slog.New(slog.NewTextHandler(lines, nil))}
	i := &Interceptor{Authority: authority(t), Handler: s}
	defer i.Close()
	g.Tunnel = i.Tunnel
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses <- r.RemoteAddr
		s.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	client := trustingClient(t, strings.Replace(proxy.URL, "//", "//ada:sesame@", 1), i.Authority)
	resp, err := client.Get("https://h.example/a?b")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot {
		t.Fatalf("the status is %s", resp.Status)
	}
	want := `msg=answered client=` + <-addresses + ` user=ada method=GET target=https://h.example/a?b status=418`
	for logged := ""; !strings.Contains(logged, want); {
		select {
		case line := <-lines:
			logged += strings.ReplaceAll(line, `"`, "")
		case <-time.After(time.Minute):
			t.Fatalf("the log is\n%s\nwant %s", logged, want)
		}
	}
	// A client that has not logged in gets no tunnel.
	stranger := trustingClient(t, proxy.URL, i.Authority)
	if resp, err := stranger.Get("https://h.example/"); err == nil {
		t.Errorf("without a login: %s", resp.Status)
	}
}

// Requests in tunnels count for the client of the tunnel. The tunnels themselves do not count.
func TestInterceptorPerClient(t *testing.T) {
	arrived, goOn := make(chan bool, 2), make(chan struct{})
	g := &gateway.Gateway{MaxPerClient: 1, TunnelsEndHere: true, Web: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/slow" {
			arrived <- true
			<-goOn
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
	})}
	s := &Server{Handler: g, Proxy: true}
	i := &Interceptor{Authority: authority(t), Handler: s}
	defer i.Close()
	g.Tunnel = i.Tunnel
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Other") != "" {
			r.RemoteAddr = "192.0.2.1:1234"
		}
		s.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	clients := []*http.Client{trustingClient(t, proxy.URL, i.Authority), trustingClient(t, proxy.URL, i.Authority), trustingClient(t, proxy.URL, i.Authority)}
	clients[2].Transport.(*http.Transport).ProxyConnectHeader = http.Header{"X-Other": {"yes"}}
	done := make(chan error, 1)
	go func() {
		resp, err := clients[0].Get("https://h.example/slow")
		if err == nil {
			resp.Body.Close()
		}
		done <- err
	}()
	select {
	case <-arrived:
	case err := <-done:
		t.Fatalf("the first request: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("the first request does not arrive")
	}
	for n, want := range map[int]int{1: http.StatusTooManyRequests, 2: http.StatusOK} {
		resp, err := clients[n].Get("https://h.example/")
		if err != nil {
			t.Errorf("client %d: %v", n, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("client %d: %s, want %d", n, resp.Status, want)
		}
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A lineWriter sends each written line to a channel.
type lineWriter chan string

func (w lineWriter) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

// roundTrip is an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Close ends open tunnels and refuses new ones.
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

// ReadAuthority reads the two texts that an Authority writes. The text of the certificate has no key.
func TestAuthority(t *testing.T) {
	a := authority(t)
	key, err := a.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadAuthority(a.PEM(), key)
	if err != nil || !bytes.Equal(again.PEM(), a.PEM()) {
		t.Fatalf("read again: %v", err)
	}
	if text, err := again.KeyPEM(); err != nil || !bytes.Equal(text, key) {
		t.Errorf("the key read again: %v", err)
	}
	if bytes.Contains(a.PEM(), []byte("PRIVATE")) || bytes.Contains(key, []byte("CERTIFICATE")) {
		t.Errorf("the certificate and the key are\n%s\n%s", a.PEM(), key)
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := a.sign("h.example", leafKey)
	if err != nil {
		t.Fatal(err)
	}
	leafPEM, leafKeyPEM := certtest.PEM(t, *leaf)
	for _, test := range []struct {
		name             string
		certificate, key []byte
		want             string
	}{
		{"nothing", nil, nil, "failed to find any PEM data in certificate input"},
		{"no key", a.PEM(), nil, "failed to find any PEM data in key input"},
		{"the key of another", a.PEM(), leafKeyPEM, "private key does not match public key"},
		{"a server's", leafPEM, leafKeyPEM, "does not belong to an authority"},
		{"both in one", slices.Concat(a.PEM(), key), key, ErrKeyInCertificate.Error()},
	} {
		if _, err := ReadAuthority(test.certificate, test.key); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// An authority with an RSA key, such as mkcert makes, signs certificates, too.
func TestAuthorityRSA(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	root := template("mkcert development CA")
	root.NotAfter = time.Now().AddDate(10, 0, 0)
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, root, root, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ReadAuthority(certtest.PEM(t, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}))
	if err != nil {
		t.Fatal(err)
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := a.sign("h.example", leafKey)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(a.PEM())
	if _, err := leaf.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: "h.example"}); err != nil {
		t.Error(err)
	}
}

// A gateway that runs for months renews certificates before they expire.
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

// ReadAuthority refuses an expired authority, because browsers do not trust it any more.
func TestExpiredAuthority(t *testing.T) {
	a := authority(t)
	expired := template("locus archive")
	expired.NotBefore, expired.NotAfter = time.Now().AddDate(-1, 0, 0), time.Now().Add(-time.Hour)
	expired.IsCA, expired.BasicConstraintsValid = true, true
	der, err := x509.CreateCertificate(rand.Reader, expired, expired, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAuthority(certtest.PEM(t, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key})); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("it is read: %v", err)
	}
}

// Pages of the gateway in a tunnel link to the gateway at the address of the proxy.
func TestInterceptorPages(t *testing.T) {
	for _, isTLS := range []bool{false, true} {
		g := &gateway.Gateway{TunnelsEndHere: true, Web: roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("no such host")
		})}
		s := &Server{Handler: g, Proxy: true}
		i := &Interceptor{Authority: authority(t), Handler: s}
		defer i.Close()
		g.Tunnel = i.Tunnel
		proxy := httptest.NewUnstartedServer(s)
		if isTLS {
			proxy.StartTLS()
		} else {
			proxy.Start()
		}
		defer proxy.Close()
		client := trustingClient(t, proxy.URL, i.Authority)
		if isTLS {
			client.Transport.(*http.Transport).TLSClientConfig.RootCAs.AddCert(proxy.Certificate())
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://h.example/a", nil)
		if err != nil {
			t.Fatalf("isTLS %t: %v", isTLS, err)
		}
		req.Header.Set("Accept", "text/html")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("isTLS %t: %v", isTLS, err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(text), `href="`+proxy.URL+`/-/schemes"`) {
			t.Errorf("TLS %v: %s, %v, without a link to %s:\n%s", isTLS, resp.Status, err, proxy.URL, text)
		}
	}
}
