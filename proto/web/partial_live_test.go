package web

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/internal/peers"
)

// Of the servers that accept files, only Apache writes a part (PUT with Content-Range) into the
// file, and no response says that it does. nginx and lighttpd refuse a part. RFC 9110 §14.5 warns
// of servers that take the part for the whole file. So no upload is resumed, see doc/deploy.md.
func TestServersAndPartialPut(t *testing.T) {
	for _, test := range []struct {
		name   string
		start  func(testing.TB, string) *peers.Server
		dir    string
		status int
		want   string // the content of the file after the part
	}{
		{"nginx", peers.Nginx, "dav", http.StatusNotImplemented, "0123456789"},
		{"apache", peers.Apache, "dav", http.StatusNoContent, "0123456789abcde"},
		{"lighttpd", peers.LighttpdDAV, "www", http.StatusBadRequest, "0123456789"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for _, name := range []string{filepath.Dir(root), root} {
				if err := os.Chmod(name, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(root, test.dir)
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			at := "http://" + test.start(t, root).Addr + "/" + test.dir + "/file"
			put := func(body, contentRange string) int {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, at, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				if contentRange != "" {
					r.Header.Set("Content-Range", contentRange)
				}
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				_, _ = io.Copy(io.Discard, resp.Body)
				return resp.StatusCode
			}
			if status := put("0123456789", ""); status != http.StatusCreated {
				t.Fatalf("PUT = %d", status)
			}
			if status := put("abcde", "bytes 10-14/15"); status != test.status {
				t.Errorf("PUT of a part = %d, want %d", status, test.status)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(text) != test.want {
				t.Errorf("the file has %q, %v, want %q", text, err, test.want)
			}
		})
	}
}
