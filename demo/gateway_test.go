package demo

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strings"
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

// Over IPv6, too, the gateway opens the servers of the demo without a question.
func TestGatewayHarmlessIPv6(t *testing.T) {
	d, err := Start(t.Context(), Config{Host: "::1", Listen: func(string, string) (net.Listener, error) {
		return &fakeListener{closed: make(chan struct{}), ip: net.IPv6loopback}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g, err := d.Gateway(access.Table{}, dialer.DialContext)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		d.Service("ftp").URL: true, "gopher://[::1]:4000/0/a": true, "gopher://[::1]:4001/": false, "gopher://[::2]:4000/": false, "gopher://127.0.0.1:4000/": false,
	} {
		if got := g.Harmless(url.MustParse(text)); got != want {
			t.Errorf("Harmless(%s) = %v, want %v", text, got, want)
		}
	}
}

// The front page has links only to servers that run.
func TestExamplesWithoutUDP(t *testing.T) {
	d, err := Start(t.Context(), Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, e := range d.Examples() {
		if strings.Contains(e.URL, ":///") && !strings.HasPrefix(e.URL, "file:///") || strings.HasPrefix(e.URL, "prospero:") {
			t.Errorf("the example %q leads to %s, which is not served", e.Title, e.URL)
		}
	}
	if all := start(t, Config{}).Examples(); len(all) != len(d.Examples())+1 {
		t.Errorf("%d of %d examples need no UDP, want all but one", len(d.Examples()), len(all))
	}
}

// The engine for names redirects the one name that it knows, in any case of letters, to a text that the demo serves.
func TestNames(t *testing.T) {
	d := start(t, Config{})
	for _, test := range []struct {
		name string
		want error // nil: a redirect
	}{
		{Named, nil},
		{"URN:IETF:rfc:1738", nil},
		{"urn:ietf:rfc:17380", fs.ErrNotExist},
		{"urn:isbn:0451450523", fs.ErrNotExist},
		{"urn:", fs.ErrNotExist},
	} {
		r, err := d.Names().Do(t.Context(), &access.Request{URL: url.MustParse(test.name)})
		moved, isMoved := errors.AsType[*access.Moved](err)
		if r != nil || isMoved != (test.want == nil) || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("Do(%s) = %v, %v, want a redirect: %v", test.name, r, err, test.want == nil)
		}
		if isMoved && moved.To.String() != d.Service("http").URL+"texts/rfc1738.txt" {
			t.Errorf("Do(%s) leads to %s", test.name, moved.To)
		}
	}
	resp, err := http.Get(d.Locate())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("GET %s = %s, want the text", d.Locate(), resp.Status)
	}
}
