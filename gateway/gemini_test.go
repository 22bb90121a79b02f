package gateway_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"locus"
	"locus/demo"
	"locus/gateway"
)

// A program gets the pages, files, redirects and forms of the demo's gemini server.
func TestGemini(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	client := &locus.Client{Dial: new(net.Dialer).DialContext}
	defer client.Close()
	get := serve(t, &gateway.Gateway{Engine: client})
	root := "/" + d.Service("gemini").URL
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"", http.StatusOK, "\n=> /texts/ texts/\n"},
		{"texts/", http.StatusOK, " WAIS: ask in words, get documents\n"},
		{"texts", http.StatusOK, " A short timeline\n"}, // after a redirect,
		{"etc/motd", http.StatusOK, "read the manual."},
		{"search", http.StatusOK, "Words to look for"},
		{"search?documents%20score", http.StatusOK, "=> /texts/wais.txt "},
		{"locked", http.StatusOK, `type="password"`},
		{"nothing", http.StatusNotFound, "There is no such page"},
	} {
		resp, body, err := get("GET", root+test.path)
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("GET %s: %v, %v, without %q:\n%s", root+test.path, resp.Status, err, test.want, body[:min(len(body), 3000)])
		}
	}
}
