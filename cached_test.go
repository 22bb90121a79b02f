package locus

import (
	"context"
	"io"
	"os"
	"testing"

	"locus/access"
	"locus/cache"
	"locus/url"
)

// withCache returns a Client of an engine with a cache in a new folder.
func withCache(t *testing.T, table access.Table) *Client {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	folder, err := cache.OpenFolder(root, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{Engines: func(Dial) map[string]Scheme { return table.Schemes() }, Cache: &cache.Cache{Folder: folder}}
}

// A Client stores only resources from the network that were opened without a login.
func TestClientCache(t *testing.T) {
	asked := 0
	counting := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		asked++
		return text(req)
	})
	table := access.Table{"ftp": counting, "file": counting, "x": counting}
	login := &access.Request{Login: noLogin}
	for _, test := range []struct {
		url   string
		req   *access.Request
		login bool // of the Client
		asked int  // how often the engine is asked for three requests
	}{
		{"ftp://h/x", &access.Request{}, false, 1},
		{"ftp://h/x", login, false, 3},
		{"ftp://u:pw@h/x", &access.Request{}, false, 3},
		{"ftp://h/x", &access.Request{}, true, 3},
		{"file:///x", &access.Request{}, false, 3},
		{"x://h/x", &access.Request{}, false, 3},
	} {
		c := withCache(t, table)
		if test.login {
			c.Login = noLogin
		}
		asked = 0
		for range 3 {
			req := *test.req
			req.URL = url.MustParse(test.url)
			r, err := c.Do(t.Context(), &req)
			if err != nil {
				t.Fatalf("%q: %v", test.url, err)
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				t.Fatalf("%q: %v", test.url, err)
			}
			r.Body.Close()
		}
		if asked != test.asked {
			t.Errorf("%q (login %v, %v) is asked for %d times, want %d", test.url, test.req.Login != nil, test.login, asked, test.asked)
		}
	}
}

// A panic of an engine that the cache asks is the error of one access, too.
func TestClientPanicInCache(t *testing.T) {
	testPanics(t, withCache(t, bombs))
}

// A Public Client ignores resources in a shared cache folder that another Client has
// fetched from a private address.
func TestPublicClientCache(t *testing.T) {
	asked := 0
	c := withCache(t, access.Table{"ftp": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		asked++
		return text(req)
	})})
	public := &Client{Engines: c.Engines, Cache: &cache.Cache{Folder: c.Cache.Folder}, Public: true}
	for i, client := range []*Client{c, c, public, public} {
		r, err := client.Open(t.Context(), "ftp://192.0.43.8/x")
		if err != nil {
			t.Fatalf("Open by client %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Errorf("reading the body of client %d: %v", i, err)
		}
		r.Body.Close()
		if want := 1 + i/2; asked != want {
			t.Errorf("request %d: asked %d times, want %d", i, asked, want)
		}
	}
}
