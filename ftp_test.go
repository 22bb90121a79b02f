package locus

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"locus/internal/peers"
)

// An http.Client with a real FTP server.
// req: 1738-2-1, 1738-3.2-8
func TestClientOverFTP(t *testing.T) {
	root := served(t, "old.bin", "sub/x")
	client := newClient(t)
	at := "ftp://alice:secret@" + peers.ProFTPD(t, root).Addr
	const old = "\r\n\xffold.bin"
	for _, test := range []struct {
		method, path, body string
		header             string // "Name: value"
		code               int
		want               string // the text of the response; "" for any
		left               string // the content of new.bin afterwards
	}{
		{"GET", "/old.bin", "", "", 200, old, ""},
		{"HEAD", "/old.bin", "", "", 200, "", ""},
		{"GET", "/old.bin", "", "Range: bytes=3-", 206, "old.bin", ""},
		{"GET", "/old.bin", "", "Range: bytes=3-5", 206, "old", ""},
		{"GET", "/old.bin", "", "Range: bytes=-3", 206, "bin", ""},
		{"GET", "/old.bin", "", "Range: bytes=10-", 416, "", ""},
		{"GET", "/old.bin", "", "If-Modified-Since: Fri, 20 Nov 2026 10:11:12 GMT", 304, "", ""},
		{"GET", "/old.bin", "", "If-Modified-Since: Fri, 20 Nov 2026 10:11:11 GMT", 200, old, ""},
		{"GET", "/none", "", "", 404, "", ""},
		{"PUT", "/new.bin", "one\r\n", "Last-Modified: Thu, 01 Dec 1994 08:00:00 GMT", 204, "", "one\r\n"},
		{"GET", "/new.bin", "", "", 200, "one\r\n", "one\r\n"},
		{"POST", "/new.bin", "two", "", 204, "", "one\r\ntwo"},
		{"PUT", "/new.bin", "x", "If-None-Match: *", 412, "", "one\r\ntwo"},
		{"PUT", "/new.bin", "three", "", 204, "", "three"},
		{"PUT", "/none/new.bin", "x", "", 404, "", "three"},
		{"PUT", "/new.bin", "", "", 204, "", ""},
		{"PATCH", "/new.bin", "x", "", 405, "", ""},
		{"MKCOL", "/dir/", "", "", 201, "", ""},
		{"MKCOL", "/dir/", "", "", 412, "", ""},
		{"PUT", "/dir/x", "x", "", 204, "", ""},
		{"DELETE", "/dir/x", "", "", 204, "", ""},
		{"DELETE", "/dir/", "", "", 204, "", ""},
		{"DELETE", "/new.bin", "", "", 204, "", ""},
		{"DELETE", "/new.bin", "", "", 404, "", ""},
	} {
		header := http.Header{}
		if name, value, ok := strings.Cut(test.header, ": "); ok {
			header.Set(name, value)
		}
		resp, text, err := do(t, client, test.method, at+test.path, test.body, header)
		if err != nil || resp.StatusCode != test.code || test.want != "" && text != test.want {
			t.Errorf("%s %s (%s) = %v, %q, %v, want %d, %q", test.method, test.path, test.header, resp, text, err, test.code, test.want)
			continue
		}
		if test.method == "HEAD" && (resp.ContentLength != 10 || resp.Header.Get("Last-Modified") != "Fri, 20 Nov 2026 10:11:12 GMT") {
			t.Errorf("HEAD %s = %d bytes, %v", test.path, resp.ContentLength, resp.Header)
		}
		if left, _ := os.ReadFile(filepath.Join(root, "new.bin")); string(left) != test.left {
			t.Errorf("%s %s leaves %q, want %q", test.method, test.path, left, test.left)
		}
		if info, err := os.Stat(filepath.Join(root, "new.bin")); strings.HasPrefix(test.header, "Last-Modified") && (err != nil || !info.ModTime().Equal(changed)) {
			t.Errorf("%s %s leaves another time, %v, want %v", test.method, test.path, err, changed)
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 2 {
		t.Errorf("%v, %v are left, want old.bin and sub", left, err)
	}
}

// Several goroutines may use a Client at once, even if some close early.
func TestClientAtOnce(t *testing.T) {
	files := map[string]string{}
	root := served(t, "a.bin", "sub/b.bin")
	ftp := "ftp://" + peers.VSFTPD(t, root).Addr
	gopher := demoURL(t, root, "gopher")
	for _, name := range []string{"a.bin", "sub/b.bin"} {
		files[ftp+"/"+name] = "\r\n\xff" + name
		files[gopher+"9/"+name] = "\r\n\xff" + name
		files["http://"+strings.TrimPrefix(goServer(t, root), "http://")+"/"+name] = "\r\n\xff" + name
	}
	client := newClient(t).HTTP()
	var all sync.WaitGroup
	errs := make(chan error, 10*len(files))
	for range 10 {
		for u, want := range files {
			all.Go(func() { errs <- fetch(client, u, want) })
		}
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// fetch gets u twice: once to its end, and once closed early.
func fetch(client *http.Client, u, want string) error {
	for _, n := range []int{3, len(want) + 1} {
		resp, err := client.Get(u)
		if err != nil {
			return err
		}
		got, err := io.ReadAll(io.LimitReader(resp.Body, int64(n)))
		resp.Body.Close()
		if err != nil || string(got) != want[:min(n, len(want))] {
			return fmt.Errorf("Get(%q) = %q, %w, want %q", u, got, err, want)
		}
	}
	return nil
}
