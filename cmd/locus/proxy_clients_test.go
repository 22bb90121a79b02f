package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"locus"
	"locus/demo"
	"locus/gateway"
	"locus/internal/peers"
)

// curl, wget and lynx use the gateway as a proxy for the web, and for the other schemes that they
// send to a proxy.
//
// req: 1630-http-1, 1738-4-2
func TestProxyClients(t *testing.T) {
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	at := map[string]string{}
	var ports []uint16
	for _, s := range d.Services() {
		at[s.Scheme] = strings.TrimSuffix(s.URL, "/")
		ports = append(ports, portAt(t, s.Addr))
	}
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "over TLS\n") }))
	defer secure.Close()

	var dialer net.Dialer
	asked := make(chan string, 64)
	g := &gateway.Gateway{
		Engine: &locus.Client{Dial: dialer.DialContext, AllowPorts: ports}, Web: gateway.Transport(dialer.DialContext),
		Tunnel: dialer.DialContext, TunnelPorts: append(ports, portAt(t, secure.Listener.Addr().String())),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.RequestURI
		g.ServeHTTP(w, r)
	}))
	defer server.Close()
	env := []string{"no_proxy="}
	for _, scheme := range []string{"http", "https", "ftp", "gopher", "wais"} {
		env = append(env, scheme+"_proxy="+server.URL+"/")
	}

	for _, test := range []struct {
		name string
		run  func(testing.TB, []string, ...string) (string, error)
		args []string
		want string // a part of the output
	}{
		{"curl http", peers.Curl, []string{at["http"] + "/texts/rfc1738.txt"}, "RFC 1738"},
		{"curl http encoded", peers.Curl, []string{at["http"] + "/awkward/number%23sign.txt"}, "\n"},
		{"curl http range", peers.Curl, []string{"-r", "0-9", "-i", at["http"] + "/README.txt"}, "Content-Range: bytes 0-9/"},
		{"curl http head", peers.Curl, []string{"-I", at["http"] + "/README.txt"}, "200 OK"},
		{"curl https", peers.Curl, []string{"-k", secure.URL}, "over TLS"},
		{"curl ftp", peers.Curl, []string{"-x", server.URL, at["ftp"] + "/README.txt"}, "The little library"},
		{"curl ftp range", peers.Curl, []string{"-x", server.URL, "-i", "-r", "4-9", at["ftp"] + "/README.txt;type=i"}, "Content-Range: bytes 4-9/"},
		{"curl ftp last bytes", peers.Curl, []string{"-x", server.URL, "-i", "-r", "-6", at["ftp"] + "/README.txt;type=i"}, "Content-Range: bytes 653-658/659"},
		{"curl ftp listing", peers.Curl, []string{"-x", server.URL, at["ftp"] + "/"}, "README.txt"},
		{"curl ftp with a password", peers.Curl, []string{"-x", server.URL, strings.Replace(at["ftp"], "//", "//demo:demo@", 1) + "/notes.txt"}, "\n"},
		{"curl gopher", peers.Curl, []string{"-x", server.URL, at["gopher"] + "/0/texts/gopher.txt"}, "opher"},
		{"wget http", peers.Wget, []string{at["http"] + "/README.txt"}, "The little library"},
		{"wget https", peers.Wget, []string{"--no-check-certificate", secure.URL}, "over TLS"},
		{"wget ftp", peers.Wget, []string{at["ftp"] + "/README.txt"}, "The little library"},
		{"wget ftp listing", peers.Wget, []string{at["ftp"] + "/texts/"}, `href="ftp://`},
		{"lynx http", peers.Lynx, []string{"-dump", at["http"] + "/README.txt"}, "The little library"},
		{"lynx ftp", peers.Lynx, []string{"-dump", at["ftp"] + "/README.txt"}, "The little library"},
		{"lynx ftp listing", peers.Lynx, []string{"-dump", at["ftp"] + "/texts/"}, at["ftp"] + "/texts/rfc1738.txt"},
		{"lynx gopher", peers.Lynx, []string{"-dump", at["gopher"] + "/"}, at["gopher"] + "/0/"},
		{"lynx gopher text", peers.Lynx, []string{"-dump", at["gopher"] + "/0/texts/gopher.txt"}, "opher"},
		{"lynx wais", peers.Lynx, []string{"-dump", at["wais"] + "/library?gopher"}, at["wais"] + "/library/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := test.run(t, env, test.args...)
			if err != nil || !strings.Contains(out, test.want) {
				t.Errorf("%q writes %q, %v, want %q", test.args, out, err, test.want)
			}
			select {
			case <-asked:
				for len(asked) > 0 {
					<-asked
				}
			default:
				t.Errorf("%q did not use the gateway", test.args)
			}
		})
	}
}

// portAt returns the port of an address.
func portAt(t *testing.T, addr string) uint16 {
	t.Helper()
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return at.Port()
}
