package gateway_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"locus"
	"locus/demo"
)

// Pages, files, redirects and forms of the demo's gemini server can be opened.
func TestGemini(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	client := &locus.Client{Dial: new(net.Dialer).DialContext}
	defer client.Close()
	g, err := d.Gateway(client, client.DialContext)
	if err != nil {
		t.Fatal(err)
	}
	get := serve(t, g)
	root := "/" + d.Service("gemini").URL
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"", http.StatusOK, "<h1>The little library of locus</h1>"},
		{"", http.StatusOK, `href="` + root + `texts/"`},
		{"texts/", http.StatusOK, "WAIS: ask in words, get documents</a>"},
		{"texts", http.StatusMovedPermanently, ""},
		{"etc/motd", http.StatusOK, "read the manual."},
		{"search", http.StatusOK, "Words to look for"},
		{"search?documents%20score", http.StatusOK, `href="` + root + `texts/wais.txt"`},
		{"locked", http.StatusOK, `type="password"`},
		{"nothing", http.StatusNotFound, "There is no such page"},
	} {
		resp, body, err := get("GET", root+test.path, "Accept: text/html")
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("GET %s: %v, %v, without %q:\n%s", root+test.path, resp.Status, err, test.want, body[:min(len(body), 3000)])
		}
	}
}
