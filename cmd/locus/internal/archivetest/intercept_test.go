package archivetest

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/archive"
	"locus/gateway"
	"locus/proto/web"
	"locus/server"
	"locus/url"
)

func newAuthority(t *testing.T) *server.Authority {
	t.Helper()
	a, err := server.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// trustingClient returns a client that uses the proxy at a URL, and trusts an authority.
func trustingClient(t *testing.T, proxy string, a *server.Authority) *http.Client {
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

// The https requests of a browser are recorded through a gateway. When the server has stopped, they
// are answered from the archive.
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
	root := folder(t)
	w, err := archive.Create(root, "a.warc.gz", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	to := &web.Client{Dial: new(net.Dialer).DialContext, TLS: site.Client().Transport.(*http.Transport).TLSClientConfig}
	defer to.CloseIdleConnections()
	a := newAuthority(t)
	g := &gateway.Gateway{Web: w.Transport(to), TunnelsEndHere: true, TunnelPorts: []uint16{portOf(t, site.URL)}}
	i := &server.Interceptor{Handler: g, Authority: a}
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
