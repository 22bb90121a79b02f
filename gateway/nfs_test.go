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

// Folders and files of an NFS server are pages, files, and folders of WebDAV.
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
	for _, tt := range []struct {
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
		resp, body, err := get(tt.method, tt.path, "Depth: 1")
		if err == nil && tt.method == "PROPFIND" {
			body = strings.Join(responses(t, body), "\n")
		}
		if err != nil || resp.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: %v, %v, without %q", tt.method, tt.path, resp.Status, err, tt.want)
		}
	}
}
