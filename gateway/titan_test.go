package gateway_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"locus"
	"locus/gateway"
)

// A page says where a page of titan can be read, and does not show the token. Nothing is uploaded, and no server is asked.
func TestTitan(t *testing.T) {
	client := &locus.Client{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("the gateway connects to %s", address)
		return nil, net.ErrClosed
	}}
	defer client.Close()
	get := serve(t, &gateway.Gateway{Engine: client})
	for _, path := range []string{"/titan://h.example/a/x.gmi;mime=text/plain;token=t7k2", "/titan://h.example/a/x.gmi;size=0"} {
		resp, body, err := get("GET", path)
		if err != nil || resp.StatusCode != http.StatusNotImplemented || !strings.Contains(body, "ead the page at gemini://h.example/a/x.gmi") {
			t.Errorf("GET %s: %v, %v:\n%s", path, resp.Status, err, body)
		}
		_, main, _ := strings.Cut(body, "<main")
		if title, _, _ := strings.Cut(body, "</title>"); strings.Contains(title, "t7k2") || strings.Contains(main, ">x.gmi;") {
			t.Errorf("GET %s shows the parameters:\n%s", path, body)
		}
	}
}
