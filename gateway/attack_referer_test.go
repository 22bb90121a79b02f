package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
)

// The Referer gives trust in the server that the gateway has opened for the same text in a path, although another
// reader, which decodes and encodes the path, finds another server in it.
func TestAttackReferers(t *testing.T) {
	// attack: The address of a page has an escaped slash and a vertical bar, so that a reader finds a private
	// host in the Referer, and the gateway opened the page from another host | the Referer is read like a path, byte for
	// byte
	for _, test := range []struct {
		referer, path string
		opens         bool
	}{
		{"/http://127.0.0.1:7070%2F@evil.example/|", "/http://127.0.0.1:7070/reboot", false},
		{"/http://127.0.0.1%3A7070%2F@evil.example/|", "/http://127.0.0.1:7070/reboot", false},
		{"/http://127.0.0.1%3A7070%3F@evil.example/|", "/http://127.0.0.1:7070/reboot", false},
		{"/http://127.0.0.1%3A7070%23@evil.example/{}", "/http://127.0.0.1:7070/reboot", false},
		{"/gopher://127.0.0.1%3A7070%2F@evil.example/h|", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"/gopher%3A//127.0.0.1:7070/|", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"/-/dav/http://127.0.0.1%3A7070%2F@evil.example/|", "/http://127.0.0.1:7070/reboot", false},
		{"/%2D/raw?url=gopher://127.0.0.1:7070/", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"/x:/..%2F|/../-/raw?url=gopher://127.0.0.1:7070/", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"/http://evil.example/|?url=gopher://127.0.0.1:7070/", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"/http://evil.example/%2E%2E/%2E%2E/gopher://127.0.0.1:7070/|", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"?/gopher://127.0.0.1:7070/", "/gopher://127.0.0.1:7070/0SHUTDOWN", false},
		{"/gopher://127.0.0.1:7070/1a%7Cb%2Fc", "/gopher://127.0.0.1:7070/0b", true},
		{"/http://127.0.0.1:7070/a%2Fb|c?d|e", "/http://127.0.0.1:7070/b", true},
		{"/-/raw?url=http%3A%2F%2F127.0.0.1%3A7070%2Fa|b", "/http://127.0.0.1:7070/b", true},
		{"/-/dav/ftp://127.0.0.1/a%7Cb%2Fc/", "/-/dav/ftp://127.0.0.1/a", true},
	} {
		opened := 0
		server := httptest.NewServer(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			opened++
			return content("text/plain", "text")(req)
		})})
		resp, body, err := askAt(t, server.URL, http.MethodGet, test.path, picture+"Referer: "+server.URL+test.referer)
		server.Close()
		if asks := strings.Contains(body, "/-/confirmed?ticket="); err != nil || asks == test.opens || (opened > 0) != test.opens {
			t.Errorf("a picture at %s in the page %s = %d, %v; it asks: %v, and opened %d, want that it opens: %v", test.path, test.referer, resp.StatusCode, err, asks, opened, test.opens)
		}
	}
}
