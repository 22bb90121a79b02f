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

// Folders and files of an SFTP server can be opened as pages and files, and mounted by WebDAV to be read, not to be
// written.
func TestSFTP(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	client := &locus.Client{Dial: new(net.Dialer).DialContext}
	defer client.Close()
	get := serve(t, &gateway.Gateway{Engine: client})
	addr := strings.TrimSuffix(strings.TrimPrefix(d.Service("sftp").URL, "sftp://"), "/")
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/sftp://" + addr + "/", http.StatusOK, "README.txt</a>"},
		{"GET", "/sftp://" + addr + "/texts", http.StatusOK, "wais.txt</a>"},
		{"GET", "/sftp://" + addr + "/texts/wais.txt", http.StatusOK, "WAIS: ask in words"},
		{"GET", "/sftp://" + addr + "/nothing", http.StatusNotFound, "file does not exist"},
		{"GET", "/sftp://ada@" + addr[strings.IndexByte(addr, '@')+1:] + "/", http.StatusForbidden, "is unknown: ssh-ed25519 SHA256:"},
		{"PROPFIND", "/-/dav/sftp://" + addr + "/texts", http.StatusMultiStatus, "wais.txt|file|wais.txt|625"},
		{"GET", "/-/dav/sftp://" + addr + "/texts/wais.txt", http.StatusOK, "WAIS: ask in words"},
		{"PUT", "/-/dav/sftp://" + addr + "/texts/wais.txt", http.StatusMethodNotAllowed, ""},
		{"DELETE", "/-/dav/sftp://" + addr + "/texts/wais.txt", http.StatusMethodNotAllowed, ""},
		{"MKCOL", "/-/dav/sftp://" + addr + "/new/", http.StatusMethodNotAllowed, ""},
		{"LOCK", "/-/dav/sftp://" + addr + "/texts/wais.txt", http.StatusMethodNotAllowed, ""},
	} {
		resp, body, err := get(test.method, test.path, "Depth: 1")
		if err == nil && test.method == "PROPFIND" {
			body = strings.Join(responses(t, body), "\n")
		}
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s: %v, %v, without %q:\n%s", test.method, test.path, resp.Status, err, test.want, body)
		}
	}
}
