package sftpd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/demo/internal/library"
	"locus/demo/internal/serve"
	"locus/proto/sftp"
	"locus/url"
)

// A client that has the fingerprint reads files and listings, without a login. It cannot change anything.
func TestServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, l, serve.Connections, (&Server{Files: library.Files()}).Serve)
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	c := sftp.Client{Dial: new(net.Dialer).DialContext}
	at := "sftp://reader;fingerprint=" + Fingerprint() + "@" + l.Addr().String()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(at + "/")})
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	defer r.Body.Close()
	var names []string
	err = access.Entries(r.List, func(e access.Entry) error {
		names = append(names, e.Title)
		return nil
	})
	if err != nil || !slices.Contains(names, "README.txt") || !slices.Contains(names, "texts") {
		t.Errorf("the root has %q, %v", names, err)
	}
	f, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(at + "/README.txt")})
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	defer f.Body.Close()
	want, err := fs.ReadFile(library.Files(), "README.txt")
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if got, err := io.ReadAll(f.Body); err != nil || string(got) != string(want) {
		t.Errorf("README.txt has %d bytes, %v, want %d", len(got), err, len(want))
	}
	for _, test := range []struct {
		op   access.Op
		path string
		want error
	}{
		{access.Get, "/gone.txt", fs.ErrNotExist},
		{access.Stat, "/gone.txt", fs.ErrNotExist},
		{access.Put, "/new.txt", fs.ErrPermission},
		{access.Delete, "/README.txt", fs.ErrPermission},
		{access.MakeDir, "/new", fs.ErrPermission},
	} {
		_, err := c.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse(at + test.path), Body: strings.NewReader("x"), Size: 1})
		if !errors.Is(err, test.want) {
			t.Errorf("%v %s = %v, want %v", test.op, test.path, err, test.want)
		}
	}
}
