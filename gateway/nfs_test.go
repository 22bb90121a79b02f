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

// Folders and files of an NFS server can be opened as pages and files, and mounted by WebDAV.
func TestNFS(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	client := &locus.Client{Dial: new(net.Dialer).DialContext}
	defer client.Close()
	get := serve(t, &gateway.Gateway{Engine: client})
	addr := d.Service("nfs").Addr
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/nfs://" + addr + "/", http.StatusOK, "README.txt</a>"},
		{"GET", "/nfs://" + addr + "/texts", http.StatusOK, "wais.txt</a>"},
		{"GET", "/nfs://" + addr + "/texts/wais.txt", http.StatusOK, "WAIS: ask in words"},
		{"GET", "/nfs://" + addr + "/nothing", http.StatusNotFound, "no such file or directory"},
		{"PROPFIND", "/-/dav/nfs://" + addr + "/texts", http.StatusMultiStatus, "wais.txt|file|wais.txt|625"},
	} {
		resp, body, err := get(test.method, test.path, "Depth: 1")
		if err == nil && test.method == "PROPFIND" {
			body = strings.Join(responses(t, body), "\n")
		}
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s: %v, %v, without %q", test.method, test.path, resp.Status, err, test.want)
		}
	}
}
