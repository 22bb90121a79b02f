package demo

import (
	"testing"

	"locus/access"
	"locus/url"
)

// The gateway opens the servers of the demo, and nothing else, without a question. It asks before it opens any other
// server or file.
func TestGatewayHarmless(t *testing.T) {
	d := start(t, Config{})
	g, err := d.Gateway(access.Table{}, dialer.DialContext)
	if err != nil {
		t.Fatalf("Gateway: %v", err)
	}
	for _, s := range d.Services() {
		if u := url.MustParse(s.URL); !g.Harmless(u) {
			t.Errorf("Harmless(%s) = false, want true", u)
		}
	}
	addr := d.Service("gopher").Addr
	for _, test := range []struct {
		text string
		want bool
	}{
		{"gopher://" + addr + "/0/README.txt", true},
		{"news:library.texts", true},
		{"mid:lens@demo.example", true},
		{"file:///texts/ftp.txt", true},
		{"file:///etc/passwd", false},
		{"file:///texts", false},
		{"http://example.org/", false},
		{"http://127.0.0.1/", false},
		{"gopher://" + addr + "1/", false},
		{"gopher://localhost.example" + addr[len("127.0.0.1"):] + "/", false},
	} {
		if got := g.Harmless(url.MustParse(test.text)); got != test.want {
			t.Errorf("Harmless(%s) = %v, want %v", test.text, got, test.want)
		}
	}
	for _, l := range g.FrontLinks {
		if !g.Harmless(l.URL) {
			t.Errorf("the front page has a link to %s, about which the gateway would ask", l.URL)
		}
	}
	if len(g.FrontLinks) == 0 || len(g.TunnelPorts) != 1 {
		t.Errorf("the gateway has %d links on its front page, and tunnels to %v, want links, and the port of gopher", len(g.FrontLinks), g.TunnelPorts)
	}
}
