package get

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/transfer"
	"locus/url"
)

// A Metalink from a public address may refer only to public addresses. A Metalink from this network
// may also refer to this network.
func TestMetalinkAddresses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a.meta4" {
			_, _ = io.WriteString(w, `<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f"><url>http://`+r.Host+`/f</url></file></metalink>`)
			return
		}
		_, _ = io.WriteString(w, "the file at "+r.Host)
	}))
	defer server.Close()
	client := &locus.Client{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) { // connects each address to the server
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}}
	defer client.Close()
	for host, want := range map[string]bool{"1.1.1.1": true, "127.0.0.1": false, "10.0.0.1": false} {
		files, isPublic, err := transfer.GetMetalink(t.Context(), client, &access.Request{URL: url.MustParse("http://" + host + "/a.meta4")})
		if err != nil || isPublic != want || len(files) != 1 || files[0].URLs[0].String() != "http://"+host+"/f" {
			t.Errorf("%s: public %v, %v, %v; want %v", host, isPublic, files, err, want)
		}
	}
	for _, test := range []struct {
		host       string
		publicOnly bool
		ok         bool
	}{{"10.0.0.1", true, false}, {"10.0.0.1", false, true}, {"1.1.1.1", true, true}} {
		e, _ := newEnv(t)
		c, err := e.Client(cli.Access{}, nil)
		if err != nil {
			t.Fatalf("Client for %s: %v", test.host, err)
		}
		c.Dial = client.Dial
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		file := download.File{File: transfer.File{URL: url.MustParse("http://" + test.host + "/f"), Name: "f", PublicOnly: test.publicOnly}}
		err = download.New(e, c, cli.Files{}, 0).Fetch(t.Context(), root, func(yield func(download.File) bool) { yield(file) })
		text, readErr := root.ReadFile("f")
		if (err == nil) != test.ok || (readErr == nil) != test.ok || test.ok && !strings.HasSuffix(string(text), test.host) {
			t.Errorf("the Metalink at %s, public only %v: %v, %q", test.host, test.publicOnly, err, text)
		}
		root.Close()
	}
}
